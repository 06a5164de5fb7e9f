// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

extension StreamSource<StepNews> {
    /// Returns a source of the step engine's updates, including earlier steps if the request has a start time.
    static func steps(of device: Device, _ request: StepRequest) -> StreamSource {
        StreamSource(isAvailable: { device.has(.accelerometer) }, endsLossesByInput: false) { _, _, receive in
            StepEngine.of(device).subscribe(request) { event in
                switch event {
                case .news(let news): receive(.input(news))
                case .lost(let error): receive(.lost(.accelerometer, error))
                case .regained: receive(.regained(.accelerometer))
                }
            }
        }
    }
}

/// A converter of the step engine's updates to pedometer data: the totals since the start, at most once a second, and
/// only if they have changed.
struct PedometerUpdates: ReadingShaper {
    private static let beat = 1.0

    private let start: WallTime
    private let countsFloors: Bool
    private var totals = StepTotals()
    private var hadPace = false
    private var isNew = false
    private var lastTold: BootTime?

    init(start: WallTime, countsFloors: Bool) {
        self.start = start
        self.countsFloors = countsFloors
    }

    /// Returns the plan for pedometer data since the start time.
    static func plan(_ device: Device, start: WallTime) -> StreamPlan<PedometerUpdates> {
        let countsFloors = device.has(.pressure)
        return StreamPlan(source: .steps(of: device, StepRequest(start: start, wantsFloors: countsFloors))) {
            PedometerUpdates(start: start, countsFloors: countsFloors)
        }
    }

    mutating func take(_ news: StepNews, into mailbox: inout Mailbox<CMPedometerData.Values>) {
        if let history = news.history {
            totals = history
            isNew = history != StepTotals()
            hadPace = news.pace != nil
        }
        for step in news.steps where step.time >= start {
            totals.add(step)
            isNew = true
        }
        totals.floorsAscended += news.floorsAscended
        totals.floorsDescended += news.floorsDescended
        if news.floorsAscended + news.floorsDescended > 0 || hadPace != (news.pace != nil) { isNew = true }
        hadPace = news.pace != nil
        // The absolute value also covers a clock that was set back. The last update of a trace is always due.
        let isDue = news.isLast || lastTold.map { abs(news.time.seconds(since: $0)) >= Self.beat } ?? true
        guard isNew, isDue else { return }
        isNew = false
        lastTold = news.time
        var values = CMPedometerData.Values(totals, from: start, to: news.wallTime, countsFloors: countsFloors)
        values.cadence = news.pace?.cadence
        values.pace = news.pace.flatMap { $0.speed > 0 ? 1 / $0.speed : nil }
        mailbox.add(values)
    }
}

/// A converter of the step engine's updates to pedometer events.
struct PedometerEvents: ReadingShaper {
    static func plan(_ device: Device) -> StreamPlan<PedometerEvents> {
        StreamPlan(source: .steps(of: device, StepRequest())) { PedometerEvents() }
    }

    mutating func take(_ news: StepNews, into mailbox: inout Mailbox<WalkTurn>) {
        if let turn = news.turn { mailbox.add(turn) }
    }
}

/// A converter of the step engine's updates to step counts: the total since the start, once for every `every` steps.
struct StepCounts: ReadingShaper {
    /// A number of steps and the time of the last one.
    struct Value: Sendable {
        var steps: Int
        var time: WallTime
    }

    private let start: WallTime
    private let every: Int
    private var steps = 0
    private var told = 0

    init(start: WallTime, every: Int) {
        self.start = start
        self.every = max(1, every)
    }

    static func plan(_ device: Device, every: Int) -> StreamPlan<StepCounts> {
        let start = device.clock.wallTime
        return StreamPlan(source: .steps(of: device, StepRequest(start: start))) {
            StepCounts(start: start, every: every)
        }
    }

    mutating func take(_ news: StepNews, into mailbox: inout Mailbox<Value>) {
        for step in news.steps where step.time >= start {
            steps += 1
            guard steps - told >= every else { continue }
            told = steps
            mailbox.add(Value(steps: steps, time: step.time))
        }
    }
}

/// A converter of the step engine's updates to activities: each new activity and each change of its confidence.
struct ActivityUpdates: ReadingShaper {
    private var last: CurrentActivity?

    static func plan(_ device: Device) -> StreamPlan<ActivityUpdates> {
        StreamPlan(source: .steps(of: device, StepRequest())) { ActivityUpdates() }
    }

    mutating func take(_ news: StepNews, into mailbox: inout Mailbox<CurrentActivity>) {
        guard let activity = news.activity, activity != last else { return }
        last = activity
        mailbox.add(activity)
    }
}
