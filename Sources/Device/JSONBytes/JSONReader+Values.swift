// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    package mutating func readBool() throws(JSONError) -> Bool {
        guard let value = try boolIfPresent(skippingOthers: false) else { throw JSONError(.wrongType, at: offset) }
        return value
    }

    /// Reads `true` or `false`. Skips any other value and returns nil.
    package mutating func boolIfPresent() throws(JSONError) -> Bool? { try boolIfPresent(skippingOthers: true) }

    /// Reads `null` if it is the next value. Otherwise, reads nothing and returns false.
    package mutating func readNull() throws(JSONError) -> Bool {
        guard try nextByte(&offset) == UInt8(ascii: "n"), isWord("null", at: offset) else { return false }
        advance(to: offset &+ 4)
        return true
    }

    /// Reads a string without copying it.
    package mutating func readText() throws(JSONError) -> JSONText {
        var at = offset
        let byte = try nextByte(&at)
        offset = at
        guard byte == UInt8(ascii: "\"") else { throw mismatch(byte) }
        at &+= 1
        let text = try scanText(&at)
        advance(to: at)
        return text
    }

    /// Reads a string without copying it. Skips any other value and returns nil.
    package mutating func textIfPresent() throws(JSONError) -> JSONText? {
        if try nextByte(&offset) == UInt8(ascii: "\"") { return try readText() }
        try skipMismatch()
        return nil
    }

    /// Reads a string whose representation in the JSON text, with escapes, has at most `limit` bytes. Replaces invalid
    /// UTF-8 with U+FFFD.
    package mutating func readString(limit: Int = 1 << 16) throws(JSONError) -> String {
        let start = self
        let text = try readText()
        guard text.rawBytes.count <= limit else {
            self = start
            throw JSONError(.tooLong, at: offset)
        }
        return text.string()
    }

    /// Skips the next value and returns its bytes. Throws if they do not form a valid JSON value.
    package mutating func readRawValue() throws(JSONError) -> UnsafeRawBufferPointer {
        _ = try nextByte(&offset)
        let start = offset
        try skipValue()
        return slice(start, offset)
    }

    private mutating func boolIfPresent(skippingOthers: Bool) throws(JSONError) -> Bool? {
        let byte = try nextByte(&offset)
        let isFalse = byte == UInt8(ascii: "f")
        let rest = offset &+ (isFalse ? 1 : 0)
        if limit &- rest >= 4 {
            let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: rest, as: UInt32.self))
            // The integers are "alse" (the rest of `false`) and "true" in little-endian order.
            if word == (isFalse ? 0x6573_6c61 : 0x6575_7274) {
                advance(to: rest &+ 4)
                return !isFalse
            }
        }
        guard skippingOthers else { throw mismatch(byte) }
        try skipMismatch()
        return nil
    }
}
