// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

/// The contents of a trace that determine the servers' configuration: its sources, sensor losses and end.
struct TraceContents {
    struct SensorChange {
        var sensor: SensorDescription
        var isLost: Bool
        /// The time since the start of the trace, in nanoseconds.
        var time: Int64
    }

    static let maximumChanges = 10_000

    private(set) var sources: Set<SimulatedSource> = []
    private(set) var changes: [SensorChange] = []
    /// The earliest measurement time in nanoseconds, or 0 if no measurement time is negative.
    private(set) var firstStamp: Int64 = 0
    /// The times of the last event and of the last report, and the last positive interval between reports. All are in
    /// nanoseconds.
    private(set) var last: Int64 = 0
    private var lastReport: Int64 = 0
    private var step: Int64 = 1_000_000_000

    /// The time of the last report plus one interval, in nanoseconds.
    var reportsEnd: Int64 { lastReport.addingSaturated(step) }

    init(_ trace: TraceFile) {
        if trace.header?.devices.contains(where: { $0.kind == "gpsd" }) ?? false { sources.insert(.positions) }
        guard trace.hasArrivalTimes else {
            readReports(trace)
            return
        }
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            while let record = cursor.next(bytes) {
                let time = record.time ?? 0
                last = max(last, time)
                switch record.kind {
                case .gpsd, .gpsdText, .lost, .regained:
                    sources.insert(.positions)
                    recordReport(at: time)
                case .sample:
                    sources.insert(.motion)
                    let measured = record.sample?.stamp ?? time
                    firstStamp = min(firstStamp, measured)
                    last = max(last, measured)
                case .sensorLost, .sensorRegained:
                    guard let sensor = record.sensor, cursor.sensors.indices.contains(sensor),
                        changes.count < Self.maximumChanges
                    else { continue }
                    changes.append(
                        SensorChange(sensor: cursor.sensors[sensor], isLost: record.kind == .sensorLost, time: time))
                case .accessory: sources.insert(.accessories)
                case .battery, .beacon: break
                }
            }
        }
    }

    /// Reads the reports of a trace without arrival times. Such reports are played at their fix times.
    private mutating func readReports(_ trace: TraceFile) {
        var reading = TimedEventReader(trace)
        while let event = reading.next() {
            sources.insert(.positions)
            last = max(last, event.time ?? 0)
            recordReport(at: event.time ?? 0)
        }
    }

    private mutating func recordReport(at time: Int64) {
        if time > lastReport { step = time - lastReport }
        lastReport = time
    }
}
