// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes
import SystemCalls

/// A pull parser for XML documents of any size. Only a buffer and the names of the open elements are kept in memory.
///
///     var reader = XMLReader(source, name: "walk.gpx")
///     while let token = try reader.next() {
///         if token == .start, reader.isNamed("trkpt") { … reader.attribute("lat") … }
///     }
///
/// Element names are compared without namespace prefixes, and attribute names are compared with their prefixes. The
/// reader resolves the five predefined entities and character references. It skips document type declarations, so
/// custom entities are unknown and external entities are never loaded. The input must be UTF-8. The reader checks only
/// some rules: tags must be properly nested, attributes must be quoted and unique within a tag, and there must be
/// exactly one root element.
package struct XMLReader: ~Copyable {
    package enum Token: Sendable {
        case start
        /// An end tag. ``XMLReader/text`` is the text between the previous tag and this one.
        case end
    }

    /// The maximum size of a tag, in bytes.
    package static let maximumTag = 1 << 20
    /// The maximum size of the text between two tags, in bytes. Longer text is truncated.
    package static let maximumText = 1 << 16
    package static let maximumDepth = 256
    package static let maximumAttributes = 128
    static let maximumName = 1024
    private static let initialCapacity = 1 << 16

    struct Attribute {
        /// The qualified name packed into an integer in little-endian order, or 0 if the name is longer than eight
        /// bytes.
        var word: UInt64
        var name: Range<Int>
        var value: Range<Int>
    }

    private let source: any ByteSource
    package let name: String
    private(set) var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    var position = 0
    /// The end of the validated input in the buffer.
    private(set) var end = 0
    /// The end of the buffered input. The bytes between ``end`` and this index have not been validated, because they
    /// may form an incomplete character.
    private var filled = 0
    /// The start of the last tag in the buffer.
    var tokenStart = 0
    /// The number of document bytes that precede the buffer.
    private var dropped: Int
    /// The number of line breaks in the document before the buffer index ``counted``.
    private var lineEnds: Int
    private var counted = 0
    /// The line number of the last tag, or nil if it has not been computed yet.
    var tokenLine: Int?
    private var isAtEnd = false
    /// True if the bytes at ``end`` are invalid.
    private var isBroken = false
    var tagName = 0..<0
    /// The range of the last tag's local name, excluding the prefix.
    var localName = 0..<0
    /// The last tag's local name packed into an integer in little-endian order, or 0 if the name is longer than eight
    /// bytes.
    package internal(set) var nameWord: UInt64 = 0
    var attributes: [Attribute] = []
    /// The nesting depth of the last tag's element, which is 1 for the root.
    package internal(set) var depth = 0
    var isEmptyElement = false
    /// The concatenated names of the open elements, and the start of each name.
    var openNames: [UInt8] = []
    var openStarts: [Int] = []
    var hasRoot = false

    // The text before the last tag, either as a range of the buffer or as a copy in `gathered`.
    var textRange = 0..<0
    var isTextGathered = false
    let gathered: UnsafeMutablePointer<UInt8>
    var gatheredCount = 0
    /// True if the last text exceeded ``maximumText``.
    package internal(set) var isTextTruncated = false
    package internal(set) var unknownReferences = 0

    /// Creates a reader that begins at the start of a document or at the start tag of an element within it.
    ///
    /// - Parameters:
    ///   - source: The input, positioned at the start of the document or at the tag.
    ///   - offset: The tag's offset in the document, in bytes.
    ///   - line: The tag's line number, starting at 1.
    ///   - open: The names of the elements that enclose the tag, from the outermost to the innermost.
    package init(_ source: any ByteSource, name: String, offset: Int = 0, line: Int = 1, inside open: [String] = []) {
        self.source = source
        self.name = name
        capacity = Self.initialCapacity
        base = .allocate(capacity: capacity)
        gathered = .allocate(capacity: Self.maximumText)
        dropped = offset
        lineEnds = line - 1
        for element in open {
            openStarts.append(openNames.count)
            openNames.append(contentsOf: element.utf8)
            hasRoot = true
        }
    }

    deinit {
        base.deallocate()
        gathered.deallocate()
    }

    /// The text between the last two tags, with references resolved. Valid until the next call to ``next()``.
    package var text: UnsafeRawBufferPointer {
        isTextGathered ? UnsafeRawBufferPointer(start: gathered, count: gatheredCount) : text(textRange)
    }

    func text(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// The text without leading and trailing white space. Valid until the next call to ``next()``.
    package var trimmedText: UnsafeRawBufferPointer {
        let text = text
        var (low, high) = (0, text.count)
        while low < high, XMLCharacters.isWhitespace(text[low]) { low += 1 }
        while high > low, XMLCharacters.isWhitespace(text[high - 1]) { high -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[low..<high])
    }

    package var elementName: String { String(decoding: text(localName), as: UTF8.self) }
    package var qualifiedName: String { String(decoding: text(tagName), as: UTF8.self) }

    /// Returns true if the last tag's element has this local name, regardless of its prefix.
    package func isNamed(_ literal: StaticString) -> Bool {
        literal.utf8CodeUnitCount == localName.count && literal.withUTF8Buffer { $0.elementsEqual(text(localName)) }
    }

    /// Returns the value of an attribute of the last start tag, or nil if the tag does not have the attribute. The name
    /// must include the prefix. The value is valid until the next call to ``next()``.
    package func attribute(_ literal: StaticString) -> UnsafeRawBufferPointer? {
        let word = JSONText.word(literal)
        for attribute in attributes where attribute.word == word {
            let isNamed = word != 0 || literal.withUTF8Buffer { $0.elementsEqual(text(attribute.name)) }
            guard isNamed else { continue }
            return text(attribute.value)
        }
        return nil
    }

    package func text(of literal: StaticString) -> String? {
        attribute(literal).map { String(decoding: $0, as: UTF8.self) }
    }

    package var offset: Int { dropped + tokenStart }

    package mutating func line() -> Int {
        if let tokenLine { return tokenLine }
        let line = countLines(to: tokenStart)
        tokenLine = line
        return line
    }

    package mutating func error(_ what: String) -> DeviceError { error(onLine: line(), what) }

    mutating func errorAtPosition(_ what: String) -> DeviceError { error(onLine: countLines(to: position), what) }

    mutating func truncationError(in what: String) -> DeviceError {
        error(onLine: countLines(to: end), "the text is truncated: it ends in the middle of \(what).")
    }

    private func error(onLine line: Int, _ what: String) -> DeviceError {
        DeviceError(.invalidTrace, "\(name), line \(line): \(what)")
    }

    /// Returns the line number at an index in the buffer. Counts only the line breaks that have not been counted yet.
    @discardableResult mutating func countLines(to index: Int) -> Int {
        while counted < index, let lineEnd = memchr(base + counted, 0x0a, index - counted) {
            lineEnds += 1
            counted = UnsafePointer(lineEnd.assumingMemoryBound(to: UInt8.self)) - UnsafePointer(base) + 1
        }
        counted = max(counted, index)
        return lineEnds + 1
    }

    /// Reads more input. Moves the bytes starting at `firstByte` to the front of the buffer, and adjusts the indices.
    /// Returns false at the end of the input.
    mutating func refill(keepingFrom firstByte: Int) throws(DeviceError) -> Bool {
        guard !isAtEnd else { return false }
        if isBroken { throw brokenCharacter() }
        if firstByte > 0 {
            countLines(to: firstByte)
            base.update(from: base + firstByte, count: filled - firstByte)
            position -= firstByte
            end -= firstByte
            filled -= firstByte
            counted -= firstByte
            dropped += firstByte
            if !isTextGathered, textRange.lowerBound >= firstByte {
                textRange = textRange.lowerBound - firstByte..<textRange.upperBound - firstByte
            }
        }
        if filled >= capacity {
            // Growth is bounded, because the callers limit the size of tags and text.
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
            larger.update(from: base, count: filled)
            base.deallocate()
            base = larger
            capacity *= 2
        }
        let count = try source.read(into: UnsafeMutableRawBufferPointer(start: base + filled, count: capacity - filled))
        guard count > 0 else {
            isAtEnd = true
            if filled > end { throw brokenCharacter() }
            return false
        }
        let isFirst = dropped == 0 && filled == 0
        filled += min(count, capacity - filled)
        // At least three bytes are needed to detect a byte order mark.
        while isFirst, filled < 3 {
            let rest = UnsafeMutableRawBufferPointer(start: base + filled, count: capacity - filled)
            let more = try source.read(into: rest)
            guard more > 0 else { break }
            filled += min(more, rest.count)
        }
        let found = XMLCharacters.check(UnsafeRawBufferPointer(start: base + end, count: filled - end))
        end += found.valid
        isBroken = found.isBroken
        if isFirst { try checkBeginning() }
        if found.valid == 0, isBroken { throw brokenCharacter() }
        return true
    }

    /// Buffers at least `count` bytes from the current position. Returns false if the input ends earlier.
    mutating func ensure(_ count: Int, keepingFrom firstByte: Int) throws(DeviceError) -> Bool {
        var firstByte = firstByte
        while end - position < count {
            guard try refill(keepingFrom: firstByte) else { return false }
            firstByte = 0
        }
        return true
    }

    /// Skips a byte order mark. Throws an error if the input seems to be UTF-16.
    private mutating func checkBeginning() throws(DeviceError) {
        if filled >= 2 {
            switch (base[0], base[1]) {
            case (0xff, 0xfe), (0xfe, 0xff), (0, _), (UInt8(ascii: "<"), 0): throw wrongEncoding("UTF-16")
            default: break
            }
        }
        guard end >= 3, base[0] == 0xef, base[1] == 0xbb, base[2] == 0xbf else { return }
        base.update(from: base + 3, count: filled - 3)
        end -= 3
        filled -= 3
        dropped = 3
    }

    func wrongEncoding(_ encoding: String) -> DeviceError {
        // Windows programs often declare ISO-8859-1 but write Windows-1252, which has the same letters and adds curly
        // quotes.
        let source = encoding.uppercased() == "ISO-8859-1" ? "WINDOWS-1252" : encoding
        return error(
            onLine: 1,
            "the text is in \(encoding), but only UTF-8 is supported. Convert it with iconv -f \(source) -t UTF-8, and correct its first line. If the text is already UTF-8, correct only the first line."
        )
    }

    private mutating func brokenCharacter() -> DeviceError {
        let what =
            if end < filled, base[end] == 0 {
                "a zero byte is found here. The file is damaged; truncate it here."
            } else if end < filled, base[end] < 0x20 {
                "a control character (\(base[end])) is found here, which XML does not allow. Remove it."
            } else {
                "this is not UTF-8 text. Convert it first, for example with iconv -f WINDOWS-1252 -t UTF-8, and correct the encoding in its first line."
            }
        return error(onLine: countLines(to: end), what)
    }
}
