// SPDX-License-Identifier: Apache-2.0

/// A pull parser for a single JSON text (RFC 8259) that neither builds a tree nor allocates memory.
///
/// The bytes must outlive the reader and every ``JSONText`` that it returns. Reading invalid JSON is safe and throws a
/// ``JSONError``. The words NaN, nan, Infinity and inf are accepted as numbers, with or without a minus sign, because
/// some programs print them in place of numbers.
///
///     var reader = JSONReader(bytes)
///     try reader.beginObject()
///     while let key = try reader.nextKey() {
///         switch key.word {
///         case JSONText.word("lat"): latitude = try reader.readDouble()
///         default: try reader.skipValue()
///         }
///     }
///     try reader.finish()
@usableFromInline package struct JSONReader {
    package static let maximumDepth = 64

    let bytes: UnsafeRawBufferPointer
    /// The number of bytes. Stored because `bytes.count` checks for a nil base address on each access.
    let limit: Int
    package internal(set) var offset = 0
    var depth = 0
    /// True after a value inside an array or object. The next byte must be a comma or the closing bracket.
    var needsComma = false

    /// The offset of the first value recorded as unusable, or -1 if there is none. `null` is not recorded, because it
    /// stands for a missing value.
    package private(set) var firstMismatch = -1

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        limit = bytes.count
    }

    package mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{")) }

    package mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "[")) }

    /// Returns the next key. At the end of the object, moves past it and returns nil.
    package mutating func nextKey() throws(JSONError) -> JSONText? {
        var at = offset
        var byte = try nextByte(&at)
        if byte == UInt8(ascii: "}") {
            end(at)
            return nil
        }
        if needsComma {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: at) }
            at &+= 1
            byte = try nextByte(&at)
        }
        guard byte == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: at) }
        at &+= 1
        let key = try scanText(&at)
        try scanColon(&at)
        offset = at
        needsComma = false
        return key
    }

    /// If `isRead` is true and the next value is an object, enters it. Otherwise, skips the value and returns false.
    package mutating func beginObjectIfPresent(reading isRead: Bool = true) throws(JSONError) -> Bool {
        let kind = try peekKind()
        guard kind == .object, isRead else {
            if kind == .object { try skipValue() } else { try skipMismatch() }
            return false
        }
        try beginObject()
        return true
    }

    /// Enters the next value if it is an array. Otherwise, skips the value and returns false.
    package mutating func beginArrayIfPresent() throws(JSONError) -> Bool {
        guard try peekKind() == .array else {
            try skipMismatch()
            return false
        }
        try beginArray()
        return true
    }

    /// Returns true if the array has another element. At the end of the array, moves past it and returns false.
    package mutating func nextElement() throws(JSONError) -> Bool {
        var at = offset
        let byte = try nextByte(&at)
        if byte == UInt8(ascii: "]") {
            end(at)
            return false
        }
        if needsComma {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: at) }
            at &+= 1
        }
        offset = at
        needsComma = false
        return true
    }

    /// Returns the type of the next value. Consumes only whitespace.
    package mutating func peekKind() throws(JSONError) -> JSONKind {
        let byte = try nextByte(&offset)
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"):
            if isWord("nan", at: offset) { return .number }
            // Without this error, a caller could peek at the same unreadable value forever.
            guard isWord("null", at: offset) else { throw JSONError(.unexpectedByte, at: offset) }
            return .null
        case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "i"): return .number
        default: throw JSONError(.unexpectedByte, at: offset)
        }
    }

    /// Skips a value of the wrong type and records its offset.
    @inline(never) mutating func skipMismatch() throws(JSONError) {
        _ = try nextByte(&offset)
        if !isWord("null", at: offset) { recordMismatch(at: offset) }
        try skipValue()
    }

    package mutating func recordMismatch(at offset: Int) { if firstMismatch < 0 { firstMismatch = offset } }

    /// Checks that only whitespace follows.
    package func finish() throws(JSONError) {
        var at = offset
        while at < limit, Self.isBlank(bytes[at]) { at &+= 1 }
        guard at == limit else { throw JSONError(.unexpectedByte, at: at) }
    }

    /// Returns the closure's result, or nil if the closure throws an error.
    package static func parse<Value>(
        _ bytes: UnsafeRawBufferPointer, _ body: (inout JSONReader) throws(JSONError) -> Value?
    ) -> Value? {
        var reader = JSONReader(bytes)
        do throws(JSONError) { return try body(&reader) } catch { return nil }
    }

    private mutating func begin(_ bracket: UInt8) throws(JSONError) {
        let byte = try nextByte(&offset)
        guard byte == bracket else { throw mismatch(byte) }
        guard depth < Self.maximumDepth else { throw JSONError(.tooDeep, at: offset) }
        offset &+= 1
        depth &+= 1
        needsComma = false
    }

    private mutating func end(_ at: Int) {
        offset = at &+ 1
        // Closing more levels than were opened must not make the depth negative.
        depth = max(depth &- 1, 0)
        needsComma = true
    }
}

/// The type of a JSON value, derived from its first bytes.
package enum JSONKind: UInt8, Sendable {
    case object
    case array
    case string
    /// Includes the words NaN, nan, Infinity and inf, which some programs print in place of a number.
    case number
    case bool
    case null
}
