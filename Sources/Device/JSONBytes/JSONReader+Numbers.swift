// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads a correctly rounded number. Returns ±infinity for numbers beyond the range of Double, and NaN for `null`
    /// and `NaN`. Unlike ``doubleIfPresent()``, has no fast path for short unsigned numbers, because sensor data is
    /// often negative or long.
    package mutating func readDouble() throws(JSONError) -> Double {
        let byte = try nextByte(&offset)
        guard startsNumber(byte, at: offset) else {
            guard let (literal, count) = literal(at: offset), let value = literal.number else {
                throw try numberMismatch(byte)
            }
            advance(to: offset &+ count)
            return value
        }
        return try scanDouble()
    }

    /// Like ``readDouble()``, but skips a value of any other type and returns NaN.
    package mutating func doubleIfPresent() throws(JSONError) -> Double {
        if let value = shortDouble() { return value }
        let byte = try nextByte(&offset)
        return startsNumber(byte, at: offset) ? try scanDouble() : try wordIfNumber()
    }

    /// Reads an integer. A number with a fraction or an exponent is accepted if its value is integral and its magnitude
    /// is at most 2^53. Skips any other value and returns nil.
    package mutating func int64IfPresent() throws(JSONError) -> Int64? {
        if let value = shortWhole() { return value }
        let byte = try nextByte(&offset)
        guard startsNumber(byte, at: offset) else {
            try skipMismatch()
            return nil
        }
        var at = offset
        let number = try scanNumber(&at)
        let value = wholeNumber(number, at)
        if value == nil { recordMismatch(at: offset) }
        advance(to: at)
        return value
    }

    /// Moves to the end of a value, after which the reader accepts only a comma or the closing bracket.
    @inline(__always) mutating func advance(to end: Int) {
        offset = end
        needsComma = true
    }

    @inline(__always) private mutating func scanDouble() throws(JSONError) -> Double {
        var at = offset
        let number = try scanNumber(&at)
        let value = number.double ?? exactDouble(at)
        advance(to: at)
        return value
    }

    @inline(never) private mutating func wordIfNumber() throws(JSONError) -> Double {
        if case .number(let number)? = literal(at: offset)?.value {
            try skipValue()
            return number
        }
        try skipMismatch()
        return .nan
    }

    /// Returns the error for a value that is not a number. For a minus sign without digits, throws the scanner's error.
    private func numberMismatch(_ byte: UInt8) throws(JSONError) -> JSONError {
        if byte == UInt8(ascii: "-"), literal(at: offset) == nil {
            var at = offset
            _ = try scanNumber(&at)
        }
        return mismatch(byte)
    }

    /// Requires that `offset` is still at the start of the number and `end` at its end. So does `exactDouble`.
    private func wholeNumber(_ number: JSONNumber, _ end: Int) -> Int64? {
        if number.isInteger { return number.int64 }
        let value = number.double ?? exactDouble(end)
        return abs(value) <= 9_007_199_254_740_992 ? Int64(exactly: value) : nil
    }

    /// The slow path for numbers beyond the exact range of Double arithmetic. The standard library's conversion rounds
    /// correctly and does not depend on the locale.
    @inline(never) private func exactDouble(_ end: Int) -> Double {
        Double(String(decoding: slice(offset, end), as: UTF8.self)) ?? .nan
    }
}

// Fast paths for short unsigned numbers, the most common ones in gpsd's reports. The number must start at `offset` and,
// with the byte that follows it, fit into eight bytes. For other input, these functions read nothing and return nil.
extension JSONReader {
    /// Returns the next eight bytes, or nil if fewer bytes remain. In `values`, digits are mapped to 0...9. In
    /// `others`, the top bit is set in each byte that is not a digit.
    @inline(__always) private func loadNextWord() -> (word: UInt64, values: UInt64, others: UInt64)? {
        guard offset &+ 8 <= limit else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let values = word ^ 0x3030_3030_3030_3030
        // The top bits are cleared before the addition, so that no carry reaches the next byte.
        let others = (values & 0x7f7f_7f7f_7f7f_7f7f &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
        return (word, values, others)
    }

    @inline(__always) private static func byte(_ word: UInt64, at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: 8 &* index))
    }

    /// True for bytes that may follow the value of a member or an array element.
    @inline(__always) private static func isEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    /// Reads an unsigned number with a decimal point and up to six digits.
    @inline(__always) mutating func shortDouble() -> Double? {
        guard let (word, values, others) = loadNextWord() else { return nil }
        let point = others.trailingZeroBitCount &>> 3
        let end = (others & (others &- 1)).trailingZeroBitCount &>> 3
        guard point > 0, end < 8, end > point &+ 1, Self.byte(word, at: point) == UInt8(ascii: "."),
            Self.isEnd(Self.byte(word, at: end)), point == 1 || Self.byte(word, at: 0) != UInt8(ascii: "0")
        else { return nil }
        // Removes the decimal point and pads the number with leading zeros.
        let before = (1 as UInt64) &<< UInt64(truncatingIfNeeded: 8 &* point) &- 1
        let digits = values & before | values &>> 8 & ~before
        let mantissa = Self.value(ofDigits: digits &<< UInt64(truncatingIfNeeded: 72 &- 8 &* end))
        advance(to: offset &+ end)
        // Both operands are exact, so the quotient is rounded correctly.
        return Double(Int64(truncatingIfNeeded: mantissa)) / JSONNumber.powers[end &- point &- 1]
    }

    /// Reads an unsigned integer of up to seven digits.
    @inline(__always) mutating func shortWhole() -> Int64? {
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
