// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation

@testable import UdevMonitor

/// Records the events of a monitor, one line per event or changed problem, and waits for them with a time limit.
final class EventLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []
    private var records: [UdevRecord] = []
    private var problems: [DeviceError] = []

    func record(_ events: [UdevEvent]) { for event in events { record(event) } }

    func record(_ event: UdevEvent) {
        condition.withLock {
            switch event {
            case .snapshot(let devices):
                lines.append(("snapshot" + devices.map { " " + $0.node }.joined()))
                records += devices
            case .added(let record):
                lines.append("added \(record.node)")
                records.append(record)
            case .removed(let record):
                lines.append("removed \(record.node)")
                records.append(record)
            case .problems(let errors):
                let (former, current) = (problems.map(\.message), errors.map(\.message))
                lines += problems.filter { !current.contains($0.message) }.map { "solved \($0.code)" }
                lines += errors.filter { !former.contains($0.message) }.map { "problem \($0.code)" }
                problems = errors
            }
            condition.broadcast()
        }
    }

    var all: [String] { condition.withLock { lines } }
    var last: UdevRecord? { condition.withLock { records.last } }

    /// Waits until the lines satisfy the condition, for at most a minute.
    func waits(until isSatisfied: ([String]) -> Bool) -> Bool {
        let deadline = Date().addingTimeInterval(60)
        return condition.withLock {
            while !isSatisfied(lines) {
                guard condition.wait(until: deadline) else { return isSatisfied(lines) }
            }
            return true
        }
    }

    func waits(for expected: [String]) -> Bool { waits { $0 == expected } }
}
