// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Drops reports that accumulated in the socket while the process was suspended: only the newest epoch of each receiver
/// is kept. If the report interval of a receiver exceeds the limit, every read counts as one after a suspension. No
/// reports are lost, because only one epoch is pending.
struct StaleReportFilter: Sendable {
    /// The maximum number of receivers, and of reports per epoch.
    private static let capacity = 64

    private struct Epoch {
        let receiver: String
        var reports: [PositionReport]
    }

    private var newestEpochs: [Epoch] = []
    /// True while accumulated reports are being read.
    private(set) var isCatchingUp = false
    private var dropped = 0

    /// Begins a read, `pause` seconds after the previous one.
    mutating func begin(pause: Double, limit: Double) { isCatchingUp = pause >= limit }

    mutating func append(_ report: PositionReport) {
        guard let index = newestEpochs.firstIndex(where: { $0.receiver == report.receiver }) else {
            if newestEpochs.count < StaleReportFilter.capacity {
                newestEpochs.append(Epoch(receiver: report.receiver, reports: [report]))
            } else {
                dropped += 1
            }
            return
        }
        if report.time == nil || report.time != newestEpochs[index].reports.last?.time {
            dropped += newestEpochs[index].reports.count
            newestEpochs[index].reports = []
        } else if newestEpochs[index].reports.count == StaleReportFilter.capacity {
            dropped += 1
            newestEpochs[index].reports.removeFirst()
        }
        newestEpochs[index].reports.append(report)
    }

    /// Ends the read and returns the reports to publish.
    mutating func finish() -> [PositionReport] {
        defer {
            newestEpochs.removeAll()
            isCatchingUp = false
        }
        return newestEpochs.flatMap(\.reports)
    }

    /// Returns the number of reports dropped since the last call.
    mutating func drainDroppedCount() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
