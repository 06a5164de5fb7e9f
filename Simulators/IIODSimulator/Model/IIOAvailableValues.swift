// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// The values of an `_available` attribute: a list, or `[minimum step maximum]`.
struct IIOAvailableValues {
    private let words: [String]
    private let range: SensorRates?

    init(_ text: String) {
        let isRange = text.hasPrefix("[") && text.hasSuffix("]")
        let inner = isRange ? String(text.dropFirst().dropLast()) : text
        words = inner.split(separator: " ").map(String.init)
        let numbers = words.compactMap { IIONumber.double($0) }
        if isRange, numbers.count == 3, words.count == 3 {
            range = .range(minimum: numbers[0], step: numbers[1], maximum: numbers[2])
        } else {
            range = nil
        }
    }

    /// Returns the listed value that equals the written text, compared as text and as a number; nil if there is none.
    func listed(_ written: String) -> String? {
        let text = written.hasSuffix("\n") ? String(written.dropLast()) : written
        let number = KernelNumber(written)?.value
        if case .range(let least, _, let greatest)? = range {
            guard let number, number >= least, number <= greatest else { return nil }
            return text
        }
        return words.first { $0 == text || (number != nil && IIONumber.double($0) == number) }
    }
}

/// A formatter that prints numbers like the kernel: decimal digits without an exponent.
enum IIODecimal {
    /// Returns the number with up to nine decimals and without trailing zeros.
    static func text(_ number: Double) -> String {
        guard number.isFinite else { return "0" }
        let scaled = (abs(number) * 1e9).rounded()
        // The conversion to UInt64 would trap. No sensor measures values of this magnitude.
        guard scaled < 9e18 else { return number < 0 ? "-9000000000" : "9000000000" }
        let units = UInt64(scaled)
        var decimals = String(units % 1_000_000_000)
        decimals = String(repeating: "0", count: 9 - decimals.count) + decimals
        while decimals.hasSuffix("0") { decimals.removeLast() }
        let sign = number < 0 && units > 0 ? "-" : ""
        return "\(sign)\(units / 1_000_000_000)" + (decimals.isEmpty ? "" : "." + decimals)
    }
}
