// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Chooses the clock that a driver uses for timestamps.
enum ClockSelection {
    static func preferredClocks(over: String) -> [String] { Array(steadyClocks.prefix { $0 != over }) }

    /// Returns true if the clock cannot be set, and therefore never jumps while the machine is running.
    static func isSteady(_ name: String) -> Bool { steadyClocks.contains(name) }

    // The clocks that cannot be set, best first. The clock "boottime" requires no conversion.
    private static let steadyClocks = ["boottime", "monotonic", "monotonic_raw"]
}

/// The state of a remote machine's clock, kept from one capture to the next.
struct ClockEstimate {
    /// The maximum age of the state, in seconds. After a longer time, the clock drift may exceed the network delay.
    private static let maximumAge = 60.0

    private let name: String
    private let clockState: TimestampCorrector.ClockState

    init?(_ name: String, _ clockState: TimestampCorrector.ClockState?) {
        guard let clockState, ClockSelection.isSteady(name) else { return nil }
        (self.name, self.clockState) = (name, clockState)
    }

    func state(of name: String, now: BootTime) -> TimestampCorrector.ClockState? {
        name == self.name && now.seconds(since: clockState.time) <= Self.maximumAge ? clockState : nil
    }
}
