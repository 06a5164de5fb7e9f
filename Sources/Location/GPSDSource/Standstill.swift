// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Drops reports that accumulated in the socket while the process was suspended: only the newest epoch of each receiver
/// is kept.
///
/// If the report interval of a receiver exceeds the limit, every read counts as one after a suspension. No reports are
/// lost, because only one epoch is pending.
struct Standstill: Sendable {
    /// The maximum number of receivers, and of reports per epoch.
    private static let capacity = 64

    private struct Epoch {
        let receiver: String
        var reports: [PositionReport]
    }

    private var newest: [Epoch] = []
    /// True while accumulated reports are being read.
    private(set) var isCatchingUp = false
    private var dropped = 0

    /// Begins a read, `pause` seconds after the previous one.
    mutating func begin(pause: Double, limit: Double) {
        isCatchingUp = pause >= limit
    }

    /// Stores a report until the end of the read.
    mutating func keep(_ report: PositionReport) {
        guard let index = newest.firstIndex(where: { $0.receiver == report.receiver }) else {
            if newest.count < Standstill.capacity {
                newest.append(Epoch(receiver: report.receiver, reports: [report]))
            } else {
                dropped += 1
            }
            return
        }
        if report.time == nil || report.time != newest[index].reports.last?.time {
            dropped += newest[index].reports.count
            newest[index].reports = []
        } else if newest[index].reports.count == Standstill.capacity {
            dropped += 1
            newest[index].reports.removeFirst()
        }
        newest[index].reports.append(report)
    }

    /// Ends the read and returns the reports to publish.
    mutating func finish() -> [PositionReport] {
        defer {
            newest.removeAll()
            isCatchingUp = false
        }
        return newest.flatMap(\.reports)
    }

    /// Returns the number of reports dropped since the last call.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
