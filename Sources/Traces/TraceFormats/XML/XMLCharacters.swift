// SPDX-License-Identifier: Apache-2.0

/// Checks that bytes are UTF-8 and hold only characters that XML allows.
enum XMLCharacters {
    /// What was found.
    struct Finding {
        /// So many bytes are whole characters that XML allows.
        var valid: Int
        /// True when the next byte can never belong to such a character; false at the end, and where only the end of the
        /// last character is missing.
        var isBroken: Bool
    }

    /// Looks at bytes that begin with a character.
    static func check(_ bytes: UnsafeRawBufferPointer) -> Finding {
        var at = 0
        let count = bytes.count
        while at < count {
            // Eight at a time, as long as they are ASCII from the space up.
            while count &- at >= 8 {
                let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                let control = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
                if word & 0x8080_8080_8080_8080 != 0 || control != 0 { break }
                at &+= 8
            }
            guard at < count else { break }
            // Up to eight one by one, then the fast way again.
            let stop = min(at &+ 8, count)
            while at < stop {
                let byte = bytes[at]
                if byte < 0x80 {
                    guard byte >= 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else {
                        return Finding(valid: at, isBroken: true)
                    }
                    at &+= 1
                    continue
                }
                let length = length(bytes, at)
                guard length > 0 else { return Finding(valid: at, isBroken: length < 0) }
                at &+= length
            }
        }
        return Finding(valid: count, isBroken: false)
    }

    /// The bytes of the character of several that begins there: 0 when its end is missing, -1 when it is none.
    ///
    /// The ranges are those of the Unicode Standard's table of well-formed UTF-8: no overlong forms, no surrogates,
    /// nothing beyond U+10FFFF. U+FFFE and U+FFFF are let through, for they do no harm.
    private static func length(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int {
        let first = bytes[at]
        let length: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xbf
        switch first {
        case 0xc2...0xdf: length = 2
        case 0xe0...0xef:
            length = 3
            if first == 0xe0 { low = 0xa0 }
            if first == 0xed { high = 0x9f }
        case 0xf0...0xf4:
            length = 4
            if first == 0xf0 { low = 0x90 }
            if first == 0xf4 { high = 0x8f }
        default: return -1
        }
        for index in 1..<length {
            guard at + index < bytes.count else { return 0 }
            guard (low...high).contains(bytes[at + index]) else { return -1 }
            (low, high) = (0x80, 0xbf)
        }
        return length
    }

    /// True for the blanks of XML.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

    /// True for bytes that can begin a name. What is not ASCII is taken for a letter.
    @inline(__always)
    static func beginsName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte >= 0x80 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":")
    }

    /// True for bytes that a name can hold.
    @inline(__always)
    static func isInName(_ byte: UInt8) -> Bool {
        beginsName(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
