// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import NMEAFormat

/// Groups reports into measurements, and spreads measurements of one time.
///
/// A receiver that measures more often than its times show gives several positions one time. ``EqualTimeSpreader`` spreads
/// them. The satellites in front of a position and the directions behind it belong to the same measurement.
struct NMEAReportRun {
    /// A report, the number of its line, and its distance in nanoseconds from the time of the receiver's clock.
    struct Entry {
        var report: NMEAReport
        var line: Int
        var shift: Int64 = 0
    }

    /// The maximum number of reports of one measurement; more of them begin another one.
    private static let maximumReports = 16_384

    private var spreader = EqualTimeSpreader<[Entry]>()
    /// The time of the receiver's clock; nil before the first.
    private var clock: Int64?
    /// The last measurement, which further reports may join.
    private var measurement: [Entry] = []
    /// The satellites of the next position.
    private var satellites: [Entry] = []
    /// The last position of this time.
    private var position: PositionReport?

    /// Appends a report, and moves the entries that it completes to the end of an array.
    mutating func append(_ report: NMEAReport, line: Int, to complete: inout [Entry]) {
        if report.clock != clock {
            finishMeasurement(&complete)
            if report.clock == nil { spreader.finish { Self.shift($0, to: $1, &complete) } }
            (clock, position) = (report.clock, nil)
        } else if measurement.count + satellites.count >= Self.maximumReports {
            finishMeasurement(&complete)
        }
        let entry = Entry(report: report, line: line)
        switch report.contents {
        case .attitude where satellites.isEmpty: measurement.append(entry)
        case .attitude, .sky: satellites.append(entry)
        case .position(let position):
            if let last = self.position, report.isRepeated, position.isElsewhere(than: last) {
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

    /// Moves the remaining entries to the end of an array.
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
            entry.shift = time.subtractingSaturated(entry.report.clock ?? time)
            complete.append(entry)
        }
    }
}

extension PositionReport {
    /// True for another measurement than the other report. Always false for receivers with a name.
    fileprivate func isElsewhere(than other: PositionReport) -> Bool {
        receiver.isEmpty && hasFix
            && (latitude != other.latitude || longitude != other.longitude
                || [\.altitudeMSL, \.speed, \.track].contains { (value: KeyPath<PositionReport, Double>) in
                    !self[keyPath: value].isNaN && self[keyPath: value] != other[keyPath: value]
                })
    }
}
