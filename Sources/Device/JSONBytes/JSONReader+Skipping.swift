// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// Skips and validates the next value. Not recursive, so that deep nesting cannot exhaust the stack.
    package mutating func skipValue() throws(JSONError) {
        var at = offset
        var level = 0
        // One bit for each open level: 1 for an object, 0 for an array. The lowest bit belongs to the innermost level.
        // The integer has enough bits for 64 levels.
        var objects: UInt64 = 0
        repeat {
            let byte = try nextByte(&at)
            switch byte {
            case UInt8(ascii: "\""):
                at &+= 1
                _ = try scanText(&at)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                _ = try scanNumber(&at)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth &+ level < Self.maximumDepth else { throw JSONError(.tooDeep, at: at) }
                at &+= 1
                level &+= 1
                let isObject = byte == UInt8(ascii: "{")
                objects = objects &<< 1 | (isObject ? 1 : 0)
                let next = try nextByte(&at)
                // If the new level is empty, `scanSeparators` closes it.
                if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { break }
                if isObject { try scanKey(&at) }
                continue
            default:
                if let literal = literal(at: at) {
                    at &+= literal.count
                } else if byte == UInt8(ascii: "-") {
                    _ = try scanNumber(&at)
                } else {
                    throw wordError(at)
                }
            }
            try scanSeparators(&at, &level, &objects)
        } while level > 0
        advance(to: at)
    }

    /// Called after a value. Closes the levels that end at this position and moves to the next value, if there is one.
    @inline(__always)
    private func scanSeparators(_ at: inout Int, _ level: inout Int, _ objects: inout UInt64) throws(JSONError) {
        while level > 0 {
            let isObject = objects & 1 == 1
            let byte = try nextByte(&at)
            if byte == UInt8(ascii: ",") {
                at &+= 1
                if isObject { try scanKey(&at) }
                return
            }
            guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw JSONError(.unexpectedByte, at: at)
            }
            at &+= 1
            level &-= 1
            objects &>>= 1
        }
    }

    private func scanKey(_ at: inout Int) throws(JSONError) {
        guard try nextByte(&at) == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: at) }
        at &+= 1
        _ = try scanText(&at)
        try scanColon(&at)
    }
}

/// Methods that recognize values written as words.
extension JSONReader {
    /// A JSON value that is written as a word, such as `true`.
    enum Literal {
        case null
        case bool(Bool)
        case number(Double)

        /// The numeric value, which is NaN for `null` and nil for a Boolean.
        var number: Double? {
            switch self {
            case .null: .nan
            case .bool: nil
            case .number(let value): value
            }
        }
    }

    /// Returns the word's value and length in bytes, or nil if no known word starts at the offset.
    func literal(at start: Int) -> (value: Literal, count: Int)? {
        // A fast path for negative numbers, which are much more common than words with a minus sign.
        if isDigit(at: start + 1) { return nil }
        if isWord("true", at: start) { return (.bool(true), 4) }
        if isWord("false", at: start) { return (.bool(false), 5) }
        if isWord("null", at: start) { return (.null, 4) }
        let negative = isWord("-", at: start)
        let sign = negative ? 1 : 0
        let infinity = negative ? -Double.infinity : Double.infinity
        if isWord("nan", at: start + sign) || isWord("NaN", at: start + sign) { return (.number(.nan), 3 + sign) }
        if isWord("Infinity", at: start + sign) { return (.number(infinity), 8 + sign) }
        if isWord("inf", at: start + sign) { return (.number(infinity), 3 + sign) }
        return nil
    }

    /// Returns `truncated` if the text ends within a word, or `unexpectedByte` otherwise.
    func wordError(_ start: Int) -> JSONError {
        let words: [StaticString] = [
            "true", "false", "null", "nan", "NaN", "Infinity", "inf", "-nan", "-NaN", "-Infinity", "-inf",
        ]
        for word in words where isStart(of: word, at: start) { return JSONError(.truncated, at: limit) }
        return JSONError(.unexpectedByte, at: start)
    }

    /// True if the remaining text is a proper prefix of the word.
    private func isStart(of word: StaticString, at start: Int) -> Bool {
        let length = limit &- start
        return length > 0 && length < word.utf8CodeUnitCount && isWord(word, length, at: start)
    }
}
