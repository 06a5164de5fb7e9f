// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Which clock a driver's time stamps shall be of.
enum ClockChoice {
    /// The names to write, the best first; empty when the clock that is set will do.
    static func wanted(current: String) -> [String] { Array(steady.prefix { $0 != current }) }

    /// True when nobody sets it: it is the same until the machine starts anew.
    static func isSteady(_ name: String) -> Bool { steady.contains(name) }

    // Time since boot needs no conversion, and a clock that cannot be set does not jump.
    private static let steady = ["boottime", "monotonic", "monotonic_raw"]
}

/// What is known of the clock of another machine from one capture to the next.
struct FoundClock {
    /// Seconds after which two clocks may have drifted apart by more than a network delays.
    private static let age = 60.0

    private let name: String
    private let found: TimeKeeper.Found

    /// Nil for a clock that may have been set when the next capture begins.
    init?(_ name: String, _ found: TimeKeeper.Found?) {
        guard let found, ClockChoice.isSteady(name) else { return nil }
        (self.name, self.found) = (name, found)
    }

    /// What is known of the clock of that name; nil when that is nothing any more.
    func found(of name: String, now: BootTime) -> TimeKeeper.Found? {
        name == self.name && now.seconds(since: found.time) <= Self.age ? found : nil
    }
}
