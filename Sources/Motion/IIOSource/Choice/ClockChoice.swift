// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The choice of the clock for a driver's timestamps.
enum ClockChoice {
    /// Returns the names of the clocks that are preferred to the current one, best first; empty if the current one is
    /// the best.
    static func wanted(current: String) -> [String] { Array(steady.prefix { $0 != current }) }

    /// True if the clock cannot be set, and runs without steps until the next boot.
    static func isSteady(_ name: String) -> Bool { steady.contains(name) }

    // The clock "boottime" requires no conversion. The other clocks cannot be set, so they have no steps.
    private static let steady = ["boottime", "monotonic", "monotonic_raw"]
}

/// The state of another machine's clock, kept from one capture to the next.
struct FoundClock {
    /// The maximum age of the state, in seconds. After this time, the clocks may have drifted by more than the network
    /// delay.
    private static let age = 60.0

    private let name: String
    private let found: TimeKeeper.Found

    /// Creates the state of a clock; nil if the clock may be set before the next capture.
    init?(_ name: String, _ found: TimeKeeper.Found?) {
        guard let found, ClockChoice.isSteady(name) else { return nil }
        (self.name, self.found) = (name, found)
    }

    /// Returns the state of the clock with the given name; nil if it is another clock or the state is too old.
    func found(of name: String, now: BootTime) -> TimeKeeper.Found? {
        name == self.name && now.seconds(since: found.time) <= Self.age ? found : nil
    }
}
