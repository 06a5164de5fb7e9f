// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// The key of the value that is written next, whatever it consists of.
    public mutating func key(text key: String) {
        string(key)
        endKey()
    }

    /// The key of the value that is written next, from a literal of printable ASCII without quotes and backslashes.
    public mutating func key(_ key: StaticString) {
        separate()
        append(UInt8(ascii: "\""))
        key.withUTF8Buffer { append(contentsOf: $0) }
        append(UInt8(ascii: "\""))
        endKey()
    }

    /// A string: quotes, backslashes and control characters are escaped, everything else stays UTF-8.
    public mutating func string(_ value: String) {
        separate()
        append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { escape($0) }
        append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape(byte)
            case 8: escape(UInt8(ascii: "b"))
            case 9: escape(UInt8(ascii: "t"))
            case 10: escape(UInt8(ascii: "n"))
            case 12: escape(UInt8(ascii: "f"))
            case 13: escape(UInt8(ascii: "r"))
            case 0..<0x20, 0x7f:
                escape(UInt8(ascii: "u"))
                append(UInt8(ascii: "0"))
                append(UInt8(ascii: "0"))
                append(HexDigit.digit(byte >> 4))
                append(HexDigit.digit(byte))
            default: append(byte)
            }
        }
    }

    private mutating func escape(_ letter: UInt8) {
        append(UInt8(ascii: "\\"))
        append(letter)
    }
}
