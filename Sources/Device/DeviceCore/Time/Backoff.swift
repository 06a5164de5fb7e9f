// SPDX-License-Identifier: Apache-2.0

/// Exponential backoff: the delay before the next attempt doubles up to a limit.
package struct Backoff: Sendable {
    private let initialDelay: Double
    private let limit: Double
    private var next: Double

    /// Creates a backoff with delays from `first` to `limit`, in seconds. The minimum is 10 ms.
    package init(first: Double, limit: Double) {
        // A minimum keeps repeated failures from busy-waiting.
        self.initialDelay = max(first, 0.01)
        self.limit = max(limit, self.initialDelay)
        next = self.initialDelay
    }

    /// Returns the current delay in seconds and doubles the next one.
    package mutating func nextDelay() -> Double {
        defer { next = min(next * 2, limit) }
        return next
    }

    /// Resets the delay after a successful attempt.
    package mutating func reset() { next = initialDelay }
}
