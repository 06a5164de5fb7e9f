// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls

/// The thread that reads one device, as others see it: told what to do, cancelled, watched.
final class DeviceReader: Sendable {
    /// What the thread is at.
    enum Phase {
        /// Setting the device up.
        case arming
        /// Capturing; with what `progress` was at the start.
        case capturing(BufferPlan, start: Int)
        /// Reading axis by axis.
        case polling(interval: Double)
        /// The thread has left; the failure is nil when it was told to.
        case ended(ReaderFailure?)
    }

    /// A phase that was entered.
    struct Stage {
        fileprivate(set) var phase = Phase.arming
        fileprivate(set) var since: BootTime
        /// Tells it from others of the same kind and time.
        fileprivate(set) var number = 0

        fileprivate mutating func enter(_ phase: Phase, now: BootTime) {
            (self.phase, since) = (phase, now)
            number += 1
        }
    }

    /// What the thread has found out about the sensors.
    struct Facts {
        /// The clock of the time stamps; empty without.
        var clock = ""
        /// What has been found out about that clock when it is another machine's.
        var foundClock: FoundClock?
        /// True when it reads axis by axis.
        var isPolled = false
        /// Sentences about settings and readings, for logs and descriptions.
        var remarks: [String] = []
        /// Settings that the user had no permission to change.
        var refused: [IIOPlace] = []
    }

    private struct State {
        var plan: UnitPlan?
        /// Changes when the plan has to be looked at anew.
        var generation = 0
        var buffer: (any IIOBuffer)?
        var stage: Stage
        var facts = Facts()

        var isArming: Bool { if case .arming = stage.phase { true } else { false } }
        var isEnded: Bool { if case .ended = stage.phase { true } else { false } }

        /// What the thread is at is over, though it may not know it yet. The buffer, if there is one, has to be cancelled.
        mutating func callOff() -> (any IIOBuffer)? {
            generation += 1
            return buffer
        }
    }

    private let state: Mutex<State>
    private let refills = Atomic<Int>(0)
    /// Counts the begins and ends of deliveries: odd while subscribers have the thread.
    private let deliveries = Atomic<Int>(0)
    /// Wakes the thread while it waits for the time of the next reading.
    let bell = Bell()
    private let changed: @Sendable () -> Void

    /// A reader with that to do; `changed` is called when the phase does, on the thread.
    ///
    /// - Parameter foundClock: What the reader before has found out about the clock of the stamps.
    init(
        plan: UnitPlan, now: BootTime, foundClock: FoundClock? = nil, changed: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(plan: plan, stage: Stage(since: now), facts: Facts(foundClock: foundClock)))
        self.changed = changed
    }

    // MARK: For the supervisor

    var plan: UnitPlan? { state.withLock { $0.plan } }
    var stage: Stage { state.withLock { $0.stage } }
    var facts: Facts { state.withLock { $0.facts } }
    /// How many refills, and rounds of readings, there have been.
    var progress: Int { refills.load(ordering: .relaxed) }
    /// Changes with all that is handed over, be it one reading of several sensors.
    var life: Int { progress &+ deliveries.load(ordering: .relaxed) }
    /// True when it has given readings.
    var hasFlowed: Bool { progress != 0 }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Lets the thread do something else from now on; nil to leave.
    func set(_ plan: UnitPlan?, now: BootTime) {
        let buffer = state.withLock { state -> (any IIOBuffer)? in
            guard state.plan != plan else { return nil }
            // A thread that does not come back has no more time, however often it is asked for something else.
            if state.plan == nil || !state.isArming, !state.isEnded { state.stage.enter(.arming, now: now) }
            state.plan = plan
            return state.callOff()
        }
        buffer?.cancel()
        bell.ring()
    }

    /// Lets the thread set the device up anew.
    func restart(now: BootTime) {
        let buffer = state.withLock { state -> (any IIOBuffer)? in
            if !state.isEnded { state.stage.enter(.arming, now: now) }
            return state.callOff()
        }
        buffer?.cancel()
        bell.ring()
    }

    // MARK: For the thread

    /// What to do now; nil to leave.
    func task() -> (plan: UnitPlan, generation: Int)? {
        state.withLock { state in state.plan.map { ($0, state.generation) } }
    }

    /// False once it was told to leave: whoever was waited for in vain shall not speak when another does.
    var isWanted: Bool { state.withLock { $0.plan != nil } }

    /// True while that is still to be done.
    func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.plan != nil && $0.generation == generation } }

    /// Enters a phase.
    func enter(_ phase: Phase, now: BootTime) {
        state.withLock { $0.stage.enter(phase, now: now) }
        changed()
    }

    func note(_ facts: Facts) { state.withLock { $0.facts = facts } }

    /// Makes the buffer known to those who may have to cancel it; false when there is no use for it any more.
    func attach(_ buffer: any IIOBuffer, generation: Int) -> Bool {
        state.withLock { state in
            guard state.plan != nil, state.generation == generation else { return false }
            state.buffer = buffer
            return true
        }
    }

    func detachBuffer() {
        // Closed already: it goes outside of the lock.
        withExtendedLifetime(state.withLock { $0.buffer.take() }) {}
    }

    /// True while subscribers have the thread: what they do takes as long as it takes, and is no silence of the device.
    var isDelivering: Bool {
        get { deliveries.load(ordering: .relaxed) % 2 != 0 }
        set { if newValue != isDelivering { Self.count(deliveries) } }
    }

    /// Counts a refill, or a reading of each sensor.
    func countRefill() { Self.count(refills) }

    /// One at a time writes: no read-modify-write is needed.
    private static func count(_ number: borrowing Atomic<Int>) {
        number.store(number.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}

/// Why a reader has left.
struct ReaderFailure: Error {
    /// What has to be done about it.
    enum Remedy: Equatable {
        /// Look at the devices anew and try again.
        case reconnect
        /// Try the same again after a while.
        case retry
        /// Read axis by axis; with what there is to say about it.
        case poll(remark: String)
    }

    let error: DeviceError
    let remedy: Remedy
    /// True when fewer samples at a time may do.
    var mayBeOfSize: Bool {
        guard case .system(_, let number) = error.cause else { return false }
        return number == ENOMEM || number == EINVAL
    }

    /// True if the user lacks a permission.
    var isForbidden: Bool {
        guard case .system(_, let number) = error.cause else { return false }
        return number == EACCES || number == EPERM
    }

    init(_ error: DeviceError, _ remedy: Remedy) {
        self.error = error
        self.remedy = remedy
    }
}
