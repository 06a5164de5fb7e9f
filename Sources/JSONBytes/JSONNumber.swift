// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The parts of a number as they stand in a text: ±mantissa · 10^exponent.
struct JSONNumber {
    /// All digits as one integer; meaningless when there are too many of them.
    var mantissa: UInt64 = 0
    var exponent = 0
    var isNegative = false
    /// True when the digits do not fit the mantissa.
    var isLong = false
    /// True when it has neither a fraction nor an exponent.
    var isPlain = true

    /// Appends digits, given as their value and how many they are: 1 to 8.
    @inline(__always)
    mutating func append(_ value: UInt64, _ count: Int) {
        let (shifted, overflow) = mantissa.multipliedReportingOverflow(by: Self.wholePowers[count])
        let (sum, carry) = shifted.addingReportingOverflow(value)
        mantissa = sum
        if overflow || carry { isLong = true }
    }

    /// The value, if one exact multiplication or division gives it: both the mantissa (below 2^53) and the power of
    /// ten (up to 10^22) are then exact, and IEEE 754 rounds the one operation correctly (W. D. Clinger, "How to read
    /// floating point numbers accurately", PLDI 1990).
    @inline(__always)
    var double: Double? {
        guard !isLong, mantissa <= 1 << 53 else { return nil }
        var value = Double(Int64(truncatingIfNeeded: mantissa))
        if exponent < 0 {
            guard exponent >= -22 else { return mantissa == 0 ? signed(0) : nil }
            value /= Self.powers[0 &- exponent]
        } else if exponent > 0 {
            guard exponent <= 22 else { return mantissa == 0 ? signed(0) : nil }
            value *= Self.powers[exponent]
        }
        return signed(value)
    }

    /// The value of a plain number, nil when Int64 cannot hold it.
    var int64: Int64? {
        guard !isLong else { return nil }
        guard isNegative else { return Int64(exactly: mantissa) }
        return mantissa <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- mantissa) : nil
    }

    @inline(__always)
    private func signed(_ value: Double) -> Double { isNegative ? -value : value }

    /// Powers of ten for up to eight digits.
    private static let wholePowers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
    ]

    /// All powers of ten that Double holds exactly.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
