// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A device in a context, with its reader thread. The thread runs while a subscription needs the device. Used only on
/// the context's thread.
///
/// ```
/// idle ── a subscription needs the device, `retry.time` is reached, and the context is open ──▶ active
/// active ── no subscription needs the device, or it delivers nothing and cannot be polled ──▶ leaving
/// leaving ── a subscription needs the device, and `retry.time` is reached ──▶ active
/// active, leaving ── the reader thread has ended ──▶ idle
/// leaving ── the reader thread does not end within 30 s, so it is abandoned ──▶ idle
/// ```
///
/// If four abandoned threads of the context are still running, the reader thread is not abandoned, and the device stays
/// `leaving`. When a device is unplugged, the supervisor asks its reader thread to end and forgets the device.
final class ActiveDevice {
    enum State {
        case idle
        /// The monitor is nil until the reader's stage has been checked for the first time.
        case active(DeviceReader, StageMonitor?)
        case leaving(DeviceReader, since: BootTime)
    }

    struct StageMonitor {
        let stageNumber: Int
        let detector: StallDetector
    }

    /// The description of the device in one context, and the context itself, which readers keep open.
    struct Discovery {
        let group: DeviceGroup
        let connection: any IIOConnection
    }

    private(set) var discovery: Discovery
    /// A newer discovery of the device, which replaces `discovery` when the device becomes idle.
    private var update: Discovery?
    private(set) var state = State.idle
    /// Determines whether the next plan uses the buffer or polls attributes. Kept while the device is idle.
    var bufferUse: BufferUse
    /// A copy of the current or last reader's facts. The next reader starts with this `clockEstimate`.
    var facts = DeviceReader.Facts()
    /// The plan that the current subscriptions need, or nil if there are none. `reader.plan` is nil while the device is
    /// leaving, even if it is needed again.
    var requestedPlan: DeviceReadPlan?
    var retry: RetryTimer
    /// True after a failure has been reported, until the sensors deliver readings or no subscription needs the device.
    /// The failure of an unusable sensor, or of one that has not been found again, changes only the status in the hub.
    var isUnavailable = false

    init(_ discovery: Discovery, options: IIOSourceOptions) {
        self.discovery = discovery
        bufferUse = BufferUse(options: options)
        retry = RetryTimer(backoff: Backoff(first: options.initialRetryDelay, limit: options.maximumRetryDelay))
    }

    var group: DeviceGroup { discovery.group }

    var reader: DeviceReader? {
        switch state {
        case .idle: nil
        case .active(let reader, _), .leaving(let reader, _): reader
        }
    }

    // MARK: Transitions

    func start(_ reader: DeviceReader) { state = .active(reader, nil) }

    /// Passes the plan to the reader if it differs from the reader's current plan. A reader that has been asked to end
    /// has a nil plan, so passing a plan reactivates it.
    func continueReading(with plan: DeviceReadPlan, now: BootTime) {
        guard let reader else { return }
        if reader.plan != plan {
            reader.set(plan, now: now)
            state = .active(reader, nil)
        }
    }

    /// Makes the reader thread set up the device again with the same plan.
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

    func finish() {
        state = .idle
        adoptUpdate()
    }

    /// Calls `update` with the stall detector for the given stage, which `make` creates if there is none yet. Returns
    /// nil if the device is not active.
    func updateDetector<Result>(
        of stage: DeviceReader.Stage, make: () -> StallDetector, update body: (inout StallDetector) -> Result
    ) -> Result? {
        guard case .active(let reader, let monitor) = state else { return nil }
        var detector = if let monitor, monitor.stageNumber == stage.number { monitor.detector } else { make() }
        let result = body(&detector)
        state = .active(reader, StageMonitor(stageNumber: stage.number, detector: detector))
        return result
    }

    func set(_ update: Discovery) {
        self.update = update
        if case .idle = state { adoptUpdate() }
    }

    private func adoptUpdate() {
        guard let update else { return }
        discovery = update
        self.update = nil
        bufferUse.resetAfterRediscovery()
    }

    // MARK: Queries

    /// `canStart` is true if the context is open.
    func deadline(canStart: Bool) -> BootTime {
        var deadline = BootTime.never
        if case .active(_, let monitor?) = state { deadline = monitor.detector.deadline }
        guard requestedPlan != nil else { return deadline }
        if let time = bufferUse.retryTime { deadline = min(deadline, time) }
        if case .idle = state, canStart { deadline = min(deadline, retry.time) }
        return deadline
    }

    var descriptions: [SensorDescription] {
        group.members.map { member in
            var description = member.description
            if bufferUse.failure != nil || facts.isPolled {
                description.mode = .polled
                description.clock = ""
            } else if !facts.clock.isEmpty {
                description.clock = facts.clock
            }
            description.remarks += facts.remarks
            if let failure = bufferUse.failure { description.remarks.append(failure) }
            return description
        }
    }
}

/// Schedules retries with a delay that grows with each failure.
struct RetryTimer {
    private var backoff: Backoff
    private(set) var time = BootTime.zero

    init(backoff: Backoff) { self.backoff = backoff }

    mutating func recordFailure(now: BootTime) { time = now.advanced(bySeconds: backoff.nextDelay()) }

    /// Resets the retry delay. The time of the next attempt does not change.
    mutating func resetDelay() { backoff.reset() }

    /// Brings the next attempt forward to the given time, unless it is due earlier.
    mutating func allow(at time: BootTime) { self.time = min(self.time, time) }

    mutating func postpone(to time: BootTime) { self.time = max(self.time, time) }
}
