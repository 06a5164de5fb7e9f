// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// Decides whether the source's own thread or an executor polls the source's descriptor.
///
/// If all subscribers share an executor that can poll descriptors, that executor polls. New data then wakes one thread
/// instead of two. The decision changes only if the subscriptions change, or if the executor becomes able or unable to
/// poll.
///
/// ```
///      executor() changes or can now poll   a read is overdue, descriptor not readable
/// thread ─────────────────────▶ executor, ─────────────────────────────────────────────▶ executor,
///   ▲                           timer     ◀───────────────────────────────────────────── descriptor
///   │                             │                   descriptor readable                   │
///   └─────────────────────────────┴─────────────────────────────────────────────────────────┘
///     executor() changes, the executor has finished, or it can no longer poll
/// ```
///
/// While an executor polls, the source's thread sleeps until a read is overdue, for example because the app's main
/// thread is busy. The source's thread then reads in place of the executor until the executor reads again. Meanwhile,
/// the readings wait in the bounded queues of the app's managers.
///
/// If a read is overdue but nothing can be read, the source's thread waits for the descriptor instead of the timer.
/// Otherwise, it would wake repeatedly while the device is silent.
///
/// The source's thread owns the coordinator and is the only one to use it.
package struct ReadinessCoordinator: ~Copyable {
    private enum Owner {
        case thread
        case executor(PollingRegistration, Wait)
    }

    /// The event for which the source's thread waits while an executor polls.
    private enum Wait { case timer, descriptor }

    private let source: any PollableSource
    private let wakeUp: WakeupPipe
    private let clock: any DeviceClock
    private let tolerance: Double
    private let limit: Double
    private let executor: @Sendable () -> (any PollingExecutor)?
    private var owner = Owner.thread
    /// The executor that `update()` most recently tried to register. nil initially, after `deregister()`, and after
    /// `executor()` has returned nil. After a failed attempt, `update()` tries again only if `executor()` returns a
    /// different executor or `onReady` has set `readiness`.
    private weak var lastAttempt: (any PollingExecutor)?
    private let readiness = AtomicFlag()

    /// Initially, the source's thread polls the descriptor.
    ///
    /// - Parameters:
    ///   - wakeUp: Signaled when the subscriptions change.
    ///   - tolerance: The number of seconds by which a read may be late. After that, the source's thread reads in place
    ///     of the executor.
    ///   - limit: The maximum time, in seconds, from a read by the executor until the source's thread reads in its
    ///     place, including the tolerance.
    ///   - executor: Returns the executor shared by all subscribers, or nil if their executors differ or cannot poll.
    ///     Called on the source's thread and on executors.
    package init(
        source: any PollableSource, wakeUp: WakeupPipe, clock: any DeviceClock, tolerance: Double, limit: Double,
        executor: @escaping @Sendable () -> (any PollingExecutor)?
    ) {
        self.source = source
        self.wakeUp = wakeUp
        self.clock = clock
        self.tolerance = tolerance
        self.limit = limit
        self.executor = executor
    }

    deinit { if case .executor(let registration, _) = owner { registration.cancel() } }

    /// Waits for `pollTarget` and handles the result. If `update()` deregisters an executor, reads the source without
    /// waiting. A thread that also waits for other events calls `update()` and `handle(isReady:)` itself.
    package mutating func run() throws(DeviceError) {
        if update() { return try handle(isReady: false) }
        let (descriptor, deadline) = pollTarget
        try handle(isReady: wakeUp.wait(for: descriptor, until: deadline, clock: clock))
    }

    package var isExecutorPolling: Bool { if case .executor = owner { true } else { false } }

    /// The descriptor that the source's thread must poll in addition to the wakeup descriptor, and the deadline for
    /// waiting.
    package var pollTarget: (descriptor: Int32, deadline: BootTime) {
        switch owner {
        case .thread, .executor(_, .descriptor): (source.descriptor, source.deadline)
        case .executor(let registration, .timer): (registration.timer.descriptor, .never)
        }
    }

    /// Registers the subscribers' executor if no executor is registered. Deregisters the current executor if it has
    /// finished, if it can no longer poll, or if `executor()` returns a different one.
    ///
    /// Returns true if an executor was deregistered. The caller must then read the source, for example by calling
    /// `handle(isReady: false)`, because only a read on the source's thread can reveal why the executor finished. The
    /// next call to `update()` can register another executor.
    package mutating func update() -> Bool {
        let current = executor()
        if case .executor(let registration, _) = owner {
            if registration.executor === current, !registration.isFinished, registration.executor.canPoll {
                return false
            }
            deregister()
            return true
        }
        let isReady = readiness.value.exchange(false, ordering: .acquiringAndReleasing)
        guard current !== lastAttempt || isReady else { return false }
        lastAttempt = current
        if let current { register(current) }
        return false
    }

    /// Stops the executor from polling. A read that is already in progress on the executor may continue after this
    /// function returns.
    package mutating func deregister() {
        if case .executor(let registration, _) = owner { registration.cancel() }
        (owner, lastAttempt) = (.thread, nil)
    }

    private mutating func register(_ executor: any PollingExecutor) {
        let (readiness, wakeUp, current) = (readiness, wakeUp, self.executor)
        let monitor = ReadDeadlineMonitor(tolerance: tolerance, limit: limit, now: clock.now)
        let registration = try? PollingRegistration(
            source, executor, monitor, clock: clock, wakeUp: wakeUp,
            isValid: { [weak executor] in current() === executor },
            onReady: {
                readiness.value.store(true, ordering: .releasing)
                wakeUp.signal()
            })
        if let registration { owner = .executor(registration, .timer) }
    }

    /// Reads the source, or checks whether the executor is late. `isReady` is true if `pollTarget` was ready.
    package mutating func handle(isReady: Bool) throws(DeviceError) {
        switch owner {
        case .thread:
            try read(.thread(isReadable: isReady))
        case .executor(let registration, .timer):
            guard isReady else { return }
            let dueTime = registration.dueTime
            if dueTime <= clock.now, Sockets.isReadable(source.descriptor) {
                // The executor is late, so this thread reads in its place. While more readings may be available, the
                // timer stays expired, so this thread reads again at once. The outcome `.finished` needs no handling,
                // because `rearm()` makes the executor read again. That read has the same outcome and ends the polling.
                if try read(.overdue(since: dueTime)) != .moreAvailable { registration.expectRead() }
            } else {
                // If the executor is late but has nothing to read, this thread next waits for the descriptor.
                if dueTime <= clock.now { owner = .executor(registration, .descriptor) }
                // If the executor is not late, the timer expired too early or at the source's timeout. The read handles
                // the timeout.
                try read(.thread(isReadable: false))
                registration.setTimer()
            }
            registration.rearm()
        case .executor(let registration, .descriptor):
            if isReady {
                owner = .executor(registration, .timer)
                registration.expectRead()
            } else {
                try read(.thread(isReadable: false))
                registration.rearm()
            }
        }
    }

    @discardableResult
    private func read(_ cause: ReadCause) throws(DeviceError) -> ReadOutcome {
        let outcome = try source.readAvailable(cause)
        // The executor is still reading, so this thread waits briefly. Without the wait, an expired timeout would make
        // the thread spin.
        if outcome == .contended { WorkerThread.sleep(seconds: 0.0005) }
        return outcome
    }
}

/// A source's registration with an executor. The executor calls only the closures that `init` passes to it. The
/// source's thread makes all other calls. `source.deadline` is read while the lock of `monitor` is held.
private final class PollingRegistration: Sendable {
    let executor: any PollingExecutor
    let timer: TimerFD
    private let source: any PollableSource
    private let set: EpollSet
    private let clock: any DeviceClock
    private let monitor: Mutex<ReadDeadlineMonitor>
    private let finished = AtomicFlag()
    private let subscription = Mutex<Subscription?>(nil)

    /// Throws if the process has run out of descriptors, or if the executor or the descriptor does not support polling.
    /// `isValid` must return false if the source's subscribers no longer use this executor. The executor then stops
    /// reading.
    init(
        _ source: any PollableSource, _ executor: any PollingExecutor, _ monitor: ReadDeadlineMonitor,
        clock: any DeviceClock, wakeUp: WakeupPipe, isValid: @escaping @Sendable () -> Bool,
        onReady: @escaping @Sendable () -> Void
    ) throws(DeviceError) {
        self.source = source
        self.executor = executor
        self.clock = clock
        self.monitor = Mutex(monitor)
        set = try EpollSet(for: "the executor of a subscriber")
        timer = try TimerFD(for: "the executor of a subscriber")
        let registered = try executor.register(set, onReady: onReady) { [self] in
            if isValid(), read() { return }
            finish()
            wakeUp.signal()
        }
        guard let registered else { throw DeviceError(.notSupported, "The executor does not poll descriptors.") }
        subscription.withLock { $0 = registered }
        expectRead()
        // The descriptor is added last, so that the executor cannot read before this object is fully set up.
        guard set.add(source.descriptor) else {
            cancel()
            throw DeviceError(.notSupported, "The descriptor cannot be polled.")
        }
    }

    var isFinished: Bool { finished.value.load(ordering: .acquiring) }
    var dueTime: BootTime { monitor.withLock { $0.dueTime } }
    func expectRead() { monitor.withLock { $0.expectRead(timer, now: clock.now, deadline: source.deadline) } }
    func setTimer() { monitor.withLock { $0.setTimer(timer, now: clock.now, deadline: source.deadline) } }

    /// Makes the executor read again if the descriptor is still readable. The executor may have skipped a read because
    /// another thread was using the source. A run loop reports only changes of readiness, so it would not report the
    /// descriptor again on its own.
    func rearm() { if !isFinished { set.rearm(source.descriptor) } }

    func cancel() {
        finish()
        // Breaks the retain cycle: the subscription retains the closure, which retains this object.
        subscription.withLock { $0.take() }?.cancel()
    }

    private func finish() {
        finished.value.store(true, ordering: .releasing)
        set.remove(source.descriptor)
    }

    /// Reads the source on the executor. Returns false if only the source's thread can continue.
    private func read() -> Bool {
        guard let outcome = try? source.readAvailable(.executor(dueTime: dueTime)) else { return false }
        monitor.withLock { $0.recordRead(timer, now: clock.now, deadline: source.deadline) }
        if outcome == .moreAvailable { rearm() }
        return outcome != .finished
    }
}
