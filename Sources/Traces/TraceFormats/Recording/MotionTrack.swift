// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Trace

/// The readings of one sensor, in memory.
///
/// The values are those that a source gives: in the unit of the sensor's kind (m/s², rad/s, gauss, kPa), in the sensor's
/// own axes, before its mount matrix. Acceleration is proper acceleration: +9.81 on the axis that points up. A scalar
/// stands in the first component.
public struct MotionTrack: Sendable, Hashable {
    /// The sensor.
    public var sensor: SensorDescription
    /// When each reading was taken, in nanoseconds since the start of the recording; rising.
    public private(set) var times: [Int64]
    /// The readings; one for each time.
    public private(set) var values: [SIMD3<Double>]

    /// An empty track of that sensor.
    public init(_ sensor: SensorDescription) {
        self.sensor = sensor
        times = []
        values = []
    }

    /// The number of readings.
    public var count: Int { times.count }

    /// Adds a reading. The order may be set right later, with ``settle()``.
    public mutating func append(_ value: SIMD3<Double>, at time: Int64) {
        times.append(time)
        values.append(value)
    }

    /// Makes room for that many readings.
    mutating func reserve(_ count: Int) {
        times.reserveCapacity(count)
        values.reserveCapacity(count)
    }

    /// Puts the readings in the order of their times and drops all but the first of those that share one.
    ///
    /// - Returns: how many stood out of order, and how many were dropped.
    @discardableResult
    public mutating func settle() -> (misplaced: Int, repeated: Int) {
        guard zip(times, times.dropFirst()).contains(where: { $1 <= $0 }) else { return (0, 0) }
        let misplaced = zip(times, times.dropFirst()).count { $1 < $0 }
        if misplaced > 0 {
            let order = times.placesInOrder
            times = order.map { times[$0] }
            values = order.map { values[$0] }
        }
        var kept = 0
        for index in times.indices where kept == 0 || times[index] != times[kept - 1] {
            times[kept] = times[index]
            values[kept] = values[index]
            kept += 1
        }
        let repeated = times.count - kept
        times.removeLast(repeated)
        values.removeLast(repeated)
        return (misplaced, repeated)
    }

    /// Drops readings whose numbers no trace takes; how many those were.
    mutating func refuseImpossibleValues() -> Int {
        let kept = values.indices.filter { TraceSample.isUsable(values[$0]) }
        let refused = values.count - kept.count
        guard refused > 0 else { return 0 }
        times = kept.map { times[$0] }
        values = kept.map { values[$0] }
        return refused
    }

    /// Moves all times.
    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }

    /// Where the clock was set back, in the order of the file.
    var clockSteps: [ClockStep] { times.clockSteps { values[$0] == values[$1] } }

    /// Moves what a clock that was set back measured behind what came before.
    mutating func undo(_ steps: [ClockStep]) { times.undo(steps) }

    /// The usual rate in hertz: one over the median of the intervals; nil for fewer than two readings.
    public var rate: Double? {
        // A thousand intervals tell the rate as well as all of them.
        let step = max(count / 1000, 1)
        let intervals = stride(from: 1, to: count, by: step).map { times[$0].subtractingSaturated(times[$0 - 1]) }
        guard !intervals.isEmpty else { return nil }
        let median = intervals.sorted()[intervals.count / 2]
        return median > 0 ? 1e9 / Double(median) : nil
    }
}

extension MotionTrack {
    /// An empty track of a sensor that is known by its kind only, and called like it.
    ///
    /// - Parameter source: the file or folder that it comes from.
    init(_ kind: SensorKind, from source: String) {
        var sensor = SensorDescription(id: kind.rawValue, kind: kind)
        sensor.source = source
        sensor.mode = .recorded
        sensor.mountMatrixOrigin = "none given"
        self.init(sensor)
    }
}

extension [Int64] {
    /// The places of these times in their order, those of one time as they stand.
    var placesInOrder: [Int] { indices.sorted { (self[$0], $0) < (self[$1], $1) } }

    mutating func shift(by nanoseconds: Int64) {
        guard nanoseconds != 0 else { return }
        for index in indices { self[index] = self[index].addingSaturated(nanoseconds) }
    }
}
