// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// Iterates over the motion readings of a trace in order of measurement time. The trace contains them in order of
/// arrival, which may differ. If several readings of a sensor have the same time, only the first is returned.
struct SortedReadings {
    struct Reading {
        /// The index of the sensor in ``SortedReadings/sensors``.
        var sensor: Int
        /// The measurement time, in nanoseconds since ``SortedReadings/start``.
        var time: Int64
        var value: SIMD3<Double>
    }

    /// A sensor and statistics about its readings.
    struct Sensor {
        var description: SensorDescription
        var count = 0
        var first = SIMD3<Double>()
        fileprivate var last: Int64?
        fileprivate var intervals: [Int64] = []

        /// The sample rate in hertz, computed from the median interval, or nil if unknown.
        var rate: Double? {
            let median = intervals.sorted().dropFirst(intervals.count / 2).first ?? 0
            return median > 0 ? 1e9 / Double(median) : nil
        }
    }

    /// The maximum number of readings buffered for sorting.
    static let window = 1 << 15
    private static let maximumIntervals = 1001
    /// All sensors of the trace, including those without readings.
    private(set) var sensors: [Sensor]
    /// The civil time at time zero, or nil if unknown. All readings are at time zero or later.
    private(set) var start: WallTime?
    private(set) var skippedContent = SkippedContent()
    /// The number of readings omitted because an earlier reading of the same sensor had the same time.
    private(set) var repeatedCount = 0
    /// The number of readings omitted because a later reading of the same sensor had already been returned.
    private(set) var lateCount = 0
    private(set) var diagnostics = InputDiagnostics()
    private let bytes: TraceBytes
    private var cursor: TraceCursor
    private var buffer = TimeHeap<(sensor: Int, value: SIMD3<Double>)>()
    /// The offset, in nanoseconds, that is added to all times. If the earliest reading has a negative time, the offset
    /// moves that reading to time zero. Otherwise, it is 0.
    private(set) var shift: Int64 = 0
    private var lastReturnedTimes: [Int64?] = []
    private var isAtEnd = false

    /// Scans the trace to collect the sensors. Throws an error if the trace contains no motion readings.
    init(_ trace: TraceFile) throws(DeviceError) {
        bytes = trace.bytes
        cursor = TraceCursor(trace)
        sensors = trace.findSensors().map { Sensor(description: $0) }
        lastReturnedTimes = sensors.map { _ in nil }
        start = trace.start
        skippedContent.add(batteryOf: trace.header)
        var earliest: Int64 = 0
        var scanCursor = cursor
        while let record = bytes.withUnsafeBytes({ scanCursor.next($0) }) {
            guard let (index, time, value) = reading(of: record) else {
                skippedContent.add(record.kind)
                continue
            }
            earliest = min(earliest, time)
            updateStatistics(with: value, at: time, sensor: index)
        }
        diagnostics = scanCursor.diagnostics
        shift = earliest == .min ? .max : -earliest
        start = start.map { WallTime(nanoseconds: $0.nanoseconds.subtractingSaturated(shift)) }
        guard sensors.contains(where: { $0.count > 0 }) else {
            throw .invalidTrace("\(trace.name) contains no motion readings.")
        }
    }

    mutating func next() -> Reading? {
        while true {
            while !isAtEnd, buffer.count < Self.window {
                guard let record = bytes.withUnsafeBytes({ cursor.next($0) }) else {
                    isAtEnd = true
                    break
                }
                guard let (index, time, value) = reading(of: record) else { continue }
                buffer.insert((index, value), at: time.addingSaturated(shift))
            }
            guard let (reading, time) = buffer.removeEarliest() else { return nil }
            if let last = lastReturnedTimes[reading.sensor], time <= last {
                if time == last { repeatedCount += 1 } else { lateCount += 1 }
                continue
            }
            lastReturnedTimes[reading.sensor] = time
            return Reading(sensor: reading.sensor, time: time, value: reading.value)
        }
    }

    /// Remarks about the readings, but not about other content of the trace.
    var remarks: [String] {
        var remarks = diagnostics.remarks
        remarks.appendRemark(
            count: repeatedCount, "readings had the same time as another reading of their sensor and were omitted.")
        remarks.appendRemark(count: lateCount, "readings were more than \(Self.window) readings late and were omitted.")
        return remarks
    }

    private func reading(of record: TraceRecord) -> (sensor: Int, time: Int64, value: SIMD3<Double>)? {
        guard let sample = record.sample, let time = sample.stamp ?? record.time,
            sensors.indices.contains(sample.sensor)
        else { return nil }
        return (sample.sensor, time, sample.value)
    }

    private mutating func updateStatistics(with value: SIMD3<Double>, at time: Int64, sensor index: Int) {
        if sensors[index].count == 0 { sensors[index].first = value }
        sensors[index].count += 1
        if let last = sensors[index].last, sensors[index].intervals.count < Self.maximumIntervals {
            sensors[index].intervals.append(time.subtractingSaturated(last))
        }
        sensors[index].last = time
    }
}
