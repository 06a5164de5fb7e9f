// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The polling state, shared by the reactor and the executor of the app's callbacks. Only one of the two polls the port
/// for input at any time. A thread that needs several of the locks takes them in the order `coordinator`, `readLock`,
/// `ChannelCore.state`, `executor`.
struct ChannelPolling: ~Copyable {
    /// The maximum value of the coordinator's `limit`, in seconds.
    static let maximumReadInterval = 30.0
    /// Held by the thread that reads from the port. Before the port is released, `detachFromReactor` sets the value to
    /// true. The observer is notified of new bytes while the lock is held. It must not read from the channel, because
    /// `readPendingInput` would try to take the lock again.
    let readLock = Mutex(false)
    /// The coordinator that decides whether the executor polls the port. `nil` if the port has no `inputBufferingTime`,
    /// or while the channel is not attached to the reactor. The opening thread creates the coordinator. After that,
    /// only the reactor thread takes this lock, so it can read the port and call observers and executors while it holds
    /// the lock.
    let coordinator = Mutex<ReadinessCoordinator?>(nil)
    /// The executor of the app's callbacks, or `nil` if only the reactor may poll.
    let executor = Mutex<ExecutorIdentity?>(nil)
    /// The maximum value of the coordinator's `tolerance`, in seconds.
    let tolerance: Double
    /// False once the connection is about to end. After that, only the reactor may poll the port.
    let isAllowed = Atomic<Bool>(true)
    /// A copy of the coordinator's `isExecutorPolling`, for threads other than the reactor thread.
    let isExecutorPolling = Atomic<Bool>(false)
    /// Set if `readAvailable` found `readLock` locked. `readAvailable` sets the flag and then tries the lock again;
    /// `readPendingInput` releases the lock and then loads the flag. With an ordering weaker than
    /// `.sequentiallyConsistent`, each could miss the other's step, leaving the bytes unread.
    let hasMissedRead = Atomic<Bool>(false)

    init(tolerance: Double) { self.tolerance = tolerance }
}

/// Methods that let the executor of the app's callbacks poll the port, which avoids waking the reactor thread.
extension ChannelCore {
    /// Sets the executor that may poll the port. If `executor` or the port's `inputBufferingTime` is `nil`, only the
    /// reactor polls the port.
    func setExecutor(_ executor: ExecutorIdentity?) {
        guard port.inputBufferingTime != nil else { return }
        let former = polling.executor.withLock { exchange(&$0, with: executor) }
        if former != executor { reactor.requestService() }
    }

    /// If an executor polls the port, reads from the port on the calling thread, because that executor may be blocked.
    /// Returns true if the app can then read bytes. If no executor polls the port, returns false without reading.
    ///
    /// The executor cannot read at the same time. If it tries to, this method reads again in its place, because the
    /// executor's run loop does not report the same bytes again.
    func readPendingInput() -> Bool {
        guard polling.isExecutorPolling.load(ordering: .acquiring) else { return false }
        var hasInput = false
        repeat {
            polling.hasMissedRead.store(false, ordering: .sequentiallyConsistent)
            hasInput = polling.readLock.withLock { isDetached in
                if isDetached { return false }
                // If this read finds the end of the connection, the reactor's next read finds it again and reports it.
                _ = readInputLocked(.callback)
                return input.bytesAvailable > 0
            }
        } while polling.hasMissedRead.load(ordering: .sequentiallyConsistent)
        return hasInput
    }

    /// Called on the opening thread, before the reactor serves the channel. `wakeUp` wakes the reactor thread.
    func attachToReactor(_ wakeUp: WakeupPipe) {
        guard let bufferingTime = port.inputBufferingTime else { return }
        // If the executor does not read for `limit` seconds, the reactor reads in its place. `limit` is at most the
        // buffering time, so no input is lost. `limit` includes the tolerance, which is therefore at most a third of
        // the buffering time.
        let tolerance = min(polling.tolerance, bufferingTime / 3)
        let limit = min(ChannelPolling.maximumReadInterval, bufferingTime)
        polling.coordinator.withLock { coordinator in
            coordinator = ReadinessCoordinator(
                source: self, wakeUp: wakeUp, clock: clock, tolerance: tolerance, limit: limit
            ) { [self] in
                // Called on the reactor thread and on the executor. No executor polls while the input pipe is full.
                guard polling.isAllowed.load(ordering: .acquiring), !input.isWriterWaiting else { return nil }
                return polling.executor.withLock { $0 }?.executor
            }
        }
    }

    // MARK: On the reactor thread

    /// If an executor polls the port for input, returns the coordinator's descriptor, which the reactor must poll.
    /// Otherwise, returns `nil`, and the reactor polls the port itself.
    func updatePolling() -> Int32? {
        var descriptor: Int32?
        var isFinished = false
        use { coordinator in
            isFinished = coordinator.update()
            if coordinator.isExecutorPolling { descriptor = coordinator.pollTarget.descriptor }
        }
        // `serve` determines why the executor stopped polling. It is called after `use`, because it may lock the
        // coordinator.
        if isFinished { serve(Int16(POLLIN)) }
        return descriptor
    }

    /// Called when the descriptor from `updatePolling()` is readable. `try?` is safe, because `readAvailable` never
    /// throws.
    func handlePolling() { use { coordinator in try? coordinator.handle(isReady: true) } }

    func stopPolling() {
        polling.isAllowed.store(false, ordering: .releasing)
        use { coordinator in coordinator.deregister() }
    }

    func detachFromReactor() {
        stopPolling()
        // The coordinator retains the channel, so releasing the coordinator breaks the reference cycle.
        polling.coordinator.withLock { $0 = nil }
        polling.readLock.withLock { $0 = true }
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
    /// Always `.never`, because the reactor handles all of a channel's timeouts.
    var deadline: BootTime { .never }

    /// Reads from the port on the executor or, if `cause` is `.overdue`, on the reactor thread. The reactor reports the
    /// end of the connection. If the input pipe is full, the executor stops polling until there is space again.
    func readAvailable(_ cause: ReadCause) -> ReadOutcome {
        // No read is necessary for the cause `.thread`. While an executor polls the port, `.thread` only means that
        // timeouts may have expired, and channels have none. While the reactor polls the port itself, `serve` reads
        // from it.
        if case .thread = cause { return .drained }
        if let outcome = readUnlessContended() { return outcome }
        polling.hasMissedRead.store(true, ordering: .sequentiallyConsistent)
        // The other thread may have finished reading before the flag was set.
        return readUnlessContended() ?? .contended
    }

    /// Reads from the port. Returns `nil` without reading if another thread is reading from the port.
    private func readUnlessContended() -> ReadOutcome? {
        polling.readLock.withLockIfAvailable { isDetached in
            guard !isDetached else { return .finished }
            switch readInputLocked(.callback) {
            case .empty: return .drained
            // If the pipe has space and has not ended, reading stopped at a limit, so more input may remain.
            case .full: return input.isWriterWaiting || input.end != nil ? .finished : .moreAvailable
            case .ended:
                polling.isAllowed.store(false, ordering: .releasing)
                return .finished
            }
        }
    }
}
