// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Counts what is printed, and asks the verb to stop when that is as much as was wanted.
struct Countdown {
    private let stop: Stop
    /// How many more are wanted; nil for all.
    private var remaining: Int?
    /// How many there were.
    private(set) var count = 0

    init(limit: Int?, stop: Stop) {
        remaining = limit
        self.stop = stop
    }

    /// True when as many have come as were wanted.
    var isComplete: Bool { remaining.map { $0 == 0 } ?? true }

    /// How many of those that have come are to be printed: none once the verb is to end.
    mutating func take(_ number: Int = 1) -> Int {
        guard stop.reason == nil else { return 0 }
        let taken = min(number, remaining ?? number)
        count += taken
        if let rest = remaining {
            remaining = rest - taken
            if remaining == 0 { stop.request(.complete) }
        }
        return taken
    }
}
