// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// Processes the step engine's readings. The engine's lock protects the state.
struct StepEngineState: Sendable {
    /// The interval between updates and between checks of the last fix, in seconds.
    private static let updateInterval = 1.0
    /// The maximum age of a fix whose speed is used, in seconds.
    private static let maximumFixAge = 3.0
    /// The maximum horizontal error of a fix that is used to calibrate the step length, in metres at the 95 %
    /// confidence level. It corresponds to an error of 10 m at the 68 % level.
    private static let maximumHorizontalError = 16.2

    private var tracker = WalkTracker()
    private var pace = StepPace()
    private var lengths = StepLength()
    private var floors = FloorCounter()
    private var pressure = PressureAverager()
    /// The first averaged pressure, in kPa, which is the reference for heights.
    private var reference: Double?
    private(set) var log = StepLog()
    var hasUnstoredChanges = false

    /// The speed of the last fix in m/s, or nil if there is no recent fix with a speed.
    private var speed: Double?
    private var isSpeedAccurate = false
    private var nextFixCheck: BootTime?
    private var lastUpdate: BootTime?
    private var isWalking = false
    /// The steps that have not been reported yet.
    private var steps: [CountedStep] = []
    private var reportedAscended = 0
    private var reportedDescended = 0
    private var current: CurrentActivity?

    var lengthFactor: Double { lengths.factor }

    mutating func restore(_ stored: StepLog, lengthFactor: Double, now: Double) {
        log.merge(stored, now: now)
        lengths = StepLength(factor: lengthFactor)
    }

    /// Resets the detectors. Called when the first subscriber is added.
    mutating func start() {
        tracker = WalkTracker()
        pace.restart()
        (isWalking, current, steps) = (false, nil, [])
        (lastUpdate, nextFixCheck, speed) = (nil, nil, nil)
    }

    /// Records the end of the current activity. Called when the last subscriber has been removed.
    mutating func stop(at wallTime: WallTime) {
        guard current != nil else { return }
        log.add(StepLog.Activity(start: wallTime.seconds, activity: [], confidence: .low))
        current = nil
        hasUnstoredChanges = true
    }

    /// Returns the first update for a new subscriber: the totals since `start`, the current activity and the current
    /// pace.
    func initialUpdate(since start: WallTime?, now: BootTime, wallTime: WallTime) -> StepUpdate {
        var update = StepUpdate(time: now, wallTime: wallTime)
        update.previousTotals = start.map { log.totals(from: $0.seconds, to: wallTime.seconds) } ?? StepTotals()
        update.activity = current
        update.pace = pace.pace(at: now.seconds)
        return update
    }

    /// Updates the speed from the device's last fix, at most once a second.
    mutating func updateSpeed(from fix: PositionFix?, now: BootTime) {
        if let nextFixCheck, now < nextFixCheck, nextFixCheck.seconds(since: now) <= Self.updateInterval { return }
        nextFixCheck = now.advanced(bySeconds: Self.updateInterval)
        (speed, isSpeedAccurate) = (nil, false)
        guard let report = fix?.report, report.hasFix, report.speed >= 0, report.speed.isFinite,
            abs(now.seconds(since: report.arrival)) <= Self.maximumFixAge
        else { return }
        speed = report.speed
        isSpeedAccurate = report.horizontalError <= Self.maximumHorizontalError
    }

    /// Processes an accelerometer reading in m/s². Returns an update if one is due.
    mutating func process(
        _ acceleration: SIMD3<Double>, at time: BootTime, now: BootTime, wallTime: WallTime
    ) -> StepUpdate? {
        let update = tracker.update(acceleration, at: time.seconds, speed: speed)
        if update.hasSteps { recordSteps(now: now, wallTime: wallTime) }
        if update.hasActivity, let state = tracker.activity {
            let start = Self.wallTime(of: state.start, now: now, wallTime: wallTime)
            current = CurrentActivity(activity: state.activity, confidence: state.confidence, start: start, time: time)
            log.add(StepLog.Activity(start: start.seconds, activity: state.activity, confidence: state.confidence))
            hasUnstoredChanges = true
        }
        // Because the absolute value is compared, an update is also due after the clock is set back.
        let isDue = lastUpdate.map { abs(time.seconds(since: $0)) >= Self.updateInterval } ?? true
        let transition = transition(at: time, now: now, wallTime: wallTime)
        guard isDue || transition != nil || update.hasActivity else { return nil }
        if isDue { lastUpdate = time }
        return makeUpdate(at: time, now: now, wallTime: wallTime, transition: transition)
    }

    /// Processes barometer readings in kPa.
    mutating func process(pressures batch: MotionBatch) {
        for index in 0..<batch.count {
            guard let event = pressure.process(batch.values[index].x, at: batch.times[index]) else { continue }
            let reference = reference ?? event.pressure
            self.reference = reference
            floors.update(
                height: BarometricFormula.height(pressure: event.pressure, reference: reference),
                at: event.time.seconds)
        }
    }

    /// Returns an update with all unreported steps and floors. The update never reports the end of a walk, because
    /// later readings may contain more steps.
    mutating func update(_ now: BootTime, _ wallTime: WallTime) -> StepUpdate {
        makeUpdate(at: now, now: now, wallTime: wallTime, transition: nil)
    }

    /// Called when no further readings are expected.
    mutating func finalUpdate(now: BootTime, wallTime: WallTime) -> StepUpdate {
        let transition = transition(at: now, now: now, wallTime: wallTime)
        var update = makeUpdate(at: now, now: now, wallTime: wallTime, transition: transition)
        update.isLast = true
        return update
    }

    private mutating func recordSteps(now: BootTime, wallTime: WallTime) {
        for step in tracker.steps {
            let length = lengths.length(interval: step.interval, speed: isSpeedAccurate ? speed : nil)
            pace.add(step, length: length)
            floors.record(step: step.time)
            let counted = CountedStep(
                time: Self.wallTime(of: step.time, now: now, wallTime: wallTime), length: length,
                interval: step.interval ?? 0)
            log.add(counted)
            steps.append(counted)
        }
        hasUnstoredChanges = true
    }

    /// Returns a transition if walking has begun or ended since the previous call.
    private mutating func transition(at time: BootTime, now: BootTime, wallTime: WallTime) -> WalkTransition? {
        // Because the absolute difference is compared, the walk also ends if the clock is set back to long before the
        // last step. The timeout is extended by 0.5 s, more than the delay of step detection.
        let isWalkingNow = abs(time.seconds - pace.lastStep) <= StepPace.walkTimeout + 0.5
        guard isWalkingNow != isWalking else { return nil }
        isWalking = isWalkingNow
        let instant =
            isWalkingNow
            ? steps.first?.time ?? wallTime : Self.wallTime(of: pace.lastStep, now: now, wallTime: wallTime)
        return WalkTransition(isWalking: isWalkingNow, time: instant)
    }

    private mutating func makeUpdate(at time: BootTime, now: BootTime, wallTime: WallTime, transition: WalkTransition?)
        -> StepUpdate
    {
        var update = StepUpdate(time: time, wallTime: Self.wallTime(of: time.seconds, now: now, wallTime: wallTime))
        (update.floorsAscended, reportedAscended) = (floors.ascended - reportedAscended, floors.ascended)
        (update.floorsDescended, reportedDescended) = (floors.descended - reportedDescended, floors.descended)
        if update.floorsAscended + update.floorsDescended > 0 {
            log.add(ascended: update.floorsAscended, descended: update.floorsDescended, at: update.wallTime)
            hasUnstoredChanges = true
        }
        update.steps = steps
        steps = []
        update.pace = pace.pace(at: time.seconds)
        update.transition = transition
        update.activity = current
        return update
    }

    private static func wallTime(of seconds: Double, now: BootTime, wallTime: WallTime) -> WallTime {
        wallTime.advanced(bySeconds: seconds - now.seconds)
    }
}
