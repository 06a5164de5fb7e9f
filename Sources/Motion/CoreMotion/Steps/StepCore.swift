// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// The state of the step engine and the processing of its readings. Protected by the engine's lock.
struct StepCore: Sendable {
    /// The interval between updates, in seconds.
    private static let beat = 1.0
    /// The maximum age of a fix whose speed is used, in seconds.
    private static let freshness = 3.0
    /// The maximum horizontal error of a fix that calibrates the step length, in metres at 95 %. Corresponds to 10 m at
    /// 68 %.
    private static let accuracy = 16.2

    private var tracker = WalkTracker()
    private var pace = StepPace()
    private var lengths = StepLength()
    private var floors = FloorCounter()
    private var pressure = MeanPressure()
    private var reference: Double?
    private(set) var log = StepLog()
    /// True if the log contains changes that have not been stored.
    var hasNews = false

    private var speed: Double?
    private var hasGoodSpeed = false
    private var nextLook: BootTime?
    private var lastBeat: BootTime?
    private var isWalking = false
    /// The steps counted since the last update.
    private var steps: [CountedStep] = []
    private var toldAscended = 0
    private var toldDescended = 0
    private var current: CurrentActivity?

    var lengthFactor: Double { lengths.factor }

    // MARK: Start and end

    /// Merges the stored log and sets the stored step length factor.
    mutating func begin(with stored: StepLog, lengthFactor: Double, now: Double) {
        log.merge(stored, now: now)
        lengths = StepLength(factor: lengthFactor)
    }

    /// Resets the detectors when the first subscriber is added.
    mutating func begin() {
        tracker = WalkTracker()
        pace.restart()
        isWalking = false
        current = nil
        steps = []
        (lastBeat, nextLook, speed) = (nil, nil, nil)
    }

    /// Records the end of the current activity when the last subscriber has been removed.
    mutating func end(_ wallTime: WallTime) {
        guard current != nil else { return }
        log.add(StepLog.Activity(start: wallTime.seconds, activity: [], confidence: .low))
        current = nil
        hasNews = true
    }

    /// Returns the first update for a new subscriber: the totals since `start`, the current activity and the current
    /// pace.
    func firstNews(since start: WallTime?, now: BootTime, wallTime: WallTime) -> StepNews {
        var news = StepNews(time: now, wallTime: wallTime)
        news.history = start.map { log.totals(from: $0.seconds, to: wallTime.seconds) } ?? StepTotals()
        news.activity = current
        news.pace = pace.pace(at: now.seconds)
        return news
    }

    // MARK: Readings

    /// Updates the speed from the device's last fix, at most once a second.
    mutating func look(at fix: PositionFix?, now: BootTime) {
        if let nextLook, now < nextLook, nextLook.seconds(since: now) <= Self.beat { return }
        nextLook = now.advanced(bySeconds: Self.beat)
        speed = nil
        hasGoodSpeed = false
        guard let report = fix?.report, report.hasFix, report.speed >= 0, report.speed.isFinite,
            abs(now.seconds(since: report.arrival)) <= Self.freshness
        else { return }
        speed = report.speed
        hasGoodSpeed = report.horizontalError <= Self.accuracy
    }

    /// Processes a reading of the accelerometer, in m/s². Returns an update if one is due.
    mutating func take(
        _ acceleration: SIMD3<Double>, at time: BootTime, now: BootTime, wallTime: WallTime
    ) -> StepNews? {
        let news = tracker.take(acceleration, at: time.seconds, speed: speed)
        if news.hasSteps { count(now: now, wallTime: wallTime) }
        if news.hasActivity, let state = tracker.activity {
            current = CurrentActivity(
                activity: state.activity, confidence: state.confidence,
                start: Self.civil(state.start, now: now, wallTime: wallTime), time: time)
            if let current {
                log.add(
                    StepLog.Activity(
                        start: current.start.seconds, activity: current.activity, confidence: current.confidence))
                hasNews = true
            }
        }
        // The absolute value also covers a clock that was set back.
        let isDue = lastBeat.map { abs(time.seconds(since: $0)) >= Self.beat } ?? true
        let turn = self.turn(at: time, now: now, wallTime: wallTime)
        guard isDue || turn != nil || news.hasActivity else { return nil }
        if isDue { lastBeat = time }
        return self.news(at: time, now: now, wallTime: wallTime, turn: turn)
    }

    /// Processes readings of the barometer, in kilopascals.
    mutating func take(pressures batch: MotionBatch) {
        for index in 0..<batch.count {
            guard let event = pressure.take(batch.values[index].x, at: batch.times[index]) else { continue }
            let reference = reference ?? event.pressure
            self.reference = reference
            floors.take(
                height: BarometricFormula.height(pressure: event.pressure, reference: reference),
                at: event.time.seconds)
        }
    }

    /// Returns an update with everything counted so far. Never reports the end of a walk, because readings that have
    /// not arrived yet may contain further steps.
    mutating func news(_ now: BootTime, _ wallTime: WallTime) -> StepNews {
        news(at: now, now: now, wallTime: wallTime, turn: nil)
    }

    /// Returns the final update when no further readings are expected.
    mutating func lastNews(now: BootTime, wallTime: WallTime) -> StepNews {
        let turn = turn(at: now, now: now, wallTime: wallTime)
        var news = news(at: now, now: now, wallTime: wallTime, turn: turn)
        news.isLast = true
        return news
    }

    private mutating func count(now: BootTime, wallTime: WallTime) {
        for step in tracker.steps {
            let length = lengths.length(interval: step.interval, speed: hasGoodSpeed ? speed : nil)
            pace.add(step, length: length)
            floors.note(step: step.time)
            let counted = CountedStep(
                time: Self.civil(step.time, now: now, wallTime: wallTime), length: length,
                interval: step.interval ?? 0)
            log.add(counted)
            steps.append(counted)
        }
        hasNews = true
    }

    /// Returns a transition if walking has begun or ended since the last call.
    private mutating func turn(at time: BootTime, now: BootTime, wallTime: WallTime) -> WalkTurn? {
        // The absolute value excludes a last step that lies in the future because the clock was set back.
        let walks = abs(time.seconds - pace.lastStep) <= StepPace.pause + 0.5
        guard walks != isWalking else { return nil }
        isWalking = walks
        let instant =
            walks ? steps.first?.time ?? wallTime : Self.civil(pace.lastStep, now: now, wallTime: wallTime)
        return WalkTurn(isWalking: walks, time: instant)
    }

    private mutating func news(at time: BootTime, now: BootTime, wallTime: WallTime, turn: WalkTurn?) -> StepNews {
        var news = StepNews(time: time, wallTime: Self.civil(time.seconds, now: now, wallTime: wallTime))
        (news.floorsAscended, toldAscended) = (floors.ascended - toldAscended, floors.ascended)
        (news.floorsDescended, toldDescended) = (floors.descended - toldDescended, floors.descended)
        if news.floorsAscended + news.floorsDescended > 0 {
            log.add(ascended: news.floorsAscended, descended: news.floorsDescended, at: news.wallTime)
            hasNews = true
        }
        news.steps = steps
        steps = []
        news.pace = pace.pace(at: time.seconds)
        news.turn = turn
        news.activity = current
        return news
    }

    private static func civil(_ seconds: Double, now: BootTime, wallTime: WallTime) -> WallTime {
        wallTime.advanced(bySeconds: seconds - now.seconds)
    }
}
