// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    /// A value that is written as a word.
    enum Literal {
        case null
        case bool(Bool)
        case number(Double)

        /// The value if a number is requested: NaN for `null`, nil for a Boolean.
        var number: Double? {
            switch self {
            case .null: .nan
            case .bool: nil
            case .number(let value): value
            }
        }
    }

    /// Returns the value and the length in bytes of the word at the offset, or nil if no known word starts there.
    func literal(at start: Int) -> (value: Literal, count: Int)? {
        // Negative numbers also reach this function, far more often than negative words.
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

    /// Returns the error for a position without a valid value: `truncated` if the text ends within a word, otherwise
    /// `unexpectedByte`.
    func wordError(_ start: Int) -> JSONError {
        let words: [StaticString] = ["true", "false", "null", "nan", "NaN", "Infinity", "-nan", "-NaN", "-Infinity"]
        for word in words where isStart(of: word, at: start) { return JSONError(.truncated, at: limit) }
        return JSONError(.unexpectedByte, at: start)
    }

    /// True if the remaining text is a proper prefix of the word.
    private func isStart(of word: StaticString, at start: Int) -> Bool {
        let length = limit &- start
        return length > 0 && length < word.utf8CodeUnitCount && isWord(word, length, at: start)
    }
}
