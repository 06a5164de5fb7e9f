// SPDX-License-Identifier: Apache-2.0

/// Reads the object of a request as gpsd 3.22 does, its leniency and its complaints included.
///
/// Found out by asking it (the dialogues in the tests): what a JSON reader would refuse is often taken, some of what it
/// would take is refused, and values that stand before a fault count.
struct GPSDObjectReader {
    /// What the value of a known name may be.
    enum Kind {
        /// A string of at most so many bytes.
        case text(Int)
        /// Anything without quotes.
        case bare
    }

    /// A value as it stood there, without quotes and escapes.
    struct Value {
        var bytes: [UInt8]

        /// True for the word true only.
        var isTrue: Bool { bytes.elementsEqual("true".utf8) }

        /// The digits at the beginning as a number, as C's atoi has it: 0 without any, and held in 64 bits before it is
        /// cut to 32.
        var number: Int32 {
            let rest = bytes.drop(while: GPSDObjectReader.isBlank)
            let sign = rest.prefix(1).filter { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
            let digits = rest.dropFirst(sign.count).prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return 0 }
            let number = Int64(String(decoding: sign + digits, as: UTF8.self))
            return Int32(truncatingIfNeeded: number ?? (sign == [UInt8(ascii: "-")] ? .min : .max))
        }
    }

    private enum Refusal: Error {
        /// There is nothing more to read, which is no fault.
        case end
        case fault(String, at: Int)
    }

    /// The longest name, in bytes.
    private static let longestName = 30
    /// The longest value of a name that is not known, and of a bare one.
    private static let longestValue = 512

    private let bytes: [UInt8]
    private let kinds: (String) -> Kind?
    private var at: Int

    /// - Parameters:
    ///   - bytes: the whole request.
    ///   - start: where the object is to begin.
    ///   - kinds: what the value of a name may be; nil for names that are not known.
    init(_ bytes: [UInt8], from start: Int, kinds: @escaping (String) -> Kind?) {
        self.bytes = bytes
        self.kinds = kinds
        at = start
    }

    /// Reads it, and answers where the next request may begin and what was wrong.
    /// - Parameter assign: is told of the values in their order, those before a fault too.
    mutating func read(_ assign: (String, Value) -> Void) -> (end: Int, fault: String?) {
        do throws(Refusal) {
            try begin()
            while try member(assign) {}
            skipBlanks()
            return (at, nil)
        } catch {
            switch error {
            case .end: return (bytes.count, nil)
            case .fault(let text, let place): return (place, text)
            }
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private mutating func skipBlanks() {
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
    }

    /// The next byte, which is not passed over.
    private func next() throws(Refusal) -> UInt8 {
        guard at < bytes.count else { throw .end }
        return bytes[at]
    }

    private mutating func begin() throws(Refusal) {
        skipBlanks()
        guard try next() == UInt8(ascii: "{") else {
            throw .fault("non-whitespace when expecting object start", at: at)
        }
        at += 1
    }

    /// Reads a name and its value; false when the object is over.
    private mutating func member(_ assign: (String, Value) -> Void) throws(Refusal) -> Bool {
        // Where a name may stand a closing brace means nothing: an empty object never ends.
        while at < bytes.count, Self.isBlank(bytes[at]) || bytes[at] == UInt8(ascii: "}") { at += 1 }
        guard try next() == UInt8(ascii: "\"") else {
            throw .fault("non-whitespace when expecting attribute start", at: at)
        }
        let start = at
        at += 1
        let name = try name(start)
        while at < bytes.count, Self.isBlank(bytes[at]) || bytes[at] == UInt8(ascii: ":") { at += 1 }
        if try next() == UInt8(ascii: "[") { throw .fault("saw [ when not expecting array", at: at) }
        let kind = kinds(name)
        let isQuoted = bytes[at] == UInt8(ascii: "\"")
        let value = Value(bytes: isQuoted ? try quoted(kind, start) : try bare(start))
        // What nothing follows is not taken.
        _ = try next()
        skipBlanks()
        switch kind {
        case .text where !isQuoted: throw .fault("didn't see quoted value when expecting string", at: start)
        case .bare where isQuoted: throw .fault("saw quoted value when expecting nonstring", at: start)
        case .text(let length): assign(name, Value(bytes: Array(value.bytes.prefix(length))))
        case .bare: assign(name, value)
        case nil: break
        }
        guard at < bytes.count, bytes[at] == UInt8(ascii: ",") || bytes[at] == UInt8(ascii: "}") else {
            throw .fault("garbage while expecting comma or } or ]", at: at)
        }
        at += 1
        return bytes[at - 1] == UInt8(ascii: ",")
    }

    private mutating func name(_ start: Int) throws(Refusal) -> String {
        let first = at
        while try next() != UInt8(ascii: "\"") {
            guard at - first < Self.longestName else { throw .fault("attribute name too long", at: start) }
            at += 1
        }
        at += 1
        return String(decoding: bytes[first..<at - 1], as: UTF8.self)
    }

    /// A string, from behind which reading goes on.
    private mutating func quoted(_ kind: Kind?, _ start: Int) throws(Refusal) -> [UInt8] {
        // One byte more than it may have is stored before anybody minds.
        let limit =
            switch kind {
            case .text(let length): length + 1
            case .bare: 1
            case nil: Self.longestValue
            }
        at += 1
        var text: [UInt8] = []
        while true {
            var byte = try next()
            at += 1
            if byte == UInt8(ascii: "\"") { return text }
            if byte == UInt8(ascii: "\\") { byte = try escaped(start) }
            guard text.count < limit else { throw .fault("string value too long", at: start) }
            text.append(byte)
        }
    }

    private mutating func escaped(_ start: Int) throws(Refusal) -> UInt8 {
        let letter = try next()
        at += 1
        switch letter {
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "u"):
            guard at + 4 <= bytes.count,
                let code = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16),
                bytes[at] != UInt8(ascii: "+"), bytes[at] != UInt8(ascii: "-")
            else { throw .fault("error while string parsing", at: start) }
            at += 4
            // Only the lowest eight bits are kept.
            return UInt8(truncatingIfNeeded: code)
        default: return letter
        }
    }

    /// A word, whatever it consists of; a blank behind it is passed over.
    private mutating func bare(_ start: Int) throws(Refusal) -> [UInt8] {
        var text = [bytes[at]]
        at += 1
        while true {
            let byte = try next()
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") { return text }
            at += 1
            if Self.isBlank(byte) { return text }
            guard text.count < Self.longestValue else { throw .fault("token value too long", at: start) }
            text.append(byte)
        }
    }
}
