// SPDX-License-Identifier: Apache-2.0

/// Methods that scan numbers. The methods in JSONReader+Numbers.swift convert the result.
extension JSONReader {
    @inline(__always) func isDigit(at index: Int) -> Bool { index < limit && bytes[index] &- UInt8(ascii: "0") <= 9 }

    /// Returns true if the byte at the index is a digit, or a minus sign that precedes a digit.
    @inline(__always) func startsNumber(_ byte: UInt8, at index: Int) -> Bool {
        byte &- UInt8(ascii: "0") <= 9 || byte == UInt8(ascii: "-") && isDigit(at: index &+ 1)
    }

    /// Parses a number. The first byte must be a digit or a minus sign.
    @inline(__always) func scanNumber(_ at: inout Int) throws(JSONError) -> JSONNumber {
        var number = JSONNumber()
        if bytes[at] == UInt8(ascii: "-") {
            number.isNegative = true
            at &+= 1
        }
        let start = at
        scanDigits(&at, &number)
        if at &- start != 1 {
            guard at > start else { throw numberError(at) }
            guard bytes[start] != UInt8(ascii: "0") else { throw JSONError(.invalidNumber, at: start &+ 1) }
        }
        guard at < limit else { return number }
        if bytes[at] == UInt8(ascii: ".") {
            at &+= 1
            let start = at
            scanDigits(&at, &number)
            guard at > start else { throw numberError(at) }
            number.exponent = start &- at
            number.isInteger = false
            guard at < limit else { return number }
        }
        if bytes[at] | 0x20 == UInt8(ascii: "e") {
            let exponent = try scanExponent(&at)
            number.exponent &+= exponent
            number.isInteger = false
        }
        return number
    }

    /// Appends the following digits to the mantissa, eight at a time. If the mantissa does not fit into UInt64,
    /// `append` sets `hasOverflowed`.
    @inline(__always) private func scanDigits(_ at: inout Int, _ number: inout JSONNumber) {
        while at &+ 8 <= limit {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            // The XOR maps digits to 0...9. Adding 0x76 then sets the top bit of each byte that is not a digit. A carry
            // may also change the top bits of later bytes, but only the lowest set bit is used.
            let values = word ^ 0x3030_3030_3030_3030
            let others = (values &+ 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
            let length = others.trailingZeroBitCount &>> 3
            // Without this check, the shift below would be by 64 bits, which `&<<` treats as 0.
            if length == 0 { return }
            // The shift pads the number with leading zeros.
            let digits = values &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length)
            number.append(Self.value(ofDigits: digits), length)
            at &+= length
            if length < 8 { return }
        }
        while at < limit {
            let digit = bytes[at] &- UInt8(ascii: "0")
            if digit > 9 { return }
            number.append(UInt64(digit), 1)
            at &+= 1
        }
    }

    /// Returns the value of eight digits, the first of which is in the lowest byte. Adjacent digits are combined into
    /// four pairs. Two multiplications then weight the pairs and add them up in the upper half of a word.
    @inlinable @inline(__always) package static func value(ofDigits digits: UInt64) -> UInt64 {
        let pairs = digits &* 10 &+ digits &>> 8
        let mask: UInt64 = 0x0000_00ff_0000_00ff
        let outer = (pairs & mask) &* (100 &+ 1_000_000 &<< 32)
        let inner = (pairs &>> 16 & mask) &* (1 &+ 10_000 &<< 32)
        return (outer &+ inner) &>> 32
    }

    @inline(never) private func scanExponent(_ at: inout Int) throws(JSONError) -> Int {
        at &+= 1
        var isNegative = false
        if at < limit, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") {
            isNegative = bytes[at] == UInt8(ascii: "-")
            at &+= 1
        }
        let start = at
        var exponent = 0
        while at < limit {
            let digit = bytes[at] &- UInt8(ascii: "0")
            if digit > 9 { break }
            // Limits the exponent to a value far beyond the range of Double, so that an exponent with many digits
            // cannot overflow.
            exponent = min(exponent &* 10 &+ Int(digit), 100_000_000)
            at &+= 1
        }
        guard at > start else { throw numberError(at) }
        return isNegative ? 0 &- exponent : exponent
    }

    private func numberError(_ at: Int) -> JSONError {
        if at == limit { return JSONError(.truncated, at: at) }
        // If the text is truncated, the minus sign may start an incomplete word, such as `-Infin`. The callers have
        // already handled complete words.
        let word = bytes[at &- 1] == UInt8(ascii: "-") ? wordError(at &- 1) : JSONError(.invalidNumber, at: at)
        return word.reason == .truncated ? word : JSONError(.invalidNumber, at: at)
    }
}
