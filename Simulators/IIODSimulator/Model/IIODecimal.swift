// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Numbers as the kernel prints them: digits with a point, never an exponent.
enum IIODecimal {
    /// The number with up to nine decimals, without zeros at the end.
    static func text(_ number: Double) -> String {
        guard number.isFinite else { return "0" }
        let scaled = (abs(number) * 1e9).rounded()
        // Nothing that a sensor measures comes near; the conversion must not trap.
        guard scaled < 9e18 else { return number < 0 ? "-9000000000" : "9000000000" }
        let units = UInt64(scaled)
        var decimals = String(units % 1_000_000_000)
        decimals = String(repeating: "0", count: 9 - decimals.count) + decimals
        while decimals.hasSuffix("0") { decimals.removeLast() }
        let sign = number < 0 && units > 0 ? "-" : ""
        return "\(sign)\(units / 1_000_000_000)" + (decimals.isEmpty ? "" : "." + decimals)
    }
}
