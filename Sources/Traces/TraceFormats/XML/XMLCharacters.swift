// SPDX-License-Identifier: Apache-2.0

/// A UTF-8 validator that also rejects the control characters forbidden by XML.
enum XMLCharacters {
    struct CheckResult {
        /// The number of leading bytes that form complete, permitted characters.
        var valid: Int
        /// True if the next byte is invalid, or false at the end of the input, even if the last character is
        /// incomplete.
        var isBroken: Bool
    }

    static func check(_ bytes: UnsafeRawBufferPointer) -> CheckResult {
        var at = 0
        let count = bytes.count
        while at < count {
            // The fast path checks whether the next eight bytes are all ASCII and at least 0x20.
            while count &- at >= 8 {
                let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                let control = (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080
                if word & 0x8080_8080_8080_8080 != 0 || control != 0 { break }
                at &+= 8
            }
            guard at < count else { break }
            // Checks up to eight bytes individually before trying the fast path again.
            let stop = min(at &+ 8, count)
            while at < stop {
                let byte = bytes[at]
                if byte < 0x80 {
                    guard byte >= 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else {
                        return CheckResult(valid: at, isBroken: true)
                    }
                    at &+= 1
                    continue
                }
                let length = length(bytes, at)
                guard length > 0 else { return CheckResult(valid: at, isBroken: length < 0) }
                at &+= length
            }
        }
        return CheckResult(valid: count, isBroken: false)
    }

    /// Returns the length in bytes of the multi-byte character at the index `at`, 0 if it is incomplete, or -1 if it is
    /// invalid.
    ///
    /// The ranges are from the Unicode Standard's table of well-formed UTF-8 byte sequences, which excludes overlong
    /// forms, surrogates and code points above U+10FFFF. U+FFFE and U+FFFF, which XML forbids, are accepted because
    /// they are harmless.
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

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 }

    /// Returns true for bytes that can begin a name. All non-ASCII bytes count as letters.
    @inline(__always) static func isNameStart(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte >= 0x80 || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":")
    }

    @inline(__always) static func isNameCharacter(_ byte: UInt8) -> Bool {
        isNameStart(byte) || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
