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
    /// How many digits there were, zeros before the others included.
    private var digits = 0

    /// Appends digits, given as their value and how many they are: 1 to 8.
    @inline(__always)
    mutating func append(_ value: UInt64, _ count: Int) {
        digits &+= count
        guard digits > 19 else {
            mantissa = mantissa &* Self.wholePowers[count] &+ value
            return
        }
        appendChecked(value, count)
    }

    /// As `append`, where the digits may not fit.
    @inline(never)
    private mutating func appendChecked(_ value: UInt64, _ count: Int) {
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
        guard !isLong else { return nil }
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

    /// The value of a number of up to twenty digits, most of them behind the point, as programs print that write every
    /// bit of a Double: the mantissa over a power of five, by whole numbers, with what is left over in the last bit. One
    /// rounding to Double follows, and a power of two, which is exact. Nil for other exponents.
    @inline(never)
    private var longQuotient: Double? {
        let power = 0 &- exponent
        guard power > 0, power < Self.powersOfFive.count else { return nil }
        let divisor = Self.powersOfFive[power]
        let divisorShift = divisor.leadingZeroBitCount
        let mantissaShift = mantissa.leadingZeroBitCount
        let dividend = mantissa << UInt64(mantissaShift)
        // 2^63 times the ratio of two numbers with the top bit set: at least 63 bits, ten more than Double keeps.
        let (quotient, rest) = (divisor << UInt64(divisorShift)).dividingFullWidth((dividend >> 1, dividend << 63))
        let rounded = Double(rest == 0 ? quotient : quotient | 1)
        // From -99 to -3: neither end of the range of Double is near.
        let scale = divisorShift &- mantissaShift &- 63 &- power
        return signed(rounded * Double(bitPattern: UInt64(1023 &+ scale) &<< 52))
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
    static let wholePowers: [UInt64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]

    /// All powers of five below 2^64.
    private static let powersOfFive: [UInt64] = [
        1, 5, 25, 125, 625, 3125, 15_625, 78_125, 390_625, 1_953_125, 9_765_625, 48_828_125, 244_140_625,
        1_220_703_125, 6_103_515_625, 30_517_578_125, 152_587_890_625, 762_939_453_125, 3_814_697_265_625,
        19_073_486_328_125, 95_367_431_640_625, 476_837_158_203_125, 2_384_185_791_015_625, 11_920_928_955_078_125,
        59_604_644_775_390_625, 298_023_223_876_953_125, 1_490_116_119_384_765_625, 7_450_580_596_923_828_125,
    ]

    /// All powers of ten that Double holds exactly.
    static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
