// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The one thread that waits for all channels. It starts with the first one, and sleeps without an end when there is none.
package final class ChannelReactor: Sendable {
    /// The one of the process.
    package static let shared = ChannelReactor()

    private struct State {
        var channels: [ChannelCore] = []
        var wakeUp: WakeUp?
    }

    private let state = Mutex(State())
    /// Counts changes of the list.
    private let version = Atomic<Int>(0)
    /// A wake-up is on its way.
    private let isSignalled = Atomic<Bool>(false)
    /// Somebody wants something that poll does not tell of.
    private let isAsked = Atomic<Bool>(false)
    private let thread = Atomic<UInt>(0)
    private let wakeUpCount = Atomic<Int>(0)

    package init() {}

    /// How often the thread has come back from its wait, in the life of the process.
    package var wakeUps: Int { wakeUpCount.load(ordering: .relaxed) }

    /// How many channels it serves.
    package var channelCount: Int { state.withLock { $0.channels.count } }

    func add(_ channel: ChannelCore) throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            if state.wakeUp == nil {
                let wakeUp = try WakeUp(for: "channels to accessories")
                try WorkerThread.start { [self] in run(wakeUp) }
                state.wakeUp = wakeUp
            }
            if let wakeUp = state.wakeUp { channel.join(wakeUp) }
            state.channels.append(channel)
        }
        version.add(1, ordering: .releasing)
        ask()
    }

    func remove(_ channel: ChannelCore) {
        state.withLock { state in state.channels.removeAll { $0 === channel } }
        version.add(1, ordering: .releasing)
    }

    /// True on its thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread() }

    /// Has every channel look at what is asked of it, on the reactor's thread.
    func ask() {
        isAsked.store(true, ordering: .sequentiallyConsistent)
        // The reactor itself looks before it waits again.
        if isCurrent { return }
        if isSignalled.exchange(true, ordering: .sequentiallyConsistent) { return }
        state.withLock { $0.wakeUp }?.signal()
    }

    private func run(_ wakeUp: WakeUp) {
        thread.store(currentThread(), ordering: .relaxed)
        var channels: [ChannelCore] = []
        var seen = -1
        var descriptors: [pollfd] = []
        while true {
            let now = version.load(ordering: .acquiring)
            if now != seen {
                seen = now
                channels = state.withLock { $0.channels }
            }
            if isAsked.exchange(false, ordering: .sequentiallyConsistent) {
                for channel in channels { channel.serve(0) }
            }

            descriptors.removeAll(keepingCapacity: true)
            descriptors.append(pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
            for channel in channels {
                let (events, coordinator) = channel.pollInterest()
                // A negative descriptor is passed over.
                descriptors.append(pollfd(fd: events == nil ? -1 : channel.descriptor, events: events ?? 0, revents: 0))
                descriptors.append(pollfd(fd: coordinator ?? -1, events: Int16(POLLIN), revents: 0))
            }
            // A channel that has more to do asks again and again: the others are looked at in between.
            let isBusy = isAsked.load(ordering: .sequentiallyConsistent) || version.load(ordering: .acquiring) != seen
            let ready = poll(&descriptors, nfds_t(descriptors.count), isBusy ? 0 : -1)
            wakeUpCount.add(1, ordering: .relaxed)
            guard ready != 0 else { continue }
            guard ready > 0 else {
                // Memory is short for a moment; nothing else can go wrong here.
                if errno != EINTR { WorkerThread.pause(seconds: 0.01) }
                continue
            }
            if descriptors[0].revents != 0 {
                wakeUp.drain()
                // After the drain and before the look at what is asked: no wake-up falls between.
                isSignalled.store(false, ordering: .sequentiallyConsistent)
            }
            for index in channels.indices {
                if descriptors[2 * index + 1].revents != 0 { channels[index].serve(descriptors[2 * index + 1].revents) }
                if descriptors[2 * index + 2].revents != 0 { channels[index].handlePolling() }
            }
        }
    }
}
