// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SensorFusion

extension StreamSource<StepUpdate> {
    /// Returns a source that delivers the step engine's updates. If the request has a start time, the first update
    /// includes the steps counted since that time.
    static func steps(of device: Device, _ request: StepRequest) -> StreamSource {
        StreamSource(isAvailable: { device.has(.accelerometer) }, inputImpliesAvailable: false) { _, _, receive in
            StepEngine.of(device).subscribe(request) { event in
                switch event {
                case .update(let update): receive(.input(update))
                case .lost(let error): receive(.lost(.accelerometer, error))
                case .regained: receive(.regained(.accelerometer))
                }
            }
        }
    }
}

extension SensorStream where Converter.Input == StepUpdate {
    convenience init(device: Device, interval: TimeInterval, makeConverter: @escaping @Sendable () -> Converter) {
        let configuration = StreamConfiguration(source: .steps(of: device, StepRequest()), makeConverter: makeConverter)
        self.init(device: device, configuration: configuration, interval: interval)
    }
}

/// Converts the step engine's updates to pedometer data with the totals since `start`. Delivers data at most once a
/// second, and only after a change.
struct PedometerDataConverter: ReadingConverter {
    private static let updateInterval = 1.0

    private let start: WallTime
    private let countsFloors: Bool
    private var totals = StepTotals()
    private var hadPace = false
    private var hasChanged = false
    private var lastUpdate: BootTime?

    init(start: WallTime, countsFloors: Bool) { (self.start, self.countsFloors) = (start, countsFloors) }

    static func configuration(for device: Device, start: WallTime) -> StreamConfiguration<PedometerDataConverter> {
        let countsFloors = device.has(.pressure)
        return StreamConfiguration(source: .steps(of: device, StepRequest(start: start, needsFloors: countsFloors))) {
            PedometerDataConverter(start: start, countsFloors: countsFloors)
        }
    }

    mutating func process(_ update: StepUpdate, into callbacks: inout PendingMotionCallbacks<CMPedometerData.Values>) {
        if let history = update.previousTotals {
            totals = history
            hasChanged = history != StepTotals()
            hadPace = update.pace != nil
        }
        for step in update.steps where step.time >= start {
            totals.add(step)
            hasChanged = true
        }
        totals.floorsAscended += update.floorsAscended
        totals.floorsDescended += update.floorsDescended
        if update.floorsAscended + update.floorsDescended > 0 || hadPace != (update.pace != nil) { hasChanged = true }
        hadPace = update.pace != nil
        // Because the absolute value is compared, an update is also due after the clock is set back. The last update of
        // a trace is always due.
        let isDue =
            update.isLast || lastUpdate.map { abs(update.time.seconds(since: $0)) >= Self.updateInterval } ?? true
        guard hasChanged, isDue else { return }
        hasChanged = false
        lastUpdate = update.time
        var values = CMPedometerData.Values(totals, from: start, to: update.wallTime, countsFloors: countsFloors)
        values.cadence = update.pace?.cadence
        values.pace = update.pace.flatMap { $0.speed > 0 ? 1 / $0.speed : nil }
        callbacks.append(values)
    }
}

/// Delivers an event at the start and end of each walk.
struct PedometerEventConverter: ReadingConverter {
    mutating func process(_ update: StepUpdate, into callbacks: inout PendingMotionCallbacks<WalkTransition>) {
        if let transition = update.transition { callbacks.append(transition) }
    }
}

/// Converts the step engine's updates to the number of steps since `start`. Delivers the number after every
/// `stepsPerUpdate` steps.
struct StepCountConverter: ReadingConverter {
    struct Value: Sendable {
        var steps: Int
        var time: WallTime
    }

    private let start: WallTime
    private let stepsPerUpdate: Int
    private var steps = 0
    private var reportedSteps = 0

    init(start: WallTime, every: Int) {
        self.start = start
        self.stepsPerUpdate = max(1, every)
    }

    static func configuration(_ device: Device, every: Int) -> StreamConfiguration<StepCountConverter> {
        let start = device.clock.wallTime
        return StreamConfiguration(source: .steps(of: device, StepRequest(start: start))) {
            StepCountConverter(start: start, every: every)
        }
    }

    mutating func process(_ update: StepUpdate, into callbacks: inout PendingMotionCallbacks<Value>) {
        for step in update.steps where step.time >= start {
            steps += 1
            guard steps - reportedSteps >= stepsPerUpdate else { continue }
            reportedSteps = steps
            callbacks.append(Value(steps: steps, time: step.time))
        }
    }
}

/// Delivers each newly detected activity.
struct ActivityConverter: ReadingConverter {
    private var last: CurrentActivity?

    mutating func process(_ update: StepUpdate, into callbacks: inout PendingMotionCallbacks<CurrentActivity>) {
        guard let activity = update.activity, activity != last else { return }
        last = activity
        callbacks.append(activity)
    }
}
