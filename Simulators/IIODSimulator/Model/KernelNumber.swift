// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

/// A decimal number in the syntax of the kernel's `iio_str_to_fixpoint()`: an optional sign, digits with at most one
/// decimal point, and an optional line feed. A missing part is 0, so "-" and ".5" are valid.
struct KernelNumber {
    /// The digits before the decimal point, without leading zeros. If the number is negative, a minus sign precedes
    /// them.
    let whole: String
    let fraction: String

    init?(_ written: String) {
        var text = written.utf8[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative || text.first == UInt8(ascii: "+") { text.removeFirst() }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard !written.isEmpty, text.count <= 64, parts.count <= 2, parts.allSatisfy({ $0.allSatisfy(digits.contains) })
        else { return nil }
        let significant = parts[0].drop { $0 == UInt8(ascii: "0") }
        whole = (isNegative ? "-" : "") + (significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self))
        fraction = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
    }

    var value: Double? { Double("\(whole).\(fraction)0") }

    /// Formats the number with as many decimal places as `other`, as drivers do.
    func text(like other: String) -> String {
        guard let point = other.lastIndex(of: ".") else { return whole == "-0" ? "0" : whole }
        let decimals = other.utf8.distance(from: point, to: other.endIndex) - 1
        return whole + "." + (fraction + String(repeating: "0", count: decimals)).prefix(decimals)
    }
}

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

    /// Returns the available value that equals the given text, compared either as text or as a number. For a range,
    /// returns the text if it is a number in the range. Returns nil if no value matches.
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

/// Formats numbers like the kernel: decimal digits without an exponent.
enum IIODecimal {
    static func text(_ number: Double) -> String {
        guard number.isFinite else { return "0" }
        // Clamping the number prevents a trap in the conversion to UInt64. No sensor measures values this large.
        guard (abs(number) * 1e9).rounded() < 9e18 else { return number < 0 ? "-9000000000" : "9000000000" }
        return IIONumber.text(number, unit: 1_000_000_000)
    }
}
