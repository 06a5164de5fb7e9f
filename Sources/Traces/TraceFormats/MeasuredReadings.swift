// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// The motion readings of a trace in the order in which they were measured. A trace has them in the order in which they
/// came, where those of one sensor may come later than those of another.
///
/// Memory holds a window of readings, however long the trace is. Of those of one sensor and one time the first counts.
struct MeasuredReadings {
    /// A reading.
    struct Reading {
        /// The sensor's place in ``MeasuredReadings/sensors``.
        var sensor: Int
        /// Nanoseconds since ``MeasuredReadings/start``.
        var time: Int64
        var value: SIMD3<Double>
    }

    /// A sensor, and what its readings are like.
    struct Sensor {
        var description: SensorDescription
        var count = 0
        /// The reading that came first.
        var first = SIMD3<Double>()
        fileprivate var last: Int64?
        fileprivate var intervals: [Int64] = []

        /// The usual rate in hertz; nil when it cannot be told.
        var rate: Double? {
            let median = intervals.sorted().dropFirst(intervals.count / 2).first ?? 0
            return median > 0 ? 1e9 / Double(median) : nil
        }
    }

    /// So many readings wait for earlier ones.
    static let window = 1 << 15
    /// So many intervals tell a rate.
    private static let maximumIntervals = 1001

    /// All sensors of the trace, those without readings too.
    private(set) var sensors: [Sensor]
    /// Civil time at time zero; nil when the trace does not say. Nothing is before it.
    private(set) var start: WallTime?
    /// What is no reading.
    private(set) var leftOut = LeftOut()
    /// Readings that have the time of another one of the same sensor.
    private(set) var repeatedCount = 0
    /// Readings that came so late that later ones had been given away.
    private(set) var lateCount = 0
    /// The lines of the trace that could not be read in full.
    private(set) var diagnostics = InputDiagnostics()

    private let bytes: TraceBytes
    private var cursor: TraceCursor
    private var waiting = TimeHeap<(sensor: Int, value: SIMD3<Double>)>()
    private var shift: Int64 = 0
    /// The last times that were given, by sensor.
    private var given: [Int64?] = []
    private var isAtEnd = false

    /// Goes through the trace once. The error says that there are no readings.
    init(_ trace: TraceFile) throws(DeviceError) {
        bytes = trace.bytes
        cursor = TraceCursor(trace)
        sensors = trace.findSensors().map { Sensor(description: $0) }
        given = sensors.map { _ in nil }
        start = trace.start
        leftOut.add(batteryOf: trace.header)
        var earliest: Int64 = 0
        var survey = cursor
        while let record = bytes.withUnsafeBytes({ survey.next($0) }) {
            guard let (index, time, value) = reading(of: record) else {
                leftOut.add(record.kind)
                continue
            }
            earliest = min(earliest, time)
            note(value, at: time, of: index)
        }
        diagnostics = survey.diagnostics
        shift = earliest == .min ? .max : -earliest
        start = start.map { WallTime(nanoseconds: $0.nanoseconds.subtractingSaturated(shift)) }
        guard sensors.contains(where: { $0.count > 0 }) else {
            throw DeviceError(.invalidTrace, "\(trace.name) holds no motion readings.")
        }
    }

    /// The next reading; nil at the end.
    mutating func next() -> Reading? {
        while true {
            while !isAtEnd, waiting.count < Self.window {
                guard let record = bytes.withUnsafeBytes({ cursor.next($0) }) else {
                    isAtEnd = true
                    break
                }
                guard let (index, time, value) = reading(of: record) else { continue }
                waiting.insert((index, value), at: time.addingSaturated(shift))
            }
            guard let (reading, time) = waiting.removeEarliest() else { return nil }
            if let last = given[reading.sensor], time <= last {
                if time == last { repeatedCount += 1 } else { lateCount += 1 }
                continue
            }
            given[reading.sensor] = time
            return Reading(sensor: reading.sensor, time: time, value: reading.value)
        }
    }

    /// Remarks about readings that were not given, and lines that could not be read.
    var remarks: [String] {
        var remarks = diagnostics.remarks
        remarks.tell(repeatedCount, "readings had the time of another one of their sensor and were left out.")
        remarks.tell(lateCount, "readings came more than \(Self.window) readings too late and were left out.")
        return remarks + leftOut.remarks()
    }

    private func reading(of record: TraceRecord) -> (sensor: Int, time: Int64, value: SIMD3<Double>)? {
        guard let sample = record.sample, let time = sample.stamp ?? record.time,
            sensors.indices.contains(sample.sensor)
        else { return nil }
        return (sample.sensor, time, sample.value)
    }

    private mutating func note(_ value: SIMD3<Double>, at time: Int64, of index: Int) {
        if sensors[index].count == 0 { sensors[index].first = value }
        sensors[index].count += 1
        if let last = sensors[index].last, sensors[index].intervals.count < Self.maximumIntervals {
            sensors[index].intervals.append(time.subtractingSaturated(last))
        }
        sensors[index].last = time
    }
}
