// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Keeps a process that was stopped for a while from replaying what piled up in the socket: only the newest report of
/// each receiver gets through.
struct Standstill: Sendable {
    private var newest: [PositionReport] = []
    /// True while what piled up is being read.
    private(set) var isCatchingUp = false
    private var dropped = 0

    /// Reading begins after a pause of that many seconds.
    mutating func begin(pause: Double, limit: Double) {
        isCatchingUp = pause >= limit
    }

    /// Keeps a report back until the reading is done.
    mutating func keep(_ report: PositionReport) {
        if let index = newest.firstIndex(where: { $0.receiver == report.receiver }) {
            newest[index] = report
            dropped += 1
        } else if newest.count < 64 {
            newest.append(report)
        } else {
            dropped += 1
        }
    }

    /// Everything that piled up has been read: these are the reports that count.
    mutating func finish() -> [PositionReport] {
        defer {
            newest.removeAll()
            isCatchingUp = false
        }
        return newest
    }

    /// How many reports were dropped since the last call.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
