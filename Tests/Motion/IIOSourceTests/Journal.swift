// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A log of the calls of the scripted library in order, with bounded waits for entries.
final class Journal: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []

    func record(_ line: String) {
        condition.withLock {
            lines.append(line)
            condition.broadcast()
        }
    }

    var all: [String] { condition.withLock { lines } }

    func count(_ prefix: String) -> Int { all.filter { $0.hasPrefix(prefix) }.count }

    /// Waits for at most a minute until the condition holds. Calls `nudge` every few milliseconds.
    func waits(nudge: () -> Void = {}, until holds: ([String]) -> Bool) -> Bool {
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            nudge()
            // Called without the lock, because the condition may add entries itself.
            if holds(all) { return true }
            condition.withLock { _ = condition.wait(until: Date().addingTimeInterval(0.005)) }
        }
        return false
    }

    func waits(for line: String, count: Int = 1, nudge: () -> Void = {}) -> Bool {
        waits(nudge: nudge) { lines in lines.filter { $0.hasPrefix(line) }.count >= count }
    }
}
