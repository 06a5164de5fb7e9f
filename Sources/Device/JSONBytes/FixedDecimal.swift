// SPDX-License-Identifier: Apache-2.0

/// Formats numbers with a fixed number of decimals. Rounds the exact value, with ties to even, like C's `printf`.
package enum FixedDecimal {
    package static let maximumDecimals = 9
    /// Numbers of at least this magnitude are rejected, because their decimals would not be significant.
    package static let limit = 1e15

    /// Appends a number with 0 to 9 decimals and at least `width` digits before the point, padded with leading zeros.
    /// Returns false and appends nothing if the magnitude is not below ``limit``.
    @discardableResult
    package static func append(_ value: Double, decimals: Int, width: Int = 1, to bytes: inout [UInt8]) -> Bool {
        guard value.magnitude < limit else { return false }
        let decimals = max(0, min(decimals, maximumDecimals))
        var unit: UInt64 = 1
        for _ in 0..<decimals { unit *= 10 }
        let whole = value.magnitude.rounded(.towardZero)
        // The fraction is an integer multiple of 2^-shift, so its product with a power of ten is computed exactly.
        let fraction = value.magnitude - whole
        var digits = UInt64(whole)
        var scaled: UInt64 = 0
        if fraction > 0 {
            let shift = 52 - Int(fraction.exponent)
            // A fraction below 2^-64 rounds to zero for any number of decimals.
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
