// SPDX-License-Identifier: Apache-2.0

// Low-level access to the bytes of the text. An offset is compared with `limit` before each read. Offsets exceed
// `limit` by at most one, so adding to them needs no overflow checks.
extension JSONReader {
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

    /// Skips whitespace and returns the next byte.
    @inline(__always) func nextByte(_ at: inout Int) throws(JSONError) -> UInt8 {
        while at < limit {
            let byte = bytes[at]
            if byte > 0x20 || !Self.isBlank(byte) { return byte }
            at &+= 1
        }
        throw JSONError(.truncated, at: limit)
    }

    @inline(__always) func scanColon(_ at: inout Int) throws(JSONError) {
        guard try nextByte(&at) == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: at) }
        at &+= 1
    }

    /// Scans a string from the byte after the opening quote to the byte after the closing quote.
    @inline(__always) func scanText(_ at: inout Int) throws(JSONError) -> JSONText {
        let start = at
        if start &+ 8 <= limit {
            let head = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            let special = Self.specialBytes(head)
            let length = special.trailingZeroBitCount &>> 3
            if special != 0, bytes[start &+ length] == UInt8(ascii: "\"") {
                // Most keys and short strings take this path.
                at = start &+ length &+ 1
                let mask = (1 as UInt64) &<< UInt64(truncatingIfNeeded: length &* 8) &- 1
                return JSONText(plain: slice(start, start &+ length), word: head & mask)
            }
        }
        return try scanLongText(&at)
    }

    @inline(never) private func scanLongText(_ at: inout Int) throws(JSONError) -> JSONText {
        let start = at
        var hasEscapes = false
        let end = try scanToQuote(&at, &hasEscapes)
        let text = slice(start, end)
        if hasEscapes { return JSONText(escaped: text) }
        var word: UInt64 = 0
        if text.count <= 8 { for byte in text.reversed() { word = word &<< 8 | UInt64(byte) } }
        return JSONText(plain: text, word: word)
    }

    /// Moves past the closing quote and returns the quote's offset.
    private func scanToQuote(_ at: inout Int, _ hasEscapes: inout Bool) throws(JSONError) -> Int {
        while true {
            while at &+ 8 <= limit {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let special = Self.specialBytes(word)
                at &+= special.trailingZeroBitCount &>> 3
                if special != 0 { break }
            }
            guard at < limit else { throw JSONError(.truncated, at: limit) }
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at &+= 1
                return at &- 1
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                try scanEscape(&at)
            } else if byte < 0x20 {
                throw JSONError(.invalidString, at: at)
            } else {
                at &+= 1
            }
        }
    }

    private func scanEscape(_ at: inout Int) throws(JSONError) {
        guard at &+ 1 < limit else { throw JSONError(.truncated, at: limit) }
        let byte = bytes[at &+ 1]
        if JSONText.plainEscape(byte) != nil {
            at &+= 2
            return
        }
        guard byte == UInt8(ascii: "u") else { throw JSONError(.invalidString, at: at) }
        var index = at &+ 2
        while index < at &+ 6 {
            guard index < limit else { throw JSONError(.truncated, at: limit) }
            guard HexDigit.value(bytes[index]) != nil else { throw JSONError(.invalidString, at: index) }
            index &+= 1
        }
        at = index
    }

    /// Sets the top bit of each byte that is a quote, a backslash or a control character. Only the lowest set bit of
    /// the result is reliable, because the subtraction for a byte may borrow from higher bytes.
    @inline(__always) static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5c)
        return ((word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash)
            & (ones &* 0x80)
    }

    /// `start` and `end` must lie within the text.
    @inline(__always) func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: end &- start)
    }

    /// True if the text at the offset begins with the word, whatever byte follows.
    func isWord(_ word: StaticString, at start: Int) -> Bool {
        let length = word.utf8CodeUnitCount
        return limit &- start >= length && isWord(word, length, at: start)
    }

    /// Like `isWord(_:at:)`, but compares only the first `length` bytes of the word. At least that many bytes must
    /// follow the offset.
    func isWord(_ word: StaticString, _ length: Int, at start: Int) -> Bool {
        var index = 0
        while index < length {
            guard bytes[start &+ index] == word.utf8Start[index] else { return false }
            index &+= 1
        }
        return true
    }

    /// Returns the error to throw if no value of the requested type starts with this byte. The error is `wrongType` if
    /// a value of another type starts here.
    func mismatch(_ byte: UInt8) -> JSONError {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            JSONError(.wrongType, at: offset)
        default:
            literal(at: offset) == nil ? wordError(offset) : JSONError(.wrongType, at: offset)
        }
    }
}
