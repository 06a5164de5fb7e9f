// SPDX-License-Identifier: Apache-2.0

// Fast paths for numbers that fit eight bytes together with the byte after them, which covers most numbers of a report.
// For all other input these functions return nil and read nothing; the general parser handles it.
extension JSONReader {
    /// Returns the next eight bytes, the same bytes with digits mapped to 0...9, and a mask with the top bit of each
    /// non-digit. nil if fewer than eight bytes remain.
    @inline(__always)
    private func loadNextWord() -> (word: UInt64, values: UInt64, others: UInt64)? {
        guard offset &+ 8 <= limit else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let values = word ^ 0x3030_3030_3030_3030
        // With the top bits cleared, no byte carries into the next.
        let others = (values & 0x7f7f_7f7f_7f7f_7f7f &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
        return (word, values, others)
    }

    @inline(__always)
    private static func byte(_ word: UInt64, at place: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: 8 &* place))
    }

    /// True for the bytes that may follow the value of a member or an element.
    @inline(__always)
    private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    /// Reads an unsigned number with a decimal point and up to six digits.
    @inline(__always)
    mutating func shortDouble() -> Double? {
        guard let (word, values, others) = loadNextWord() else { return nil }
        let point = others.trailingZeroBitCount &>> 3
        let end = (others & (others &- 1)).trailingZeroBitCount &>> 3
        guard point > 0, end < 8, end > point &+ 1, Self.byte(word, at: point) == UInt8(ascii: "."),
            Self.isEnd(Self.byte(word, at: end)), point == 1 || Self.byte(word, at: 0) != UInt8(ascii: "0")
        else { return nil }
        // Moves the digits after the point next to those before it, and pads with zeros before the first digit.
        let before = (1 as UInt64) &<< UInt64(truncatingIfNeeded: 8 &* point) &- 1
        let digits = values & before | values &>> 8 & ~before
        let mantissa = Self.value(ofDigits: digits &<< UInt64(truncatingIfNeeded: 72 &- 8 &* end))
        advance(to: offset &+ end)
        // Both operands are exact, so the quotient is rounded correctly.
        return Double(Int64(truncatingIfNeeded: mantissa)) / JSONNumber.powers[end &- point &- 1]
    }

    /// Reads an unsigned integer of up to seven digits.
    @inline(__always)
    mutating func shortWhole() -> Int64? {
        guard let (word, values, others) = loadNextWord() else { return nil }
        let end = others.trailingZeroBitCount &>> 3
        guard end > 0, end < 8, Self.isEnd(Self.byte(word, at: end)),
            end == 1 || Self.byte(word, at: 0) != UInt8(ascii: "0")
        else { return nil }
        let digits = values &<< UInt64(truncatingIfNeeded: 64 &- 8 &* end)
        advance(to: offset &+ end)
        return Int64(truncatingIfNeeded: Self.value(ofDigits: digits))
    }
}
