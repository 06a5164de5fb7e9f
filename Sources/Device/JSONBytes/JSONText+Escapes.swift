// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// Creates a text from bytes between quotes that no reader has validated. Used to repair the output of programs
    /// that omit escapes. A backslash that does not start a valid escape is kept as a backslash.
    package init(unchecked rawBytes: UnsafeRawBufferPointer) {
        if rawBytes.contains(UInt8(ascii: "\\")) {
            self.init(escaped: rawBytes)
        } else {
            self.init(plain: rawBytes, word: 0)
            word = unescapedWord()
        }
    }

    /// Calls the closure with each byte of the resolved text, which is never longer than `rawBytes`.
    func unescape(_ body: (UInt8) -> Void) {
        var index = 0
        while index < rawBytes.count {
            let byte = rawBytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < rawBytes.count else {
                body(byte)
                continue
            }
            if let plain = Self.plainEscape(rawBytes[index]) {
                body(plain)
                index += 1
            } else if rawBytes[index] == UInt8(ascii: "u"), let unit = codeUnit(at: index + 1) {
                index += 5
                var scalar = UInt32(unit)
                if unit & 0xfc00 == 0xd800, index + 1 < rawBytes.count, rawBytes[index] == UInt8(ascii: "\\"),
                    rawBytes[index + 1] == UInt8(ascii: "u"), let low = codeUnit(at: index + 2), low & 0xfc00 == 0xdc00
                {
                    index += 6
                    scalar = 0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(low & 0x3ff))
                }
                // A lone surrogate is not a Unicode scalar.
                for code in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{fffd}") ?? UTF8.encodedReplacementCharacter {
                    body(code)
                }
            } else {
                body(byte)
            }
        }
    }

    private func codeUnit(at start: Int) -> UInt16? {
        guard start + 4 <= rawBytes.count else { return nil }
        var unit: UInt16 = 0
        for index in start..<start + 4 {
            guard let digit = HexDigit.value(rawBytes[index]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Returns the byte that a two-character escape represents. nil for "u" and for bytes that form no escape.
    static func plainEscape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        default: nil
        }
    }
}
