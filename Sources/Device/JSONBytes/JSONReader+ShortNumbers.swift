// SPDX-License-Identifier: Apache-2.0

// Most numbers of a report are short enough to lie in eight bytes with what ends them, and are read at once there. All
// others, and what is no number, are left to the long way: nothing is read of them then.
extension JSONReader {
    /// The eight bytes that come next, with digits as 0 to 9, and the top bit of each byte that is none.
    @inline(__always)
    private func look() -> (word: UInt64, values: UInt64, others: UInt64)? {
        guard offset &+ 8 <= limit else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let values = word ^ 0x3030_3030_3030_3030
        // Without the top bits no byte carries into the next.
        let others = (values & 0x7f7f_7f7f_7f7f_7f7f &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
        return (word, values, others)
    }

    @inline(__always)
    private static func byte(_ word: UInt64, at place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: 8 &* place))
    }

    /// True for what ends a member's value, or an element's.
    @inline(__always)
    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    /// A number with a point and without a sign, of up to six digits.
    @inline(__always)
    mutating func shortDouble() -> Double? {
        guard let (word, values, others) = look() else { return nil }
        let point = others.trailingZeroBitCount &>> 3
        let end = (others & (others &- 1)).trailingZeroBitCount &>> 3
        guard point > 0, end < 8, end > point &+ 1, Self.byte(word, at: point) == UInt8(ascii: "."),
            Self.isEnd(Self.byte(word, at: end)), point == 1 || Self.byte(word, at: 0) != UInt8(ascii: "0")
        else { return nil }
        // The digits behind the point move to those before it, and zeros in before the first.
        let before = (1 as UInt64) &<< UInt64(truncatingIfNeeded: 8 &* point) &- 1
        let digits = values & before | values &>> 8 & ~before
        let mantissa = Self.value(ofDigits: digits &<< UInt64(truncatingIfNeeded: 72 &- 8 &* end))
        advance(to: offset &+ end)
        // Both are exact, so the quotient is rounded correctly.
        return Double(Int64(truncatingIfNeeded: mantissa)) / JSONNumber.powers[end &- point &- 1]
    }

    /// A whole number without a sign, of up to seven digits.
    @inline(__always)
    mutating func shortWhole() -> Int64? {
        guard let (word, values, others) = look() else { return nil }
        let end = others.trailingZeroBitCount &>> 3
        guard end > 0, end < 8, Self.isEnd(Self.byte(word, at: end)),
            end == 1 || Self.byte(word, at: 0) != UInt8(ascii: "0")
        else { return nil }
        let digits = values &<< UInt64(truncatingIfNeeded: 64 &- 8 &* end)
        advance(to: offset &+ end)
        return Int64(truncatingIfNeeded: Self.value(ofDigits: digits))
    }
}
