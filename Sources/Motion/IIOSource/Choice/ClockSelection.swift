// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The choice of the clock for a driver's timestamps.
enum ClockSelection {
    /// Returns the clocks that are preferred to the current one, best first.
    static func preferredClocks(over: String) -> [String] { Array(steadyClocks.prefix { $0 != over }) }

    /// True if the clock cannot be set, and runs without steps until the next boot.
    static func isSteady(_ name: String) -> Bool { steadyClocks.contains(name) }

    // The clock "boottime" requires no conversion. The other clocks cannot be set, so they have no steps.
    private static let steadyClocks = ["boottime", "monotonic", "monotonic_raw"]
}

/// The state of another machine's clock, kept from one capture to the next.
struct ClockEstimate {
    /// The maximum age of the state, in seconds. Later, the drift of the clocks may exceed the network delay.
    private static let maximumAge = 60.0

    private let name: String
    private let found: TimestampCorrector.ClockState

    /// Creates the state of a clock; nil if the clock may be set before the next capture.
    init?(_ name: String, _ found: TimestampCorrector.ClockState?) {
        guard let found, ClockSelection.isSteady(name) else { return nil }
        (self.name, self.found) = (name, found)
    }

    /// Returns the state of the clock with the given name; nil if it is another clock or the state is too old.
    func state(of name: String, now: BootTime) -> TimestampCorrector.ClockState? {
        name == self.name && now.seconds(since: found.time) <= Self.maximumAge ? found : nil
    }
}
