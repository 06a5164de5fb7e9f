// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the scripted library has been asked to do, in order, with bounded waits for it.
final class Journal: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []

    func note(_ line: String) {
        condition.withLock {
            lines.append(line)
            condition.broadcast()
        }
    }

    var all: [String] { condition.withLock { lines } }

    func count(_ prefix: String) -> Int { all.filter { $0.hasPrefix(prefix) }.count }

    /// Waits until the condition holds, for at most a minute; `nudge` runs every few milliseconds.
    func waits(nudge: () -> Void = {}, until holds: ([String]) -> Bool) -> Bool {
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            nudge()
            // What is looked at may note something itself: no lock then.
            if holds(all) { return true }
            condition.withLock { _ = condition.wait(until: Date().addingTimeInterval(0.005)) }
        }
        return false
    }

    func waits(for line: String, count: Int = 1, nudge: () -> Void = {}) -> Bool {
        waits(nudge: nudge) { lines in lines.filter { $0.hasPrefix(line) }.count >= count }
    }
}
