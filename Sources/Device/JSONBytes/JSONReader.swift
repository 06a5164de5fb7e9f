// SPDX-License-Identifier: Apache-2.0

/// A cursor over one JSON text (RFC 8259) that pulls values out of it without building a tree and without allocating.
///
/// The bytes are borrowed: the reader and every ``JSONText`` from it must not outlive them. Any bytes at all are safe
/// to read; what is not JSON throws a ``JSONError`` with its offset. Beyond the RFC it takes the words NaN, nan,
/// Infinity and inf, with or without a minus sign, where a number may stand, since programs print them.
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
public struct JSONReader {
    /// How deep arrays and objects may be nested.
    public static let maximumDepth = 64

    let bytes: UnsafeRawBufferPointer
    /// How many bytes there are: kept, because the buffer's own count tests for a missing address each time.
    let limit: Int
    /// The offset of the next byte to read.
    public internal(set) var offset = 0
    /// Objects and arrays that are open.
    var depth = 0
    /// True after a value inside an array or object: a comma or the end has to follow.
    var needsComma = false

    /// The offset of the first value that was ignored because its type is wrong or it cannot be used; -1 when there is
    /// none. `null` counts as absent.
    package private(set) var firstMismatch = -1

    /// A reader at the start of these bytes.
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        limit = bytes.count
    }

    /// Enters the object that comes next.
    public mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{")) }

    /// Enters the array that comes next.
    public mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "[")) }

    /// The next key of the object, with the cursor before its value; nil, with the cursor behind the object, at its end.
    public mutating func nextKey() throws(JSONError) -> JSONText? {
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

    /// Enters an object. Passes over a value of another kind, or one that is not wanted, and returns false.
    package mutating func beginObjectIfPresent(wanted: Bool = true) throws(JSONError) -> Bool {
        let kind = try peekKind()
        guard kind == .object, wanted else {
            if kind == .object { try skipValue() } else { try skipMismatch() }
            return false
        }
        try beginObject()
        return true
    }

    /// Enters an array. Passes over a value of another kind, and returns false.
    package mutating func beginArrayIfPresent() throws(JSONError) -> Bool {
        guard try peekKind() == .array else {
            try skipMismatch()
            return false
        }
        try beginArray()
        return true
    }

    /// True when the array has one more element, with the cursor before it; false, with the cursor behind the array,
    /// at its end.
    public mutating func nextElement() throws(JSONError) -> Bool {
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

    /// What the next value is; nothing is consumed but blanks.
    public mutating func peekKind() throws(JSONError) -> JSONKind {
        let byte = try nextByte(&offset)
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"):
            if isWord("nan", at: offset) { return .number }
            // A kind whose value cannot be read would be found again and again.
            guard isWord("null", at: offset) else { throw JSONError(.unexpectedByte, at: offset) }
            return .null
        case UInt8(ascii: "N"), UInt8(ascii: "I"), UInt8(ascii: "i"): return .number
        default: throw JSONError(.unexpectedByte, at: offset)
        }
    }

    /// Skips a value of the wrong type and records its offset.
    @inline(never)
    mutating func skipMismatch() throws(JSONError) {
        _ = try nextByte(&offset)
        if !isWord("null", at: offset) { noteMismatch(at: offset) }
        try skipValue()
    }

    /// Records that the value at that offset cannot be used.
    package mutating func noteMismatch(at offset: Int) { if firstMismatch < 0 { firstMismatch = offset } }

    /// Checks that nothing but blanks follows.
    public func finish() throws(JSONError) {
        var at = offset
        while at < limit, Self.isBlank(bytes[at]) { at &+= 1 }
        guard at == limit else { throw JSONError(.unexpectedByte, at: at) }
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
        // A caller that ends what it did not begin must not bring the count below zero.
        depth = max(depth &- 1, 0)
        needsComma = true
    }
}

/// The type of a JSON value, as its first bytes tell it.
public enum JSONKind: UInt8, Sendable {
    /// `{`
    case object
    /// `[`
    case array
    /// `"`
    case string
    /// A digit or a minus sign, or one of the words NaN, nan, Infinity, inf that some programs print for a number.
    case number
    /// `true` or `false`
    case bool
    /// `null`
    case null
}
