// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    @usableFromInline package mutating func key(text key: String) {
        string(key)
        endKey()
    }

    /// Appends a key, which must be printable ASCII without quotes or backslashes.
    @usableFromInline package mutating func key(_ key: StaticString) {
        separate()
        append(UInt8(ascii: "\""))
        key.withUTF8Buffer { append(contentsOf: $0) }
        append(UInt8(ascii: "\""))
        endKey()
    }

    /// Appends a string. Escapes quotes, backslashes, and characters that control or reorder displayed text.
    @usableFromInline package mutating func string(_ value: String) {
        separate()
        append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { escape($0) }
        append(UInt8(ascii: "\""))
    }

    /// True for ASCII characters that need no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, Self.isPlain(text[index]) { index += 1 }
            if index > start { append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index])) }
            guard index < text.count else { return }
            let byte = text[index]
            index += 1
            switch byte {
            // The first bytes of the characters that `appendMultibyte` may escape.
            case 0xc2, 0xd8, 0xe2, 0xef, 0xf3:
                index += appendMultibyte(UnsafeBufferPointer(rebasing: text[(index - 1)...])) - 1
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape(byte)
            case 8: escape(UInt8(ascii: "b"))
            case 9: escape(UInt8(ascii: "t"))
            case 10: escape(UInt8(ascii: "n"))
            case 12: escape(UInt8(ascii: "f"))
            case 13: escape(UInt8(ascii: "r"))
            case 0..<0x20, 0x7f:
                escape(UInt16(byte))
            default: append(byte)
            }
        }
    }

    /// Appends the first character of `text`. The character must have two to four bytes. It is escaped if it controls
    /// or reorders displayed text. Returns the number of bytes that it occupies in `text`.
    private mutating func appendMultibyte(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        let count = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4
        guard text.count >= count else {
            append(text[0])
            return 1
        }
        var scalar = UInt32(text[0]) & (0x7f >> UInt32(count))
        for index in 1..<count { scalar = scalar << 6 | UInt32(text[index] & 0x3f) }
        switch scalar {
        case 0x80..<0xa0, 0x61c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff:
            escape(UInt16(truncatingIfNeeded: scalar))
        case 0xe0000...0xe007f:
            // A UTF-16 surrogate pair.
            escape(UInt16(0xdb40))
            escape(UInt16(truncatingIfNeeded: 0xdc00 | scalar & 0x3ff))
        default: append(contentsOf: UnsafeBufferPointer(rebasing: text[..<count]))
        }
        return count
    }

    private mutating func escape(_ unit: UInt16) {
        escape(UInt8(ascii: "u"))
        for shift in stride(from: 12, through: 0, by: -4) {
            append(HexDigit.digit(UInt8(truncatingIfNeeded: unit >> shift)))
        }
    }

    private mutating func escape(_ letter: UInt8) {
        append(UInt8(ascii: "\\"))
        append(letter)
    }
}

extension JSONWriter {
    @usableFromInline package mutating func int(_ value: Int64) {
        separate()
        if value < 0 { append(UInt8(ascii: "-")) }
        DecimalDigits.append(value.magnitude, to: &bytes)
    }

    package mutating func int(_ value: Int) { int(Int64(value)) }
    package mutating func int(_ value: Int32) { int(Int64(value)) }

    /// Appends a number in the shortest form that parses back to the same value. Writes `null` for infinity and NaN.
    @usableFromInline package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        DecimalDigits.append(shortest: value, to: &bytes)
    }

    /// Appends a number with 0 to 9 decimals, or `null` if the number is not finite or its magnitude is at least 1e15.
    package mutating func fixed(_ value: Double, decimals: Int) {
        guard value.magnitude < FixedDecimal.limit else { return null() }
        separate()
        FixedDecimal.append(value, decimals: decimals, to: &bytes)
    }
}
