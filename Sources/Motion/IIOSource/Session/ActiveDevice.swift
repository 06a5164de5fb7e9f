// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A device of a context with its reader thread. Used only on the supervisor's thread.
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
/// When a device is unplugged, it is removed from the supervisor's list, and its reader thread is asked to end and
/// abandoned.
final class ActiveDevice {
    enum State {
        case idle
        case active(DeviceReader, (stage: Int, detector: StallDetector)?)
        /// The reader thread was asked to end at the time `since`.
        case leaving(DeviceReader, since: BootTime)
    }

    /// A device description, and the connection to the context that provided the description.
    struct Found {
        let unit: DeviceGroup
        let connection: any IIOConnection
    }

    private(set) var found: Found
    /// The device description from a newer context. It is adopted when no reader thread is running.
    private var update: Found?
    private(set) var state = State.idle
    var buffer: BufferUse
    var facts = DeviceReader.Facts()
    /// The plan for the current subscriptions, or nil if no subscription needs the device.
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

    /// Passes the plan to the reader thread, which sets up the device again if the plan has changed.
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

    /// Returns to the idle state. Called when the reader thread has ended or is abandoned.
    func finish() {
        state = .idle
        adoptUpdate()
    }

    /// Calls `body` with the stall detector for the given stage of the reader. Calls `make` first if the stage has no
    /// detector yet. Returns nil if the device is not active.
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

/// The schedule of retries after failures. The delay grows with each failure.
struct RetryTimer {
    private var backoff: Backoff
    private(set) var time = BootTime.zero

    init(backoff: Backoff) { self.backoff = backoff }

    /// Records a failure and schedules the next attempt.
    mutating func recordFailure(now: BootTime) { time = now.advanced(bySeconds: backoff.nextDelay()) }

    /// Records a success, which resets the delay after the next failure. Does not change the time of the next attempt.
    mutating func recordSuccess() { backoff.reset() }

    /// Allows the next attempt at the given time, unless an earlier time is already set.
    mutating func allow(at time: BootTime) { self.time = min(self.time, time) }

    /// Postpones the next attempt to the given time, unless a later time is already set.
    mutating func postpone(to time: BootTime) { self.time = max(self.time, time) }
}
