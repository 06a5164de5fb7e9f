// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Trace

/// The readings of one sensor, stored in memory.
///
/// Values are in the unit of the sensor kind (m/s², rad/s, gauss, kPa) and in the sensor's axes, before the mount
/// matrix is applied. Acceleration is proper acceleration: +9.81 on the axis that points up. The value of a scalar
/// sensor is in the first component.
public struct MotionTrack: Sendable, Hashable {
    /// The sensor that produced the readings.
    public var sensor: SensorDescription
    /// The time of each reading, in nanoseconds since the start of the recording. Strictly increasing after an import.
    public private(set) var times: [Int64]
    /// The readings, one for each element of ``times``.
    public private(set) var values: [SIMD3<Double>]

    package init(_ sensor: SensorDescription) {
        self.sensor = sensor
        times = []
        values = []
    }

    package var count: Int { times.count }

    /// Appends a reading. Readings may be appended in any order.
    package mutating func append(_ value: SIMD3<Double>, at time: Int64) {
        times.append(time)
        values.append(value)
    }

    mutating func reserve(_ count: Int) {
        times.reserveCapacity(count)
        values.reserveCapacity(count)
    }

    /// Sorts the readings by time. If several readings have the same time, only the first is kept. Returns the number
    /// of readings that were out of order and the number that were removed.
    @discardableResult package mutating func sortAndRemoveDuplicates() -> (misplaced: Int, repeated: Int) {
        guard zip(times, times.dropFirst()).contains(where: { $1 <= $0 }) else { return (0, 0) }
        let misplaced = times.sort(with: &values)
        var uniqueCount = 0
        for index in times.indices where uniqueCount == 0 || times[index] != times[uniqueCount - 1] {
            times[uniqueCount] = times[index]
            values[uniqueCount] = values[index]
            uniqueCount += 1
        }
        let repeated = times.count - uniqueCount
        times.removeLast(repeated)
        values.removeLast(repeated)
        return (misplaced, repeated)
    }

    /// Removes readings that a trace cannot contain, and returns their number.
    mutating func removeImpossibleValues() -> Int {
        let validIndices = values.indices.filter { TraceSample.isValid(values[$0]) }
        let invalidCount = values.count - validIndices.count
        guard invalidCount > 0 else { return 0 }
        times = validIndices.map { times[$0] }
        values = validIndices.map { values[$0] }
        return invalidCount
    }

    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }

    /// The points at which the clock was set back. The readings must be in file order.
    var clockSteps: [ClockStepBack] { times.clockSteps { values[$0] == values[$1] } }

    mutating func correct(_ steps: [ClockStepBack]) { times.correct(steps) }

    /// The sample rate in hertz, computed from the median interval. nil if there are fewer than two readings or the
    /// median is not positive.
    package var rate: Double? {
        // The median is computed from about a thousand intervals.
        let step = max(count / 1000, 1)
        let intervals = stride(from: 1, to: count, by: step).map { times[$0].subtractingSaturated(times[$0 - 1]) }
        guard !intervals.isEmpty else { return nil }
        let median = intervals.sorted()[intervals.count / 2]
        return median > 0 ? 1e9 / Double(median) : nil
    }
}

extension MotionTrack {
    /// Creates an empty track. The sensor's identifier is the name of its kind.
    init(_ kind: SensorKind, from source: String) {
        var sensor = SensorDescription(id: kind.rawValue, kind: kind)
        sensor.source = source
        sensor.mode = .recorded
        sensor.mountMatrixOrigin = "none given"
        self.init(sensor)
    }
}

extension [Int64] {
    /// Sorts the times and their values, and returns the number of times that were out of order. The sort is stable.
    mutating func sort<Value>(with values: inout [Value]) -> Int {
        let misplaced = zip(self, dropFirst()).count { $1 < $0 }
        guard misplaced > 0 else { return 0 }
        let order = indices.sorted { (self[$0], $0) < (self[$1], $1) }
        self = order.map { self[$0] }
        values = order.map { values[$0] }
        return misplaced
    }

    mutating func shift(by nanoseconds: Int64) {
        guard nanoseconds != 0 else { return }
        for index in indices { self[index] = self[index].addingSaturated(nanoseconds) }
    }
}

extension MotionTrack {
    private static let minimumCount = 5

    /// Returns a remark if the readings are implausible on Earth, for example because the unit is wrong.
    ///
    /// - An accelerometer at rest reads 9.8 m/s². If the device is carried, the median magnitude is between 4 and 40
    ///   m/s².
    /// - Gyroscopes in phones and on boards measure up to 2000 degrees per second, or 35 rad/s.
    /// - Air pressure is 31 kPa on Mount Everest and at most 108 kPa at sea level.
    /// - The Earth's magnetic field is 0.22 to 0.67 gauss. Near iron, it may be several times stronger.
    func plausibilityRemark(unitHint: (_ quantity: String, _ unit: String) -> String) -> String? {
        guard count >= Self.minimumCount else { return nil }
        let sorted = sortedMagnitudes
        let median = sorted[sorted.count / 2]
        func rounded(_ value: Double) -> String {
            value == 0
                ? "0"
                : value.magnitude < 0.001 || value.magnitude >= 1e6 ? "\(value)" : "\((value * 1000).rounded() / 1000)"
        }
        switch sensor.kind {
        case .accelerometer where median < 4:
            return
                "The acceleration has a median of \(rounded(median)) m/s²; at rest it should be 9.8. Is it in g, or without gravity? \(unitHint("accel.x", "g"))"
        case .accelerometer where median > 40:
            return
                "The acceleration has a median of \(rounded(median)) m/s²; at rest it should be 9.8. Is it in mg or cm/s²? \(unitHint("accel.x", "mg"))"
        case .gyroscope where sorted[sorted.count * 95 / 100] > 40:
            return
                "The angular rate reaches \(rounded(sorted[sorted.count * 95 / 100])) rad/s; gyroscopes measure up to about 35. Is it in degrees per second? \(unitHint("gyro.x", "deg/s"))"
        case .pressure where median > 120:
            return
                "The air pressure has a median of \(rounded(median)) kPa; on Earth it is 30 to 110. Is it in \(median > 10_000 ? "Pa" : "hPa")? \(unitHint("pressure", median > 10_000 ? "Pa" : "hPa"))"
        case .pressure where median < 25:
            return
                "The air pressure has a median of \(rounded(median)) kPa; on Earth it is 30 to 110. Is it in bar or another unit?"
        case .magnetometer where median > 5 || median < 0.02:
            return
                "The magnetic field has a median of \(rounded(median)) gauss; the Earth's is 0.22 to 0.67. Is it in another unit? \(unitHint("mag.x", median > 5 ? "nT" : "G"))"
        default: return nil
        }
    }

    /// The sorted magnitudes of about a thousand evenly spaced readings.
    var sortedMagnitudes: [Double] {
        stride(from: 0, to: count, by: max(count / 1000, 1)).map { index in
            let value = values[index]
            return (value * value).sum().squareRoot()
        }.sorted()
    }
}
