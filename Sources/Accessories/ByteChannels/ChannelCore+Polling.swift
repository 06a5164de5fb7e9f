// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The parties that may poll the port: the reactor, and the executor of the app's callbacks.
struct ChannelPolling: ~Copyable {
    /// True once the port is about to be closed. Locked while the port is read.
    let isClosed = Mutex(false)
    /// Used on the reactor's thread; nil before the channel has joined the reactor, and after it has left.
    let coordinator = Mutex<ReadinessCoordinator?>(nil)
    /// The executor of the app's callbacks.
    let executor = Mutex<DirectPlace?>(nil)
    /// The longest delay of a read by the executor, in seconds.
    let tolerance: Double
    /// False once the connection is about to end, so that only the reactor may poll the port.
    let isAllowed = Atomic<Bool>(true)
    let isExecutorPolling = Atomic<Bool>(false)

    init(tolerance: Double) { self.tolerance = tolerance }
}

/// Polling of the port by the executor of the app's callbacks, which wakes one thread less than the reactor.
extension ChannelCore {
    /// Has the executor poll the port, if it can; nil for the reactor.
    func deliver(in place: DirectPlace?) {
        guard port.inputPatience != nil else { return }
        let former = polling.executor.withLock { exchange(&$0, with: place) }
        if former != place { reactor.ask() }
    }

    /// Reads what the executor would read; false if that is nothing.
    ///
    /// For an app that reads while its executor is blocked.
    func takeIn() -> Bool {
        guard polling.isExecutorPolling.load(ordering: .acquiring) else { return false }
        return polling.isClosed.withLock { isClosed in
            if isClosed { return false }
            // The executor finds any other outcome when it reads.
            _ = takeInputLocked(.look)
            return input.bytesAvailable > 0
        }
    }

    /// Called when the channel joins the reactor that the wake-up wakes.
    func join(_ wakeUp: WakeUp) {
        guard let patience = port.inputPatience else { return }
        let tolerance = min(polling.tolerance, patience / 3)
        polling.coordinator.withLock { coordinator in
            coordinator = ReadinessCoordinator(
                source: self, wakeUp: wakeUp, clock: clock, tolerance: tolerance, limit: min(30, patience)
            ) { [weak self] in
                // Until the app has read, the pipe has no room.
                guard let self, polling.isAllowed.load(ordering: .acquiring), !input.isWriterWaiting else { return nil }
                return polling.executor.withLock { $0 }?.delivery
            }
        }
    }

    // MARK: On the reactor's thread

    /// The descriptor to be polled while an executor polls the port; nil if the reactor polls it.
    func updatePolling() -> Int32? {
        var descriptor: Int32?
        var isFinished = false
        use { coordinator in
            isFinished = coordinator.update()
            if coordinator.isExecutorPolling { descriptor = coordinator.pollTarget.descriptor }
        }
        // The reactor finds out why.
        if isFinished { serve(Int16(POLLIN)) }
        return descriptor
    }

    /// Called when the descriptor of `updatePolling` is ready.
    func handlePolling() { use { coordinator in try? coordinator.handle(isReady: true) } }

    /// Ends polling by the executor, because the connection is about to end.
    func stopPolling() {
        guard polling.isAllowed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        use { coordinator in coordinator.deregister() }
    }

    /// Called when the port is about to be closed.
    func leave() {
        stopPolling()
        // It holds a reference to the channel.
        polling.coordinator.withLock { $0 = nil }
        polling.isClosed.withLock { $0 = true }
    }

    private func use(_ body: (inout ReadinessCoordinator) -> Void) {
        polling.coordinator.withLock { coordinator in
            guard var current = coordinator.take() else { return }
            body(&current)
            polling.isExecutorPolling.store(current.isExecutorPolling, ordering: .releasing)
            coordinator = consume current
        }
    }
}

extension ChannelCore: PollableSource {
    /// The reactor handles the timeouts of a channel.
    var deadline: BootTime { .never }

    /// The reactor reports the end of the connection, and waits for room in the pipe.
    func readAvailable(_ cause: ReadCause) -> ReadOutcome {
        if case .thread = cause { return .drained }
        return polling.isClosed.withLockIfAvailable { isClosed in
            guard !isClosed else { return .finished }
            switch takeInputLocked(.look) {
            case .empty: return .drained
            case .full: return input.isWriterWaiting ? .finished : .moreAvailable
            case .ended:
                polling.isAllowed.store(false, ordering: .releasing)
                return .finished
            }
        } ?? .contended
    }
}
