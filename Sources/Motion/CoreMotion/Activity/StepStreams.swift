// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

extension StreamSource<StepNews> {
    /// What the step engine tells; from that time on, where steps from before are wanted.
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

/// What a pedometer tells: everything since its start, at most once a second, and only what is new.
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

    /// What runs from that time on.
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
        // Also after a clock that was set back. At the end of a trace no other second follows.
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

/// What a pedometer tells of stopping and going on.
struct PedometerEvents: ReadingShaper {
    static func plan(_ device: Device) -> StreamPlan<PedometerEvents> {
        StreamPlan(source: .steps(of: device, StepRequest())) { PedometerEvents() }
    }

    mutating func take(_ news: StepNews, into mailbox: inout Mailbox<WalkTurn>) {
        if let turn = news.turn { mailbox.add(turn) }
    }
}

/// What a step counter tells: the steps since its start, each time that there are so many more.
struct StepCounts: ReadingShaper {
    /// Steps, and when the last one was.
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

/// What an activity manager tells: each activity, and each change of how sure it is.
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
