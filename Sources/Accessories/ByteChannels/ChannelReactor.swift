// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The thread that polls all channels. It starts with the first channel and never ends.
package final class ChannelReactor: Sendable {
    package static let shared = ChannelReactor()

    private struct State {
        var channels: [ChannelCore] = []
        var wakeUp: WakeupPipe?
    }

    private let state = Mutex(State())
    /// Incremented whenever `state.channels` changes, so that the reactor thread copies the array again.
    private let version = Atomic<Int>(0)
    /// True from `signal()` until the thread drains the pipe. Further signals are unnecessary during this time.
    private let isWakeupPending = Atomic<Bool>(false)
    /// True if a channel must be served for a reason that poll(2) does not report.
    private let isServiceRequested = Atomic<Bool>(false)
    private let thread = Atomic<UInt>(0)
    private let pollCount = Atomic<Int>(0)

    package init() {}

    /// The number of times poll(2) has returned since the process started.
    package var wakeupCount: Int { pollCount.load(ordering: .relaxed) }

    package var channelCount: Int { state.withLock { $0.channels.count } }

    func add(_ channel: ChannelCore) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            if state.wakeUp == nil {
                let wakeUp = try WakeupPipe(for: "the channels to accessories")
                try WorkerThread.start { [self] in run(wakeUp) }
                state.wakeUp = wakeUp
            }
            if let wakeUp = state.wakeUp { channel.attachToReactor(wakeUp) }
            state.channels.append(channel)
        }
        version.add(1, ordering: .releasing)
        requestService()
    }

    func remove(_ channel: ChannelCore) {
        state.withLock { state in state.channels.removeAll { $0 === channel } }
        version.add(1, ordering: .releasing)
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread() }

    /// Makes the reactor thread call `serve` on every channel.
    func requestService() {
        isServiceRequested.store(true, ordering: .sequentiallyConsistent)
        // On the reactor thread, no wakeup is necessary, because the thread checks `isServiceRequested` before it waits
        // again.
        if isCurrent { return }
        if isWakeupPending.exchange(true, ordering: .sequentiallyConsistent) { return }
        state.withLock { $0.wakeUp }?.signal()
    }

    private func run(_ wakeUp: WakeupPipe) {
        thread.store(currentThread(), ordering: .relaxed)
        var channels: [ChannelCore] = []
        var lastVersion = -1
        var descriptors: [pollfd] = []
        while true {
            let currentVersion = version.load(ordering: .acquiring)
            if currentVersion != lastVersion {
                lastVersion = currentVersion
                channels = state.withLock { $0.channels }
            }
            if isServiceRequested.exchange(false, ordering: .sequentiallyConsistent) {
                for channel in channels { channel.serve(0) }
            }

            descriptors.removeAll(keepingCapacity: true)
            descriptors.append(pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
            for channel in channels {
                let (events, coordinator) = channel.pollInterest()
                // poll(2) ignores negative descriptors.
                descriptors.append(pollfd(fd: events == nil ? -1 : channel.descriptor, events: events ?? 0, revents: 0))
                descriptors.append(pollfd(fd: coordinator ?? -1, events: Int16(POLLIN), revents: 0))
            }
            // If service is requested or the channels have changed, poll(2) returns events without waiting for them.
            let isBusy =
                isServiceRequested.load(ordering: .sequentiallyConsistent)
                || version.load(ordering: .acquiring) != lastVersion
            let ready = poll(&descriptors, nfds_t(descriptors.count), isBusy ? 0 : -1)
            pollCount.add(1, ordering: .relaxed)
            guard ready != 0 else { continue }
            guard ready > 0 else {
                // This call to poll(2) can fail for only two reasons: a signal (EINTR) or a temporary shortage of
                // memory.
                if errno != EINTR { WorkerThread.sleep(seconds: 0.01) }
                continue
            }
            if descriptors[0].revents != 0 {
                wakeUp.drain()
                // The order matters: drain the pipe, clear `isWakeupPending`, then check `isServiceRequested` again. In
                // any other order, a wakeup could be lost.
                isWakeupPending.store(false, ordering: .sequentiallyConsistent)
            }
            for index in channels.indices {
                if descriptors[2 * index + 1].revents != 0 { channels[index].serve(descriptors[2 * index + 1].revents) }
                if descriptors[2 * index + 2].revents != 0 { channels[index].handlePolling() }
            }
        }
    }
}
