// SPDX-License-Identifier: Apache-2.0

/// Numbers with a fixed count of decimals, rounded as C's `printf("%.3f")` does: exactly, and halves to even.
package enum FixedDecimal {
    /// The most decimals.
    package static let maximumDecimals = 9
    /// Below this magnitude a number is written; beyond it its digits would mean nothing.
    package static let limit = 1e15

    /// Appends the number; nothing, and false, when it is not finite or not below limit in magnitude.
    /// - Parameters:
    ///   - decimals: 0 to 9.
    ///   - width: at least so many digits before the point, with zeros in front.
    @discardableResult
    package static func append(_ value: Double, decimals: Int, width: Int = 1, to bytes: inout [UInt8]) -> Bool {
        guard value.magnitude < limit else { return false }
        let decimals = max(0, min(decimals, maximumDecimals))
        var unit: UInt64 = 1
        for _ in 0..<decimals { unit *= 10 }
        let whole = value.magnitude.rounded(.towardZero)
        // The fraction is a whole number of 2^-shift, so that its product with a power of ten can be had exactly.
        let fraction = value.magnitude - whole
        var digits = UInt64(whole)
        var scaled: UInt64 = 0
        if fraction > 0 {
            let shift = 52 - Int(fraction.exponent)
            // Below 2^-64 it rounds to nothing, whatever the decimals.
            if shift < 117 {
                let product = UInt128((fraction.significandBitPattern | 1 << 52)) * UInt128(unit)
                let down = product >> UInt128(shift)
                let rest = product - (down << UInt128(shift))
                let half = UInt128(1) << UInt128(shift - 1)
                scaled = UInt64(truncatingIfNeeded: down)
                let isOdd = decimals > 0 ? scaled & 1 == 1 : digits & 1 == 1
                if rest > half || (rest == half && isOdd) { scaled += 1 }
            }
        }
        if scaled >= unit {
            digits += 1
            scaled -= unit
        }
        if value.sign == .minus { bytes.append(UInt8(ascii: "-")) }
        DecimalDigits.append(digits, minimum: width, to: &bytes)
        if decimals > 0 {
            bytes.append(UInt8(ascii: "."))
            DecimalDigits.append(scaled, minimum: decimals, to: &bytes)
        }
        return true
    }
}
