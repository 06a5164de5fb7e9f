// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Reads a number, correctly rounded. Returns ±infinity for values beyond the range of Double, and NaN for `null`
    /// and the word NaN.
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

    /// Reads a number like ``readDouble()``. Skips a value of any other type and returns NaN.
    package mutating func doubleIfPresent() throws(JSONError) -> Double {
        if let value = shortDouble() { return value }
        let byte = try nextByte(&offset)
        return startsNumber(byte, at: offset) ? try scanDouble() : try wordIfNumber()
    }

    /// Reads an integer. A number with a fraction or an exponent is accepted if its value is integral and its magnitude
    /// is at most 2^53.
    package mutating func readInt64() throws(JSONError) -> Int64 {
        let byte = try nextByte(&offset)
        guard startsNumber(byte, at: offset) else { throw try numberMismatch(byte) }
        var at = offset
        let number = try scanNumber(&at)
        guard let value = wholeNumber(number, at) else { throw JSONError(.outOfRange, at: offset) }
        advance(to: at)
        return value
    }

    /// Reads an integer like ``readInt64()``. Skips any other value, including numbers with a fraction, and returns
    /// nil.
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

    /// Moves the reader past a value.
    @inline(__always)
    mutating func advance(to end: Int) {
        offset = end
        needsComma = true
    }

    @inline(__always)
    private mutating func scanDouble() throws(JSONError) -> Double {
        var at = offset
        let number = try scanNumber(&at)
        let value = number.double ?? exactDouble(at)
        advance(to: at)
        return value
    }

    @inline(never)
    private mutating func wordIfNumber() throws(JSONError) -> Double {
        if case .number(let number)? = literal(at: offset)?.value {
            try skipValue()
            return number
        }
        try skipMismatch()
        return .nan
    }

    private func numberMismatch(_ byte: UInt8) throws(JSONError) -> JSONError {
        if byte == UInt8(ascii: "-"), literal(at: offset) == nil {
            var at = offset
            _ = try scanNumber(&at)
        }
        return mismatch(byte)
    }

    private func wholeNumber(_ number: JSONNumber, _ end: Int) -> Int64? {
        if number.isInteger { return number.int64 }
        let value = number.double ?? exactDouble(end)
        return abs(value) <= 9_007_199_254_740_992 ? Int64(exactly: value) : nil
    }

    /// The slow path for numbers whose digits or exponent exceed the exact range of Double arithmetic. The conversion
    /// of the standard library rounds correctly and does not depend on the locale.
    @inline(never)
    private func exactDouble(_ end: Int) -> Double {
        Double(Substring(String(decoding: slice(offset, end), as: UTF8.self))) ?? .nan
    }
}
