// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// Tag parsing and the stack of open elements.
extension XMLReader {
    /// Reads a tag. Refills the buffer until it contains the complete tag.
    mutating func readTag() throws(DeviceError) -> Token {
        let length = try tagLength()
        // `tagLength` may have moved the tag in the buffer.
        tokenStart = position
        let end = position + length
        if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
        if openStarts.isEmpty { try checkOutside() }
        defer { position = end }
        if base[tokenStart + 1] == UInt8(ascii: "/") {
            try readEndTag(tokenStart + 2..<end - 1)
            return .end
        }
        try readStartTag(tokenStart + 1..<end - 1)
        return .start
    }

    /// Returns the tag's length in bytes, including the angle brackets. The text before the tag stays in the buffer.
    private mutating func tagLength() throws(DeviceError) -> Int {
        var length = 1
        var quote: UInt8 = 0
        while true {
            let (count, bytes) = (end - position, base + position)
            while length < count {
                let byte = bytes[length]
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == UInt8(ascii: ">") {
                    return length + 1
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                }
                if byte == UInt8(ascii: "<") {
                    throw errorAtPosition(
                        "a tag begins here but does not end before the next one. Close it with >, or write < as &lt;.")
                }
                length &+= 1
            }
            guard length < Self.maximumTag else {
                throw errorAtPosition("a tag with more than \(Self.maximumTag) bytes begins here. Is the file damaged?")
            }
            let firstByte = isTextGathered ? position : textRange.lowerBound
            guard try refill(keepingFrom: firstByte) else { throw truncationError(in: "a tag") }
        }
    }

    private mutating func readEndTag(_ range: Range<Int>) throws(DeviceError) {
        var high = range.upperBound
        while high > range.lowerBound, XMLCharacters.isWhitespace(base[high - 1]) { high -= 1 }
        let name = range.lowerBound..<high
        guard let start = openStarts.last else {
            throw error("</\(excerpt(name))> closes an element that is not open. Remove the tag.")
        }
        guard openNames.withUnsafeBytes({ text(name).hasSameBytes(as: .init(rebasing: $0[start...])) }) else {
            let open = String(decoding: openNames[start...].prefix(80), as: UTF8.self)
            throw error(
                "</\(excerpt(name))> is found where </\(open)> is expected: a tag is not closed, or the text is truncated."
            )
        }
        setName(name)
        closeElement()
    }

    /// Removes the innermost element from the stack of open elements. `tagName` remains valid.
    mutating func closeElement() {
        depth = openStarts.count
        if let start = openStarts.popLast() { openNames.removeLast(openNames.count - start) }
    }

    private mutating func readStartTag(_ range: Range<Int>) throws(DeviceError) {
        var (low, high) = (range.lowerBound, range.upperBound)
        isEmptyElement = high > low && base[high - 1] == UInt8(ascii: "/")
        if isEmptyElement { high -= 1 }
        guard low < high, XMLCharacters.isNameStart(base[low]) else {
            isEmptyElement = false
            throw error("a tag without a name begins here. Write < as &lt;.")
        }
        while low < high, XMLCharacters.isNameCharacter(base[low]) { low += 1 }
        let name = range.lowerBound..<low
        guard low == high || XMLCharacters.isWhitespace(base[low]) else {
            throw error("the name of a tag contains an invalid character. Write < as &lt;.")
        }
        guard name.count <= Self.maximumName else {
            throw error("the name of a tag has more than \(Self.maximumName) bytes. Is the file damaged?")
        }
        guard !openStarts.isEmpty || !hasRoot else {
            throw error("<\(excerpt(name))> follows the end of the root element; XML has only one root. Remove it.")
        }
        guard openStarts.count < Self.maximumDepth else {
            throw error("elements are nested more than \(Self.maximumDepth) levels deep. Is the file damaged?")
        }
        hasRoot = true
        openStarts.append(openNames.count)
        openNames.append(contentsOf: text(name))
        depth = openStarts.count
        setName(name)
        if low < high { try readAttributes(low..<high) }
    }

    private mutating func setName(_ range: Range<Int>) {
        tagName = range
        let colon = range.last { base[$0] == UInt8(ascii: ":") }
        localName = (colon.map { $0 + 1 } ?? range.lowerBound)..<range.upperBound
        nameWord = word(localName)
    }

    private mutating func readAttributes(_ range: Range<Int>) throws(DeviceError) {
        var at = range.lowerBound
        let high = range.upperBound
        // True once the line breaks in the tag have been counted. They must be counted before a value is resolved,
        // because resolving a value may remove line breaks.
        var isCounted = false
        while true {
            let blank = at
            while at < high, XMLCharacters.isWhitespace(base[at]) { at &+= 1 }
            guard at < high else { return }
            guard at > blank else { throw error("attributes are not separated by a space.") }
            let start = at
            guard XMLCharacters.isNameStart(base[at]) else { throw attributeError() }
            while at < high, XMLCharacters.isNameCharacter(base[at]) { at &+= 1 }
            let name = start..<at
            while at < high, XMLCharacters.isWhitespace(base[at]) { at &+= 1 }
            guard at < high, base[at] == UInt8(ascii: "=") else { throw attributeError() }
            at &+= 1
            while at < high, XMLCharacters.isWhitespace(base[at]) { at &+= 1 }
            guard at < high, base[at] == UInt8(ascii: "\"") || base[at] == UInt8(ascii: "'") else {
                throw attributeError()
            }
            let quote = base[at]
            at &+= 1
            let valueStart = at
            var isPlain = true
            while at < high, base[at] != quote {
                if base[at] == UInt8(ascii: "&") || base[at] < 0x20 { isPlain = false }
                at &+= 1
            }
            guard at < high else { throw attributeError() }
            var value = valueStart..<at
            at &+= 1
            if !isPlain {
                if !isCounted {
                    _ = line()
                    countLines(to: high)
                    isCounted = true
                }
                value = try resolve(value)
            }
            try append(Attribute(word: word(name), name: name, value: value))
        }
    }

    private mutating func append(_ attribute: Attribute) throws(DeviceError) {
        guard attributes.count < Self.maximumAttributes else {
            throw error("an element has more than \(Self.maximumAttributes) attributes. Is the file damaged?")
        }
        for other in attributes where other.word == attribute.word && other.name.count == attribute.name.count {
            guard !text(other.name).hasSameBytes(as: text(attribute.name)) else {
                throw error("the attribute \(excerpt(attribute.name)) occurs twice in one tag. Remove one.")
            }
        }
        attributes.append(attribute)
    }

    private mutating func attributeError() -> DeviceError {
        error("<\(excerpt(localName))> has an attribute that cannot be read; the syntax is name=\"value\".")
    }

    /// Packs a name of up to eight bytes into an integer. Returns 0 for a longer name.
    private func word(_ range: Range<Int>) -> UInt64 {
        guard range.count <= 8 else { return 0 }
        return range.reversed().reduce(0) { $0 &<< 8 | UInt64(base[$1]) }
    }

    /// Returns up to 80 bytes of the buffer as a string for error messages.
    func excerpt(_ range: Range<Int>) -> String { String(decoding: text(range.prefix(80)), as: UTF8.self) }
}
