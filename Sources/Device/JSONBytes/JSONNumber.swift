// SPDX-License-Identifier: Apache-2.0

/// The parsed components of a number: ±mantissa · 10^exponent.
package struct JSONNumber {
    /// All digits as one integer. Invalid if `hasOverflowed` is true.
    var mantissa: UInt64 = 0
    var exponent = 0
    var isNegative = false
    var hasOverflowed = false
    /// True if the number has neither a fraction nor an exponent.
    var isInteger = true
    /// The number of digits read, including leading zeros.
    private var digits = 0

    /// Appends 1 to 8 digits. `value` is the integer that the digits form, and `count` is the number of digits.
    @inline(__always) mutating func append(_ value: UInt64, _ count: Int) {
        digits &+= count
        guard digits > 19 else {
            mantissa = mantissa &* Self.wholePowers[count] &+ value
            return
        }
        appendChecked(value, count)
    }

    @inline(never) private mutating func appendChecked(_ value: UInt64, _ count: Int) {
        let (shifted, overflow) = mantissa.multipliedReportingOverflow(by: Self.wholePowers[count])
        let (sum, carry) = shifted.addingReportingOverflow(value)
        mantissa = sum
        if overflow || carry { hasOverflowed = true }
    }

    /// The value, or nil if the fast paths cannot compute it. Mantissas up to 2^53 and powers of ten up to 10^22 can be
    /// represented exactly, so IEEE 754 rounds their product or quotient correctly (W. D. Clinger, "How to read
    /// floating point numbers accurately", PLDI 1990).
    @inline(__always) var double: Double? {
        guard !hasOverflowed else { return nil }
        guard mantissa <= 1 << 53 else { return longQuotient }
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

    /// The value of a number with up to 20 digits, for example a Double that was printed with full precision. nil if
    /// the exponent is outside the range -27 ... -1.
    ///
    /// The mantissa is divided by a power of five in integer arithmetic. If there is a remainder, the lowest bit of the
    /// quotient is set, so that converting the quotient to Double rounds correctly. Scaling the result by a power of
    /// two is then exact.
    @inline(never) private var longQuotient: Double? {
        let power = 0 &- exponent
        guard power > 0, power < Self.powersOfFive.count else { return nil }
        let divisor = Self.powersOfFive[power]
        let divisorShift = divisor.leadingZeroBitCount
        let mantissaShift = mantissa.leadingZeroBitCount
        let dividend = mantissa << UInt64(mantissaShift)
        // The top bits of both 64-bit operands are set, so their ratio is greater than 1/2. The quotient is 2^63 times
        // this ratio. It therefore has at least 63 bits, ten more than the significand of a Double.
        let (quotient, rest) = (divisor << UInt64(divisorShift)).dividingFullWidth((dividend >> 1, dividend << 63))
        let rounded = Double(rest == 0 ? quotient : quotient | 1)
        // The scale is between -99 and -3, far from both ends of Double's exponent range.
        let scale = divisorShift &- mantissaShift &- 63 &- power
        return signed(rounded * Double(bitPattern: UInt64(1023 &+ scale) &<< 52))
    }

    /// The value as an integer, or nil if it does not fit into Int64. Valid only if the number has no fraction or
    /// exponent.
    var int64: Int64? {
        guard !hasOverflowed else { return nil }
        guard isNegative else { return Int64(exactly: mantissa) }
        return mantissa <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- mantissa) : nil
    }

    @inline(__always) private func signed(_ value: Double) -> Double { isNegative ? -value : value }

    static let wholePowers: [UInt64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

    private static let powersOfFive: [UInt64] = [
        1, 5, 25, 125, 625, 3125, 15_625, 78_125, 390_625, 1_953_125, 9_765_625, 48_828_125, 244_140_625,
        1_220_703_125, 6_103_515_625, 30_517_578_125, 152_587_890_625, 762_939_453_125, 3_814_697_265_625,
        19_073_486_328_125, 95_367_431_640_625, 476_837_158_203_125, 2_384_185_791_015_625, 11_920_928_955_078_125,
        59_604_644_775_390_625, 298_023_223_876_953_125, 1_490_116_119_384_765_625, 7_450_580_596_923_828_125,
    ]

    /// The powers of ten that Double represents exactly.
    package static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
