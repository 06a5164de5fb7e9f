// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import NMEAFormat

/// Groups reports into measurements. A measurement consists of a position, the satellite reports before it and the
/// attitude reports after it. If the receiver's times have a low resolution, consecutive measurements may have the same
/// time. They are spread over the interval to the next time.
struct NMEAMeasurementGrouper {
    /// A report and its line number. `shift`, in nanoseconds, is added to the receiver's time when measurements with
    /// the same time are spread.
    struct Entry {
        var report: NMEAReport
        var line: Int
        var shift: Int64 = 0
    }

    /// The maximum number of reports in a measurement. Further reports begin a new measurement.
    private static let maximumReports = 16_384
    private var spreader = EqualTimeSpreader<[Entry]>()
    /// The receiver's time in the last report, in nanoseconds, or nil if that report contained no time.
    private var clock: Int64?
    private var measurement: [Entry] = []
    private var satellites: [Entry] = []
    /// The last fix that has the time `clock` and names no receiver, or nil if there is none.
    private var position: PositionReport?

    /// Appends a report. Completed measurements are appended to `complete`.
    mutating func append(_ report: NMEAReport, line: Int, to complete: inout [Entry]) {
        if report.epochTime != clock {
            finishMeasurement(&complete)
            // Entries without a time bypass the spreader, so the buffered entries are yielded first.
            if report.epochTime == nil { spreader.finish { Self.shift($0, to: $1, &complete) } }
            (clock, position) = (report.epochTime, nil)
        } else if measurement.count + satellites.count >= Self.maximumReports {
            finishMeasurement(&complete)
        }
        let entry = Entry(report: report, line: line)
        switch report.contents {
        case .attitude where satellites.isEmpty: measurement.append(entry)
        case .attitude, .sky: satellites.append(entry)
        case .position(let position):
            if let last = self.position, report.isRepeated, position.isOtherMeasurement(than: last) {
                // The reports in `satellites` precede this position and belong to its measurement.
                let satellites = satellites
                self.satellites.removeAll()
                finishMeasurement(&complete)
                self.satellites = satellites
            }
            if position.receiver.isEmpty, position.hasFix { self.position = position }
            measurement += satellites
            measurement.append(entry)
            satellites.removeAll(keepingCapacity: true)
        }
    }

    mutating func finish(_ complete: inout [Entry]) {
        finishMeasurement(&complete)
        spreader.finish { Self.shift($0, to: $1, &complete) }
    }

    private mutating func finishMeasurement(_ complete: inout [Entry]) {
        let entries = measurement + satellites
        measurement.removeAll(keepingCapacity: true)
        satellites.removeAll(keepingCapacity: true)
        guard let clock else {
            complete += entries
            return
        }
        guard !entries.isEmpty else { return }
        spreader.append(entries, at: clock, size: entries.count) { Self.shift($0, to: $1, &complete) }
    }

    private static func shift(_ entries: [Entry], to time: Int64, _ complete: inout [Entry]) {
        for var entry in entries {
            entry.shift = time.subtractingSaturated(entry.report.epochTime ?? time)
            complete.append(entry)
        }
    }
}

extension PositionReport {
    /// Returns true if this report and `other` are separate measurements: this report is a fix without a receiver name,
    /// and its coordinates, altitude, speed or course differ from those of `other`. If its altitude, speed or course is
    /// unknown, that value is not compared.
    fileprivate func isOtherMeasurement(than other: PositionReport) -> Bool {
        receiver.isEmpty && hasFix
            && (latitude != other.latitude || longitude != other.longitude
                || [\.altitudeMSL, \.speed, \.track].contains { (value: KeyPath<PositionReport, Double>) in
                    !self[keyPath: value].isNaN && self[keyPath: value] != other[keyPath: value]
                })
    }
}
