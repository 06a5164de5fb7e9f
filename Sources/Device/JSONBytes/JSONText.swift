// SPDX-License-Identifier: Apache-2.0

/// A string or key in a JSON text. It is a view of the reader's bytes and must not outlive them.
@usableFromInline package struct JSONText {
    /// The bytes between the quotes, with escapes unresolved.
    package let rawBytes: UnsafeRawBufferPointer
    package let hasEscapes: Bool
    /// The unescaped text packed into an integer in little-endian order. The integer is 0 if the text is empty, is
    /// longer than 8 bytes or contains a zero byte. A `switch` over packed literals from ``word(_:)`` needs only a few
    /// integer comparisons.
    package internal(set) var word: UInt64

    init(plain rawBytes: UnsafeRawBufferPointer, word: UInt64) {
        self.rawBytes = rawBytes
        hasEscapes = false
        self.word = word
    }

    init(escaped rawBytes: UnsafeRawBufferPointer) {
        self.rawBytes = rawBytes
        hasEscapes = true
        word = 0
        word = unescapedWord()
    }

    /// Packs an ASCII literal into an integer in the same way as ``word``. The compiler evaluates the call at build
    /// time. For a literal of more than 8 bytes, the result is 0, which would match every long text. Use ``equals(_:)``
    /// instead.
    @inlinable @inline(__always) package static func word(_ literal: StaticString) -> UInt64 {
        let count = literal.utf8CodeUnitCount
        guard count <= 8 else { return 0 }
        let start = literal.utf8Start
        var word: UInt64 = 0
        var index = 0
        while index < count {
            word |= UInt64(start[index]) &<< UInt64(truncatingIfNeeded: 8 &* index)
            index &+= 1
        }
        return word
    }

    package func equals(_ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { expected in
            if !hasEscapes { return rawBytes.count == expected.count && rawBytes.elementsEqual(expected) }
            var count = 0
            var isEqual = true
            unescape { byte in
                isEqual = isEqual && count < expected.count && expected[count] == byte
                count += 1
            }
            return isEqual && count == expected.count
        }
    }

    /// Returns the unescaped text. Invalid UTF-8 and lone surrogates become U+FFFD.
    package func string() -> String {
        guard hasEscapes else { return String(decoding: rawBytes, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rawBytes.count)
        unescape { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func unescapedWord() -> UInt64 {
        var word: UInt64 = 0
        var count: UInt64 = 0
        var fits = true
        unescape { byte in
            // A zero byte would be indistinguishable from the padding of a shorter word.
            if count == 8 || byte == 0 {
                fits = false
            } else {
                word |= UInt64(byte) << (8 * count)
                count += 1
            }
        }
        return fits ? word : 0
    }
}

extension JSONText {
    /// Creates a string from unvalidated bytes. Used to repair the output of programs that fail to escape characters. A
    /// backslash that does not start a valid escape is kept.
    package init(unchecked rawBytes: UnsafeRawBufferPointer) {
        if rawBytes.contains(UInt8(ascii: "\\")) {
            self.init(escaped: rawBytes)
        } else {
            self.init(plain: rawBytes, word: 0)
            word = unescapedWord()
        }
    }

    /// Calls the closure with each byte of the unescaped text, which is at most as long as `rawBytes`.
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

    /// Returns the byte that a two-character escape represents, or nil for "u" and for invalid escapes.
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
