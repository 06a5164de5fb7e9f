// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt to connect: short at first, doubling up to a limit.
struct Backoff: Sendable {
    let first: Double
    let limit: Double
    private var next: Double

    init(first: Double, limit: Double) {
        self.first = first
        self.limit = limit
        next = first
    }

    /// The seconds to wait now.
    mutating func take() -> Double {
        defer { next = min(next * 2, limit) }
        return next
    }

    /// The service answered: the next failure starts over.
    mutating func reset() {
        next = first
    }
}
