// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The polling state that the reactor shares with the executor of the app's callbacks. Only one of the two polls the
/// port at a time.
struct ChannelPolling: ~Copyable {
    /// True once the port is about to be closed. Hold this lock while reading from the port.
    let isClosed = Mutex(false)
    /// The polling coordinator, which the reactor thread uses. `nil` before the channel joins the reactor and after it
    /// leaves.
    let coordinator = Mutex<ReadinessCoordinator?>(nil)
    /// The executor of the app's callbacks, or `nil` if only the reactor may poll.
    let executor = Mutex<ExecutorIdentity?>(nil)
    /// The longest delay allowed before the executor reads available input, in seconds.
    let tolerance: Double
    /// False once the connection is about to end. From then on, only the reactor may poll the port.
    let isAllowed = Atomic<Bool>(true)
    let isExecutorPolling = Atomic<Bool>(false)

    init(tolerance: Double) { self.tolerance = tolerance }
}

/// Lets the executor of the app's callbacks poll the port, which avoids waking the reactor thread.
extension ChannelCore {
    /// Sets the executor that polls the port. If `executor` is `nil`, the reactor polls the port.
    func setExecutor(_ executor: ExecutorIdentity?) {
        guard port.inputBufferingTime != nil else { return }
        let former = polling.executor.withLock { exchange(&$0, with: executor) }
        if former != executor { reactor.requestService() }
    }

    /// Reads from the port on the calling thread, because the executor may be blocked. Returns false if no bytes are
    /// available.
    func readPendingInput() -> Bool {
        guard polling.isExecutorPolling.load(ordering: .acquiring) else { return false }
        return polling.isClosed.withLock { isClosed in
            if isClosed { return false }
            _ = readInputLocked(.poll)
            return input.bytesAvailable > 0
        }
    }

    /// Called when the channel joins the reactor, with the wakeup pipe of the reactor thread.
    func attachToReactor(_ wakeUp: WakeupPipe) {
        guard let bufferingTime = port.inputBufferingTime else { return }
        let tolerance = min(polling.tolerance, bufferingTime / 3)
        polling.coordinator.withLock { coordinator in
            coordinator = ReadinessCoordinator(
                source: self, wakeUp: wakeUp, clock: clock, tolerance: tolerance, limit: min(30, bufferingTime)
            ) { [weak self] in
                // While the pipe is full, neither the executor nor the reactor reads from the port.
                guard let self, polling.isAllowed.load(ordering: .acquiring), !input.isWriterWaiting else { return nil }
                return polling.executor.withLock { $0 }?.executor
            }
        }
    }

    // MARK: On the reactor thread

    /// Returns the descriptor that the reactor polls in place of the port while an executor polls the port. Returns
    /// `nil` if the reactor polls the port itself.
    func updatePolling() -> Int32? {
        var descriptor: Int32?
        var isFinished = false
        use { coordinator in
            isFinished = coordinator.update()
            if coordinator.isExecutorPolling { descriptor = coordinator.pollTarget.descriptor }
        }
        // Reads from the port to find out why the executor has stopped polling.
        if isFinished { serve(Int16(POLLIN)) }
        return descriptor
    }

    func handlePolling() { use { coordinator in try? coordinator.handle(isReady: true) } }

    func stopPolling() {
        // The executor may already have cleared `isAllowed`, but the coordinator must be deregistered in any case.
        polling.isAllowed.store(false, ordering: .releasing)
        use { coordinator in coordinator.deregister() }
    }

    func detachFromReactor() {
        stopPolling()
        // Breaks the reference cycle, because the coordinator retains the channel.
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
    /// Always `.never`, because the reactor handles the timeouts of a channel.
    var deadline: BootTime { .never }

    /// Reads from the port on the executor. The reactor reports the end of the connection, and resumes reading when a
    /// full pipe has space again.
    func readAvailable(_ cause: ReadCause) -> ReadOutcome {
        if case .thread = cause { return .drained }
        return polling.isClosed.withLockIfAvailable { isClosed in
            guard !isClosed else { return .finished }
            switch readInputLocked(.poll) {
            case .empty: return .drained
            case .full: return input.isWriterWaiting ? .finished : .moreAvailable
            case .ended:
                polling.isAllowed.store(false, ordering: .releasing)
                return .finished
            }
        } ?? .contended
    }
}
