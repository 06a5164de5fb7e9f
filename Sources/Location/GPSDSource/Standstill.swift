// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Keeps a process that was stopped for a while from replaying what piled up in the socket: only the newest epoch of
/// each receiver gets through.
///
/// A receiver that is slower than the limit looks like a standstill each time; as it has one epoch to report, it loses
/// nothing.
struct Standstill: Sendable {
    /// The most receivers, and the most reports of one epoch, that are kept.
    private static let capacity = 64

    private struct Epoch {
        let receiver: String
        var reports: [PositionReport]
    }

    private var newest: [Epoch] = []
    /// True while what piled up is being read.
    private(set) var isCatchingUp = false
    private var dropped = 0

    /// Reading begins after a pause of that many seconds.
    mutating func begin(pause: Double, limit: Double) {
        isCatchingUp = pause >= limit
    }

    /// Keeps a report back until the reading is done.
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

    /// Everything that piled up has been read: these are the reports that count.
    mutating func finish() -> [PositionReport] {
        defer {
            newest.removeAll()
            isCatchingUp = false
        }
        return newest.flatMap(\.reports)
    }

    /// How many reports were dropped since the last call.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
