// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes
import SystemCalls

/// Reads XML of any size piece by piece, with little memory: what a buffer holds, and the names of the open elements.
///
///     var reader = XMLReader(source, name: "walk.gpx")
///     while let token = try reader.next() {
///         if token == .start, reader.isNamed("trkpt") { … reader.attribute("lat") … }
///     }
///
/// Names are compared without their prefixes. Read are the five entities of XML and references to characters; document
/// types are skipped, so that entities of their own do not exist and nothing outside is ever loaded. The text has to be
/// UTF-8. It does not check all rules of XML, only those without which it could not go on: tags close in their order,
/// attributes are quoted and not repeated, there is one root.
package struct XMLReader: ~Copyable {
    /// What was read.
    package enum Token: Sendable {
        /// An element begins. Its attributes can be asked for.
        case start
        /// An element ends. The text is what stood between this tag and the one before.
        case end
    }

    /// The most bytes of one tag.
    package static let maximumTag = 1 << 20
    /// The most bytes of text between two tags that are kept; what follows them is passed over.
    package static let maximumText = 1 << 16
    /// The most elements inside one another.
    package static let maximumDepth = 256
    /// The most attributes of an element.
    package static let maximumAttributes = 128
    /// The most bytes of a name.
    static let maximumName = 1024
    /// The first size of the buffer.
    private static let pieceSize = 1 << 16

    struct Attribute {
        /// The first bytes of the name, prefix included; 0 when it is longer than eight.
        var word: UInt64
        var name: Range<Int>
        var value: Range<Int>
    }

    private let source: any ByteSource
    /// What the text is called in messages.
    package let name: String

    // The buffer holds what was read and is still needed.
    private(set) var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// Where reading goes on.
    var at = 0
    /// The end of what was read and checked.
    private(set) var end = 0
    /// The end of what was read: behind ``end`` the beginning of a character may stand.
    private var filled = 0
    /// Where the last tag begins.
    var tokenStart = 0
    /// How many bytes were dropped before the buffer.
    private var dropped: Int
    /// How many lines end before ``counted``, a place in the buffer.
    private var lineEnds: Int
    private var counted = 0
    /// The line of the last tag, where it is known.
    var tokenLine: Int?
    private var isAtEnd = false
    /// True when bytes follow that are no text.
    private var isBroken = false

    // The last tag.
    /// The range of its name.
    var tagName = 0..<0
    /// The range of its name without prefix.
    var localName = 0..<0
    /// The first bytes of that name; 0 when it is longer than eight.
    package internal(set) var nameWord: UInt64 = 0
    var attributes: [Attribute] = []
    /// How deep the element of the last tag stands: 1 for the root.
    package internal(set) var depth = 0
    /// True behind an empty element's tag, which is its end too.
    var isEmptyElement = false
    /// The names of the open elements, one behind the other, with where each begins.
    var openNames: [UInt8] = []
    var openStarts: [Int] = []
    var hasRoot = false

    // The text before the last tag: in the buffer, or put together elsewhere.
    var textRange = 0..<0
    var isTextGathered = false
    let gathered: UnsafeMutablePointer<UInt8>
    var gatheredCount = 0
    /// True when the text was longer than what is kept.
    package internal(set) var isTextCut = false
    /// References to entities that are not known; they stay in the text as they are written.
    package internal(set) var unknownReferences = 0

    /// Reads a text from its beginning, or from the tag of an element on.
    ///
    /// - Parameters:
    ///   - source: stands at that tag.
    ///   - offset: of the tag in the text.
    ///   - line: of the tag.
    ///   - open: the names of the elements that it stands in, the root first.
    package init(_ source: any ByteSource, name: String, offset: Int = 0, line: Int = 1, inside open: [String] = []) {
        self.source = source
        self.name = name
        capacity = Self.pieceSize
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

    /// The text between the last tag and the one before it, with references resolved. It is there until the next call of
    /// ``next()``.
    package var text: UnsafeRawBufferPointer {
        isTextGathered ? UnsafeRawBufferPointer(start: gathered, count: gatheredCount) : text(textRange)
    }

    /// Part of the buffer.
    func text(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }

    /// The text without the blanks around it.
    package var trimmedText: UnsafeRawBufferPointer {
        let text = text
        var (low, high) = (0, text.count)
        while low < high, XMLCharacters.isBlank(text[low]) { low += 1 }
        while high > low, XMLCharacters.isBlank(text[high - 1]) { high -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[low..<high])
    }

    /// The name of the last tag's element, without a prefix.
    package var elementName: String { String(decoding: text(localName), as: UTF8.self) }

    /// The name of the last tag's element as it is written.
    package var qualifiedName: String { String(decoding: text(tagName), as: UTF8.self) }

    /// True when the last tag's element has that name, whatever its prefix.
    package func isNamed(_ literal: StaticString) -> Bool {
        literal.utf8CodeUnitCount == localName.count && literal.withUTF8Buffer { $0.elementsEqual(text(localName)) }
    }

    /// The value of an attribute without a prefix, of the element that begins; nil when it has none of that name. It is
    /// there until the next call of ``next()``.
    package func attribute(_ literal: StaticString) -> UnsafeRawBufferPointer? {
        let word = JSONText.word(literal)
        for attribute in attributes where attribute.word == word {
            let isNamed = word != 0 || literal.withUTF8Buffer { $0.elementsEqual(text(attribute.name)) }
            guard isNamed else { continue }
            return text(attribute.value)
        }
        return nil
    }

    /// The same as a text of its own.
    package func text(of literal: StaticString) -> String? {
        attribute(literal).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Where the last tag begins, in bytes from the beginning of the text.
    package var offset: Int { dropped + tokenStart }

    /// The line on which the last tag begins, counted from 1.
    package mutating func line() -> Int {
        if let tokenLine { return tokenLine }
        let line = countLines(to: tokenStart)
        tokenLine = line
        return line
    }

    /// An error at the last tag.
    package mutating func error(_ what: String) -> DeviceError { error(onLine: line(), what) }

    /// An error at the place where reading stands.
    mutating func errorHere(_ what: String) -> DeviceError { error(onLine: countLines(to: at), what) }

    /// An error because the text ends too early.
    mutating func cutOff(_ what: String) -> DeviceError {
        error(onLine: countLines(to: end), "the text ends in the middle of \(what); it was cut off.")
    }

    private func error(onLine line: Int, _ what: String) -> DeviceError {
        DeviceError(.invalidTrace, "\(name), line \(line): \(what)")
    }

    /// The line of a place in the buffer, which is kept.
    @discardableResult
    mutating func countLines(to place: Int) -> Int {
        while counted < place, let lineEnd = memchr(base + counted, 0x0a, place - counted) {
            lineEnds += 1
            counted = UnsafePointer(lineEnd.assumingMemoryBound(to: UInt8.self)) - UnsafePointer(base) + 1
        }
        counted = max(counted, place)
        return lineEnds + 1
    }

    /// Reads more bytes, and drops those before a place, which moves to 0; ``at`` and the range of the text move with it.
    ///
    /// - Returns: false at the end of the text.
    mutating func refill(keepingFrom keep: Int) throws(DeviceError) -> Bool {
        guard !isAtEnd else { return false }
        if isBroken { throw brokenCharacter() }
        if keep > 0 {
            countLines(to: keep)
            base.update(from: base + keep, count: filled - keep)
            at -= keep
            end -= keep
            filled -= keep
            counted -= keep
            dropped += keep
            if !isTextGathered, textRange.lowerBound >= keep {
                textRange = textRange.lowerBound - keep..<textRange.upperBound - keep
            }
        }
        if filled >= capacity {
            // Doubled, and never beyond what a tag may have: the callers see to that.
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
        // A byte order mark tells only as a whole.
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

    /// Sees to it that so many bytes can be looked at; false when the text ends before.
    mutating func ensure(_ count: Int, keepingFrom keep: Int) throws(DeviceError) -> Bool {
        var keep = keep
        while end - at < count {
            guard try refill(keepingFrom: keep) else { return false }
            keep = 0
        }
        return true
    }

    /// Skips a byte order mark, and refuses what begins like another encoding.
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
        // Windows programs declare ISO-8859-1 and write Windows-1252, which has the same letters and curly quotes.
        let source = encoding.uppercased() == "ISO-8859-1" ? "WINDOWS-1252" : encoding
        return error(
            onLine: 1,
            "the text is in \(encoding), and only UTF-8 is read. Convert it: iconv -f \(source) -t UTF-8, and correct its first line, which is enough where the text is UTF-8 already."
        )
    }

    private mutating func brokenCharacter() -> DeviceError {
        let what =
            if end < filled, base[end] == 0 {
                "a byte of zero stands here, which no text holds. The file is damaged; cut it off here."
            } else if end < filled, base[end] < 0x20 {
                "a control character (\(base[end])) stands here, which XML does not allow. Remove it."
            } else {
                "this is not text in UTF-8. Convert it first, for example with iconv -f WINDOWS-1252 -t UTF-8, and correct the encoding in its first line."
            }
        return error(onLine: countLines(to: end), what)
    }
}
