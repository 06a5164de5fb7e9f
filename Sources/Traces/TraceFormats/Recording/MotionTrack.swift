// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Trace

/// The readings of one sensor in memory.
///
/// The values are as a source delivers them: in the unit of the sensor's kind (m/s², rad/s, gauss, kPa), in the
/// sensor's own axes, before its mount matrix is applied. Acceleration is proper acceleration: +9.81 on the axis that
/// points up. A scalar is in the first component.
public struct MotionTrack: Sendable, Hashable {
    /// The sensor that took the readings.
    public var sensor: SensorDescription
    /// The time of each reading in nanoseconds since the start of the recording. Strictly increasing after
    /// ``sortAndRemoveDuplicates()``.
    public private(set) var times: [Int64]
    /// The readings, one for each element of ``times``.
    public private(set) var values: [SIMD3<Double>]

    /// Creates an empty track.
    public init(_ sensor: SensorDescription) {
        self.sensor = sensor
        times = []
        values = []
    }

    /// The number of readings.
    public var count: Int { times.count }

    /// Appends a reading. Readings may be appended in any order; ``sortAndRemoveDuplicates()`` sorts them.
    public mutating func append(_ value: SIMD3<Double>, at time: Int64) {
        times.append(time)
        values.append(value)
    }

    /// Reserves capacity for `count` readings.
    mutating func reserve(_ count: Int) {
        times.reserveCapacity(count)
        values.reserveCapacity(count)
    }

    /// Sorts the readings by time, and removes all but the first of several readings with the same time.
    ///
    /// - Returns: The number of readings that were out of order, and the number of removed readings.
    @discardableResult
    public mutating func sortAndRemoveDuplicates() -> (misplaced: Int, repeated: Int) {
        guard zip(times, times.dropFirst()).contains(where: { $1 <= $0 }) else { return (0, 0) }
        let misplaced = zip(times, times.dropFirst()).count { $1 < $0 }
        if misplaced > 0 {
            let order = times.sortedIndices
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

    /// Removes readings with values that a trace cannot contain, and returns their number.
    mutating func removeImpossibleValues() -> Int {
        let kept = values.indices.filter { TraceSample.isValid(values[$0]) }
        let refused = values.count - kept.count
        guard refused > 0 else { return 0 }
        times = kept.map { times[$0] }
        values = kept.map { values[$0] }
        return refused
    }

    /// Adds an offset to all times.
    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }

    /// The points at which the clock was set back. The readings must be in the order of the file.
    var clockSteps: [ClockStepBack] { times.clockSteps { values[$0] == values[$1] } }

    /// Shifts the readings taken after the clock was set back so that they follow the earlier ones.
    mutating func correct(_ steps: [ClockStepBack]) { times.correct(steps) }

    /// The typical sample rate in hertz, the reciprocal of the median interval. nil for fewer than two readings, or if
    /// the median is not positive.
    public var rate: Double? {
        // About a thousand intervals are enough for the median.
        let step = max(count / 1000, 1)
        let intervals = stride(from: 1, to: count, by: step).map { times[$0].subtractingSaturated(times[$0 - 1]) }
        guard !intervals.isEmpty else { return nil }
        let median = intervals.sorted()[intervals.count / 2]
        return median > 0 ? 1e9 / Double(median) : nil
    }
}

extension MotionTrack {
    /// Creates an empty track of a sensor of which only the kind is known. The kind is also its identifier.
    ///
    /// - Parameter source: The file or folder of the recording.
    init(_ kind: SensorKind, from source: String) {
        var sensor = SensorDescription(id: kind.rawValue, kind: kind)
        sensor.source = source
        sensor.mode = .recorded
        sensor.mountMatrixOrigin = "none given"
        self.init(sensor)
    }
}

extension [Int64] {
    /// The indices of the times in chronological order. The sort is stable.
    var sortedIndices: [Int] { indices.sorted { (self[$0], $0) < (self[$1], $1) } }

    mutating func shift(by nanoseconds: Int64) {
        guard nanoseconds != 0 else { return }
        for index in indices { self[index] = self[index].addingSaturated(nanoseconds) }
    }
}
