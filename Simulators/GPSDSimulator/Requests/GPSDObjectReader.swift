// SPDX-License-Identifier: Apache-2.0

/// Parses the JSON objects in requests as gpsd 3.22 does, with the same error messages. gpsd accepts some invalid JSON
/// and rejects some valid JSON. If an object contains an error, gpsd applies the values that precede the error. This
/// behaviour was determined experimentally (see the dialogues in the tests).
struct GPSDObjectReader {
    enum Kind {
        /// A string of at most the given number of bytes.
        case text(Int)
        case bare
    }

    /// The text of a value, without quotes and with escapes resolved.
    struct Value {
        var bytes: [UInt8]

        var isTrue: Bool { bytes.elementsEqual("true".utf8) }

        /// The number at the start of the text, parsed like C's atoi: clamped to 64 bits, then truncated to 32 bits.
        var number: Int32 {
            let rest = bytes.drop(while: GPSDObjectReader.isBlank)
            let sign = rest.prefix(1).filter { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            let digits = rest.dropFirst(sign.count).prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return 0 }
            let number = Int64(String(decoding: sign + digits, as: UTF8.self))
            return Int32(truncatingIfNeeded: number ?? (sign == [UInt8(ascii: "-")] ? .min : .max))
        }
    }

    private enum ParseError: Error {
        case end
        case fault(String, at: Int)
    }

    /// The maximum length of a name, in bytes.
    private static let maximumNameLength = 30
    /// The maximum length of an unknown or unquoted value, in bytes.
    private static let maximumValueLength = 512

    private let bytes: [UInt8]
    private let kinds: (String) -> Kind?
    private var offset: Int

    /// `kinds` returns the expected type of a member, or nil for an unknown member.
    init(_ bytes: [UInt8], from start: Int, kinds: @escaping (String) -> Kind?) {
        (self.bytes, self.kinds) = (bytes, kinds)
        offset = start
    }

    /// Parses the object and calls the closure for each value, including the values that precede an error. Returns the
    /// offset at which the next request may begin, and the error, if any.
    mutating func read(_ assign: (String, Value) -> Void) -> (end: Int, fault: String?) {
        do throws(ParseError) {
            try begin()
            while try member(assign) {}
            skipBlanks()
            return (offset, nil)
        } catch {
            switch error {
            case .end: return (bytes.count, nil)
            case .fault(let text, let offset): return (offset, text)
            }
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private mutating func skipBlanks() { while offset < bytes.count, Self.isBlank(bytes[offset]) { offset += 1 } }

    private func next() throws(ParseError) -> UInt8 {
        guard offset < bytes.count else { throw .end }
        return bytes[offset]
    }

    private mutating func begin() throws(ParseError) {
        skipBlanks()
        guard try next() == UInt8(ascii: "{") else {
            throw .fault("non-whitespace when expecting object start", at: offset)
        }
        offset += 1
    }

    /// Parses a name and its value. Returns false at the end of the object.
    private mutating func member(_ assign: (String, Value) -> Void) throws(ParseError) -> Bool {
        // gpsd skips closing braces where it expects a name, so the closing brace of an empty object does not end it.
        while offset < bytes.count, Self.isBlank(bytes[offset]) || bytes[offset] == UInt8(ascii: "}") { offset += 1 }
        guard try next() == UInt8(ascii: "\"") else {
            throw .fault("non-whitespace when expecting attribute start", at: offset)
        }
        let start = offset
        offset += 1
        let name = try name(start)
        while offset < bytes.count, Self.isBlank(bytes[offset]) || bytes[offset] == UInt8(ascii: ":") { offset += 1 }
        if try next() == UInt8(ascii: "[") { throw .fault("saw [ when not expecting array", at: offset) }
        let kind = kinds(name)
        let isQuoted = bytes[offset] == UInt8(ascii: "\"")
        let value = Value(bytes: isQuoted ? try quoted(kind, start) : try bare(start))
        // gpsd ignores a value if the input ends immediately after it.
        _ = try next()
        skipBlanks()
        switch kind {
        case .text where !isQuoted: throw .fault("didn't see quoted value when expecting string", at: start)
        case .bare where isQuoted: throw .fault("saw quoted value when expecting nonstring", at: start)
        case .text(let length): assign(name, Value(bytes: Array(value.bytes.prefix(length))))
        case .bare: assign(name, value)
        case nil: break
        }
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: ",") || bytes[offset] == UInt8(ascii: "}") else {
            throw .fault("garbage while expecting comma or } or ]", at: offset)
        }
        offset += 1
        return bytes[offset - 1] == UInt8(ascii: ",")
    }

    private mutating func name(_ start: Int) throws(ParseError) -> String {
        let first = offset
        while try next() != UInt8(ascii: "\"") {
            guard offset - first < Self.maximumNameLength else { throw .fault("attribute name too long", at: start) }
            offset += 1
        }
        offset += 1
        return String(decoding: bytes[first..<offset - 1], as: UTF8.self)
    }

    private mutating func quoted(_ kind: Kind?, _ start: Int) throws(ParseError) -> [UInt8] {
        // gpsd detects an overlong value only after it has stored one extra byte.
        let limit =
            switch kind {
            case .text(let length): length + 1
            case .bare: 1
            case nil: Self.maximumValueLength
            }
        offset += 1
        var text: [UInt8] = []
        while true {
            var byte = try next()
            offset += 1
            if byte == UInt8(ascii: "\"") { return text }
            if byte == UInt8(ascii: "\\") { byte = try escaped(start) }
            guard text.count < limit else { throw .fault("string value too long", at: start) }
            text.append(byte)
        }
    }

    private mutating func escaped(_ start: Int) throws(ParseError) -> UInt8 {
        let letter = try next()
        offset += 1
        switch letter {
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "u"):
            guard offset + 4 <= bytes.count,
                let code = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16),
                bytes[offset] != UInt8(ascii: "+"), bytes[offset] != UInt8(ascii: "-")
            else { throw .fault("error while string parsing", at: start) }
            offset += 4
            // gpsd keeps only the lowest 8 bits of the character code.
            return UInt8(truncatingIfNeeded: code)
        default: return letter
        }
    }

    private mutating func bare(_ start: Int) throws(ParseError) -> [UInt8] {
        var text = [bytes[offset]]
        offset += 1
        while true {
            let byte = try next()
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") { return text }
            offset += 1
            if Self.isBlank(byte) { return text }
            guard text.count < Self.maximumValueLength else { throw .fault("token value too long", at: start) }
            text.append(byte)
        }
    }
}
