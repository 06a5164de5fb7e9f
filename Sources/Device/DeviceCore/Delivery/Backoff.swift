// SPDX-License-Identifier: Apache-2.0

/// The delays between attempts. Each delay is twice the previous one, up to a limit.
package struct Backoff: Sendable {
    private let initialDelay: Double
    private let limit: Double
    private var next: Double

    /// Creates a backoff with delays from `first` to `limit`, in seconds. Every delay is at least 10 ms to prevent
    /// busy-waiting.
    package init(first: Double, limit: Double) {
        self.initialDelay = max(first, 0.01)
        self.limit = max(limit, self.initialDelay)
        next = self.initialDelay
    }

    /// Returns the next delay, in seconds. Each call doubles the delay, up to the limit.
    package mutating func nextDelay() -> Double {
        defer { next = min(next * 2, limit) }
        return next
    }

    package mutating func reset() { next = initialDelay }
}
