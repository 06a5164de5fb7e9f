// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt: short at first, doubling up to a limit.
package struct Backoff: Sendable {
    private let first: Double
    private let limit: Double
    private var next: Double

    /// Waits of `first` seconds and more, up to `limit`; never less than ten milliseconds.
    package init(first: Double, limit: Double) {
        // Never nothing: a failure that repeats must not keep the processor busy.
        self.first = max(first, 0.01)
        self.limit = max(limit, self.first)
        next = self.first
    }

    /// The seconds to wait now.
    package mutating func take() -> Double {
        defer { next = min(next * 2, limit) }
        return next
    }

    /// It works again: the next failure starts over.
    package mutating func reset() { next = first }
}
