// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A device of a context with its reader thread. Used only on the thread of the supervisor.
///
/// ```
///          a subscription needs the device            no subscription needs it,
///          and `retry.time` has been reached          or it has failed
/// idle ─────────────────────────────────────▶ active ─────────────────────────▶ leaving
///  ▲                                           │  ▲                                │
///  ├────────── the reader thread ends ─────────┘  └─── a subscription needs it ────┤
///  └────────── the reader thread ends, or is abandoned after 30 s ─────────────────┘
/// ```
///
/// An unplugged device is removed from the supervisor's list. Its reader thread is requested to end, and is abandoned.
final class ActiveDevice {
    enum State {
        case idle
        case active(DeviceReader, (stage: Int, detector: StallDetector)?)
        /// The reader thread was requested to end at that time.
        case leaving(DeviceReader, since: BootTime)
    }

    /// A device as described by a context, and the connection to that context.
    struct Found {
        let unit: DeviceGroup
        let connection: any IIOConnection
    }

    private(set) var found: Found
    /// The description of the device by a newer context. Adopted when no reader thread is running.
    private var update: Found?
    private(set) var state = State.idle
    var buffer: BufferUse
    var facts = DeviceReader.Facts()
    /// The plan for the current subscriptions; nil if no subscription needs the device.
    var plan: DeviceReadPlan?
    var retry: RetryTimer
    /// True while the status of the device's sensors is unavailable.
    var isUnavailable = false

    init(_ found: Found, options: IIOSourceOptions) {
        self.found = found
        buffer = BufferUse(options: options)
        retry = RetryTimer(backoff: Backoff(first: options.initialRetryDelay, limit: options.maximumRetryDelay))
    }

    var unit: DeviceGroup { found.unit }

    var reader: DeviceReader? {
        switch state {
        case .idle: nil
        case .active(let reader, _), .leaving(let reader, _): reader
        }
    }

    // MARK: Transitions

    func start(_ reader: DeviceReader) { state = .active(reader, nil) }

    /// Makes the reader thread set up the device according to the plan, unless it already uses that plan.
    func continueReading(with plan: DeviceReadPlan, now: BootTime) {
        guard let reader else { return }
        if reader.plan != plan {
            reader.set(plan, now: now)
            state = .active(reader, nil)
        }
    }

    func restart(now: BootTime) {
        guard case .active(let reader, _) = state else { return }
        reader.restart(now: now)
        state = .active(reader, nil)
    }

    func leave(now: BootTime) {
        guard case .active(let reader, _) = state else { return }
        reader.set(nil, now: now)
        state = .leaving(reader, since: now)
    }

    /// Called when the reader thread has ended or is abandoned.
    func finish() {
        state = .idle
        adoptUpdate()
    }

    /// Calls the closure with the detector for a stage of the reader. Returns nil if the device is not active.
    func updateDetector<Result>(
        of stage: DeviceReader.Stage, make: () -> StallDetector, _ body: (inout StallDetector) -> Result
    ) -> Result? {
        guard case .active(let reader, let watched) = state else { return nil }
        var detector = watched?.stage == stage.number ? watched?.detector ?? make() : make()
        let result = body(&detector)
        state = .active(reader, (stage.number, detector))
        return result
    }

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

    /// The time of the next check of the device. `canStart` is true if the context is open.
    func deadline(canStart: Bool) -> BootTime {
        var deadline = BootTime.never
        if case .active(_, let watched?) = state { deadline = watched.detector.deadline }
        guard plan != nil else { return deadline }
        if let time = buffer.retryTime { deadline = min(deadline, time) }
        if case .idle = state, canStart { deadline = min(deadline, retry.time) }
        return deadline
    }

    /// The descriptions of the sensors, including the facts that the reader has determined.
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

/// The schedule of attempts after failures. The delay grows with each failure.
struct RetryTimer {
    private var backoff: Backoff
    private(set) var time = BootTime.zero

    init(backoff: Backoff) { self.backoff = backoff }

    /// Records a failure, which delays the next attempt.
    mutating func recordFailure(now: BootTime) { time = now.advanced(bySeconds: backoff.nextDelay()) }

    /// Records a success, after which the next delay is the shortest one. Keeps the time of the next attempt.
    mutating func recordSuccess() { backoff.reset() }

    /// Allows the next attempt at the given time, unless it is allowed earlier.
    mutating func allow(at time: BootTime) { self.time = min(self.time, time) }

    /// Postpones the next attempt to the given time, unless it is already later.
    mutating func postpone(to time: BootTime) { self.time = max(self.time, time) }
}
