// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// Collects events and lets a test wait for them.
final class EventLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var list: [PositionEvent] = []

    var receive: @Sendable (PositionEvent) -> Void {
        { [self] event in
            condition.lock()
            list.append(event)
            condition.broadcast()
            condition.unlock()
        }
    }

    var events: [PositionEvent] {
        condition.lock()
        defer { condition.unlock() }
        return list
    }

    /// Waits until the events meet the condition, for at most `seconds`.
    func wait(seconds: Double = 60, until isMet: ([PositionEvent]) -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isMet(list) { guard condition.wait(until: limit) else { return isMet(list) } }
        return true
    }

    func waitForReports(_ count: Int) -> Bool { wait { $0.reports.count >= count } }
    func waitForLosses(_ count: Int) -> Bool { wait { $0.losses.count >= count } }
    func waitForReturns(_ count: Int) -> Bool { wait { $0.returns >= count } }
}

extension [PositionEvent] {
    var reports: [PositionReport] { compactMap { if case .report(let report) = $0 { report } else { nil } } }
    var skies: [SkyReport] { compactMap { if case .sky(let sky) = $0 { sky } else { nil } } }
    var losses: [DeviceError] { compactMap { if case .lost(let error) = $0 { error } else { nil } } }
    var returns: Int { count { if case .regained = $0 { true } else { false } } }
    var receivers: [[ReceiverDescription]] { compactMap { if case .receivers(let list) = $0 { list } else { nil } } }
    /// The latitudes, which identify the reports.
    var numbers: [Int] { reports.map { $0.latitude.isNaN ? -1 : Int($0.latitude) } }
}
