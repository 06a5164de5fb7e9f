// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The state shared by the supervisor and the thread that reads one device (`DeviceReadTask`). The supervisor sets the
/// plan and monitors the phase and the counters.
final class DeviceReader: Sendable {
    /// The reader thread enters every phase. The supervisor also enters `settingUp` when it changes the plan or
    /// restarts the reader.
    ///
    /// ```
    /// settingUp ── the buffer is open ──▶ capturing
    /// settingUp ── the axes can be read ──▶ polling
    /// settingUp, capturing, polling ── the plan changes, a task is restarted or ends without failure ──▶ settingUp
    /// settingUp, capturing, polling ── a task fails, or the thread ends because it has been asked to ──▶ ended
    /// ```
    enum Phase {
        case settingUp
        /// `start` is the value of `progress` when the phase began.
        case capturing(BufferPlan, start: Int)
        /// `interval` is in seconds.
        case polling(interval: Double)
        /// The failure is nil if the thread was asked to end.
        case ended(ReaderFailure?)
    }

    /// A phase, its start time, and a number that changes whenever a phase is entered, even if the phase is the same.
    struct Stage {
        fileprivate(set) var phase = Phase.settingUp
        fileprivate(set) var since: BootTime
        fileprivate(set) var number = 0

        fileprivate mutating func enter(_ phase: Phase, now: BootTime) {
            (self.phase, since) = (phase, now)
            number += 1
        }
    }

    /// The thread's findings about the device and its settings.
    struct Facts {
        var clock = ""
        var clockEstimate: ClockEstimate?
        var isPolled = false
        /// Explanations of settings and readings, in complete sentences, for logs and sensor descriptions.
        var remarks: [String] = []
        /// Settings that this user cannot write. The supervisor sets up the device again once one of them becomes
        /// writable.
        var refusedSettings: [IIOAttributePath] = []
    }

    private struct State {
        /// The plan to carry out, or nil once the thread has been asked to end.
        var plan: DeviceReadPlan?
        /// The number of the current task, which is one attempt to carry out a plan. Changing the number ends the task.
        /// A task can also end on its own, either because it fails or because a server times out while an event-driven
        /// sensor has no changes to report. In the second case, the next task has the same number.
        var generation = 0
        /// The open buffer, which is cancelled when the task ends.
        var buffer: (any IIOBuffer)?
        var stage: Stage
        var facts = Facts()

        var isSettingUp: Bool { if case .settingUp = stage.phase { true } else { false } }
        var isEnded: Bool { if case .ended = stage.phase { true } else { false } }
        func isCurrent(_ generation: Int) -> Bool { plan != nil && self.generation == generation }
    }

    private let state: Mutex<State>
    private let refills = Atomic<Int>(0)
    /// Incremented when a delivery begins and when it ends, so it is odd during a delivery.
    private let deliveries = Atomic<Int>(0)
    /// Signaled when the task ends, so that the thread stops waiting for the next polling cycle.
    let semaphore = BinarySemaphore()
    private let phaseDidChange: @Sendable () -> Void

    /// `phaseDidChange` is called on the reader thread when that thread enters a phase.
    init(
        plan: DeviceReadPlan, now: BootTime, clockEstimate: ClockEstimate? = nil,
        phaseDidChange: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(plan: plan, stage: Stage(since: now), facts: Facts(clockEstimate: clockEstimate)))
        self.phaseDidChange = phaseDidChange
    }

    // MARK: For the supervisor

    var plan: DeviceReadPlan? { state.withLock { $0.plan } }
    var stage: Stage { state.withLock { $0.stage } }
    var facts: Facts { state.withLock { $0.facts } }
    /// The number of polling cycles, or of refills that contained samples, even if decimation discarded them all.
    var progress: Int { refills.load(ordering: .relaxed) }
    /// Changes with each delivery, even before all sensors of a polling cycle have been read.
    var activityCounter: Int { progress &+ deliveries.load(ordering: .relaxed) }
    var hasProgress: Bool { progress != 0 }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Sets the plan, or asks the thread to end if `plan` is nil.
    func set(_ plan: DeviceReadPlan?, now: BootTime) {
        endTask { state in
            guard state.plan != plan else { return false }
            // A setup in progress keeps its time limit until the thread begins the new plan.
            let continuesSetup = state.plan != nil && state.isSettingUp
            if !state.isEnded, !continuesSetup { state.stage.enter(.settingUp, now: now) }
            state.plan = plan
            return true
        }
    }

    func restart(now: BootTime) {
        endTask { state in
            if !state.isEnded { state.stage.enter(.settingUp, now: now) }
            return true
        }
    }

    /// Changes the state and ends the current task, unless the closure returns false.
    private func endTask(_ change: (inout State) -> Bool) {
        let buffer = state.withLock { state -> (any IIOBuffer)? in
            guard change(&state) else { return nil }
            state.generation += 1
            return state.buffer
        }
        // Only the reader thread closes the buffer. It may do so during this call, because the lock is not held while
        // libiio runs. `IIOBuffer` permits this, and `cancel()` does not wait for `close()`.
        buffer?.cancel()
        semaphore.signal()
    }

    // MARK: For the thread

    /// Returns the current task, or nil if the thread must end.
    func task() -> (plan: DeviceReadPlan, generation: Int)? {
        state.withLock { state in state.plan.map { ($0, state.generation) } }
    }

    /// False once the thread has been asked to end, because a new thread may already be delivering readings by then.
    /// Remains true if only the current task has ended.
    var mayDeliver: Bool { state.withLock { $0.plan != nil } }

    func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.isCurrent(generation) } }

    /// Enters a phase of the current task. If the task has just ended, this has no effect on the next task, because the
    /// thread enters another phase when it begins that task.
    func enter(_ phase: Phase, now: BootTime) {
        state.withLock { $0.stage.enter(phase, now: now) }
        phaseDidChange()
    }

    /// Must be called before `enter(.ended)`, after which the supervisor reads the facts for the last time.
    func record(_ facts: Facts) { state.withLock { $0.facts = facts } }

    /// Registers the buffer for cancellation. Returns false if the task is no longer current.
    func attach(_ buffer: any IIOBuffer, generation: Int) -> Bool {
        state.withLock { state in
            guard state.isCurrent(generation) else { return false }
            state.buffer = buffer
            return true
        }
    }

    /// Deregisters the buffer. A concurrent call to `endTask` may still cancel it.
    func detachBuffer() {
        // Releases the reference outside the lock, because releasing the last one would close an open buffer, which may
        // block.
        withExtendedLifetime(state.withLock { $0.buffer.take() }) {}
    }

    /// True while subscribers process readings. During this time, the device is not considered silent.
    var isDelivering: Bool {
        get { deliveries.load(ordering: .relaxed) % 2 != 0 }
        set { if newValue != isDelivering { Self.count(deliveries) } }
    }

    func countRefill() { Self.count(refills) }

    /// Only one thread at a time writes: the reader thread, or the executor that `PollableBuffer` allows to read.
    /// Therefore, no atomic read-modify-write operation is needed.
    private static func count(_ number: borrowing Atomic<Int>) {
        number.store(number.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}

struct ReaderFailure: Error {
    enum Remedy: Equatable {
        /// The supervisor opens a new context and retries after a delay.
        case reconnect
        /// The supervisor retries in the same context after a delay.
        case retry
        /// The sensors are read axis by axis instead of through the buffer.
        case poll(remark: String)
    }

    let error: DeviceError
    let remedy: Remedy
    /// True if a retry with fewer samples may succeed.
    var mayBeDueToSize: Bool { [ENOMEM, EINVAL].contains(systemError) }
    var isPermissionDenied: Bool { [EACCES, EPERM].contains(systemError) }
    private var systemError: Int32? { if case .system(_, let number) = error.cause { number } else { nil } }

    init(_ error: DeviceError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }
}
