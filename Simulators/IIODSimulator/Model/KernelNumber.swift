// SPDX-License-Identifier: Apache-2.0

/// A decimal number in the syntax of the kernel's `iio_str_to_fixpoint()`.
///
/// The text has an optional sign, digits with at most one decimal point, and an optional line feed. Spaces and
/// exponents are errors. A missing part is 0, so "-" and ".5" are valid.
struct KernelNumber {
    /// The digits before the decimal point without leading zeros, with a minus sign if the number is negative.
    let whole: String
    /// The digits after the decimal point.
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

    /// The number as a `Double`; nil if the conversion fails.
    var value: Double? { Double("\(whole).\(fraction)0") }

    /// Returns the number with the same number of decimals as `other`. Drivers print each attribute in one format and
    /// drop further decimals.
    func text(like other: String) -> String {
        guard let point = other.lastIndex(of: ".") else { return whole == "-0" ? "0" : whole }
        let decimals = other.utf8.distance(from: point, to: other.endIndex) - 1
        return whole + "." + (fraction + String(repeating: "0", count: decimals)).prefix(decimals)
    }
}
