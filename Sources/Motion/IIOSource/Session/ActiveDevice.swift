// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A device of a context, on the supervisor's thread.
///
/// ```
///          a subscription needs the device            no subscription needs it,
///          and `retryTime` has been reached           or it has failed
/// idle ─────────────────────────────────────▶ active ─────────────────────────▶ leaving
///  ▲                                           │  ▲                                │
///  ├────────── the reader thread ends ─────────┘  └─── a subscription needs it ────┤
///  └────────── the reader thread ends, or does not for 30 s and is abandoned ──────┘
/// ```
///
/// A device that is unplugged is removed from the supervisor's list; its reader thread ends by itself.
final class ActiveDevice {
    enum State {
        case idle
        /// A reader thread sets up or reads the device. The detector is of the stage of that number; nil before the first check.
        case active(DeviceReader, (stage: Int, detector: StallDetector)?)
        /// The reader thread was asked at that time to end.
        case leaving(DeviceReader, since: BootTime)
    }

    /// A device as a context describes it.
    struct Found {
        let unit: SensorUnit
        let connection: any IIOConnection
    }

    private(set) var found: Found
    /// The description by a newer context, which is adopted when no reader thread runs.
    private var update: Found?
    private(set) var state = State.idle
    var buffer: BufferUse
    var facts = DeviceReader.Facts()
    /// The plan for the current subscriptions; nil if none needs the device.
    var plan: UnitPlan?
    var retry: RetryTimer
    /// True while the status of its sensors is unavailable.
    var isUnavailable = false

    init(_ found: Found, options: IIOSourceOptions) {
        self.found = found
        buffer = BufferUse(options: options)
        retry = RetryTimer(backoff: Backoff(first: options.firstRetry, limit: options.lastRetry))
    }

    var unit: SensorUnit { found.unit }

    var reader: DeviceReader? {
        switch state {
        case .idle: nil
        case .active(let reader, _), .leaving(let reader, _): reader
        }
    }

    // MARK: Transitions

    /// Begins reading with a new thread.
    func start(_ reader: DeviceReader) { state = .active(reader, nil) }

    /// Has the reader thread set the device up by that plan.
    func continueReading(with plan: UnitPlan, now: BootTime) {
        guard let reader else { return }
        if reader.plan != plan {
            reader.set(plan, now: now)
            state = .active(reader, nil)
        }
    }

    /// Has the reader thread set the device up again.
    func restart(now: BootTime) {
        guard case .active(let reader, _) = state else { return }
        reader.restart(now: now)
        state = .active(reader, nil)
    }

    /// Asks the reader thread to end.
    func leave(now: BootTime) {
        guard case .active(let reader, _) = state else { return }
        reader.set(nil, now: now)
        state = .leaving(reader, since: now)
    }

    /// The reader thread has ended, or is abandoned.
    func finish() {
        state = .idle
        adoptUpdate()
    }

    /// Updates the detector of a stage of the reader; `make` creates it.
    func updateDetector<Result>(
        of stage: DeviceReader.Stage, make: () -> StallDetector, _ body: (inout StallDetector) -> Result
    ) -> Result? {
        guard case .active(let reader, let watched) = state else { return nil }
        var detector = watched?.stage == stage.number ? watched?.detector ?? make() : make()
        let result = body(&detector)
        state = .active(reader, (stage.number, detector))
        return result
    }

    /// Records the description of the device by a newer context.
    func set(_ update: Found) {
        self.update = update
        if case .idle = state { adoptUpdate() }
    }

    private func adoptUpdate() {
        guard let update else { return }
        found = update
        self.update = nil
        buffer.resetAfterRediscovery()
    }

    // MARK: Facts

    /// The time at which the supervisor has to check the device again; `.never` if no time matters.
    ///
    /// - Parameter canStart: True if the context is open.
    func deadline(canStart: Bool) -> BootTime {
        var deadline = BootTime.never
        if case .active(_, let watched?) = state { deadline = watched.detector.deadline }
        guard plan != nil else { return deadline }
        if let time = buffer.retryTime { deadline = min(deadline, time) }
        if case .idle = state, canStart { deadline = min(deadline, retry.time) }
        return deadline
    }

    /// The sensors, with the facts that the reader has found.
    var descriptions: [SensorDescription] {
        unit.members.map { member in
            var description = member.description
            if buffer.failure != nil || facts.isPolled {
                description.mode = .polled
                description.clock = ""
            } else if !facts.clock.isEmpty {
                description.clock = facts.clock
            }
            description.remarks += facts.remarks
            if let failure = buffer.failure { description.remarks.append(failure.remark) }
            return description
        }
    }
}

/// The time of the next attempt, with a delay that grows with each failure.
struct RetryTimer {
    private var backoff: Backoff
    /// The time before which nothing is attempted.
    private(set) var time = BootTime.zero

    init(backoff: Backoff) { self.backoff = backoff }

    /// Records a failure.
    mutating func recordFailure(now: BootTime) { time = now.advanced(bySeconds: backoff.take()) }

    /// Records a success: the next failure is followed by the first delay. The time of the next attempt remains.
    mutating func recordSuccess() { backoff.reset() }

    /// Allows the next attempt at that time, if it is earlier.
    mutating func allow(at time: BootTime) { self.time = min(self.time, time) }

    /// Postpones the next attempt to that time.
    mutating func postpone(to time: BootTime) { self.time = max(self.time, time) }
}
