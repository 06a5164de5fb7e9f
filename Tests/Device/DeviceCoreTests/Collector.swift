// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import DeviceCore

/// Collects the events of a position hub.
final class Collector: Sendable {
    private let list = Mutex<[PositionEvent]>([])

    var receive: @Sendable (PositionEvent) -> Void {
        { [self] event in list.withLock { $0.append(event) } }
    }

    var events: [PositionEvent] { list.withLock { $0 } }

    /// The latitudes of the reports, which identify them.
    var numbers: [Int] { reports.map { Int($0.latitude) } }

    var reports: [PositionReport] {
        events.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    var skies: [SkyReport] {
        events.compactMap { if case .sky(let sky) = $0 { sky } else { nil } }
    }

    var losses: Int {
        events.count { if case .lost = $0 { true } else { false } }
    }

    var returns: Int {
        events.count { if case .regained = $0 { true } else { false } }
    }
}
