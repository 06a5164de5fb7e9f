// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Which clock a driver's time stamps shall be of.
enum ClockChoice {
    /// The names to write, the best first; empty when the clock that is set will do.
    static func wanted(current: String) -> [String] {
        // Time since boot needs no conversion, and a clock that cannot be set does not jump.
        let order = ["boottime", "monotonic", "monotonic_raw"]
        guard let place = order.firstIndex(of: current) else { return order }
        return Array(order[..<place])
    }
}
