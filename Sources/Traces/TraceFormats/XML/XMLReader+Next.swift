// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The parser's main loop, which reads text and tags and skips everything else.
extension XMLReader {
    /// Returns the local name of the root element, or nil if the text is not XML. The text may be truncated.
    static func rootName(of bytes: [UInt8]) -> String? {
        var xml = XMLReader(MemorySource(bytes), name: "")
        do throws(DeviceError) {
            return try xml.next() == .start ? xml.elementName : nil
        } catch {
            return nil
        }
    }

    /// Reads up to and including the next tag. Returns nil at the end of a complete document.
    ///
    /// - Throws: An error that includes the line number.
    package mutating func next() throws(DeviceError) -> Token? {
        if isEmptyElement {
            isEmptyElement = false
            textRange = position..<position
            (isTextGathered, isTextTruncated, gatheredCount) = (false, false, 0)
            closeElement()
            return .end
        }
        (isTextGathered, isTextTruncated, gatheredCount) = (false, false, 0)
        tokenLine = nil
        // The start of the buffered text that has not been copied to `gathered` yet.
        var run = position
        var hasReferences = false
        while true {
            var index = position
            let end = end
            let bytes = base
            while index < end {
                let byte = bytes[index]
                if byte == UInt8(ascii: "<") { break }
                if byte == UInt8(ascii: "&") || byte == 0x0d { hasReferences = true }
                index &+= 1
            }
            position = index
            guard index < end else {
                if index - run >= Self.maximumText {
                    // A reference such as `&amp;` may be split at the end of the buffer. If there is an `&` near the
                    // end, it and the bytes after it stay in the buffer until more input has been read.
                    var cut = index
                    for back in stride(from: index - 1, to: max(index - 32, run), by: -1)
                    where base[back] == UInt8(ascii: "&") { cut = back }
                    try appendText(run..<cut)
                    run = cut
                }
                let length = index - run
                let isMore = try refill(keepingFrom: run)
                // `refill` may have moved the kept bytes to the front of the buffer, even if it returned false.
                run = position - length
                guard isMore else {
                    try checkEnd(textFrom: run)
                    return nil
                }
                continue
            }
            guard try ensure(2, keepingFrom: run) else { throw truncationError(in: "a tag") }
            run = position - (index - run)
            switch base[position + 1] {
            case UInt8(ascii: "!"), UInt8(ascii: "?"):
                try appendText(run..<position)
                try skipMarkup()
                run = position
                hasReferences = false
            default:
                if isTextGathered || hasReferences { try appendText(run..<position) }
                textRange = isTextGathered ? 0..<0 : run..<position
                return try readTag()
            }
        }
    }

    /// Throws an error unless the document is complete.
    private mutating func checkEnd(textFrom run: Int) throws(DeviceError) {
        guard openStarts.isEmpty else {
            let name = openStarts.last.map { String(decoding: openNames[$0...].prefix(80), as: UTF8.self) } ?? ""
            throw truncationError(in: "<\(name)>")
        }
        try appendText(run..<position)
        try checkOutside()
        guard hasRoot else { throw errorAtPosition("the text contains no XML element. Is it the right file?") }
    }

    /// Throws an error if the text outside the root element contains anything other than white space.
    mutating func checkOutside() throws(DeviceError) {
        guard !text.allSatisfy({ XMLCharacters.isWhitespace($0) }) else { return }
        throw errorAtPosition(
            hasRoot
                ? "there is text after the end of the root element. Remove it."
                : "there is text before the first tag. Is it the right file?")
    }

    /// Skips a comment, processing instruction or document type declaration. Appends the content of a CDATA section to
    /// the text.
    mutating func skipMarkup() throws(DeviceError) {
        if try hasPrefix("<!--") {
            position += 4
            try skip(past: "-->", "a comment")
        } else if try hasPrefix("<![CDATA[") {
            guard !openStarts.isEmpty else { throw errorAtPosition("there is text outside the root element.") }
            position += 9
            try skip(past: "]]>", "a CDATA section", gathering: true)
        } else if base[position + 1] == UInt8(ascii: "?") {
            try skipInstruction()
        } else if try hasPrefix("<!DOCTYPE"), !hasRoot {
            try skipDocumentType()
        } else {
            throw errorAtPosition("this is neither a tag nor a comment. Write < as &lt;.")
        }
    }

    private mutating func hasPrefix(_ literal: StaticString) throws(DeviceError) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard try ensure(count, keepingFrom: position) else { return false }
        return literal.withUTF8Buffer { $0.elementsEqual(text(position..<position + count)) }
    }

    /// Advances past the delimiter `mark`, which is at most three bytes long. If `gathering` is true, appends the bytes
    /// before the delimiter to `gathered`.
    private mutating func skip(past mark: StaticString, _ construct: String, gathering: Bool = false)
        throws(DeviceError)
    {
        let count = mark.utf8CodeUnitCount
        let first = mark.withUTF8Buffer { $0[0] }
        while true {
            while position < end, base[position] != first {
                if gathering { appendByte(base[position]) }
                position &+= 1
            }
            guard try ensure(count, keepingFrom: position) else { throw truncationError(in: construct) }
            if mark.withUTF8Buffer({ $0.elementsEqual(text(position..<position + count)) }) {
                position += count
                return
            }
            if gathering { appendByte(base[position]) }
            position += 1
        }
    }

    /// Skips a processing instruction. Throws an error if it is an XML declaration with an encoding other than UTF-8 or
    /// ASCII.
    private mutating func skipInstruction() throws(DeviceError) {
        guard try ensure(6, keepingFrom: position) else { throw truncationError(in: "an instruction") }
        if !hasRoot, try hasPrefix("<?xml"), XMLCharacters.isWhitespace(base[position + 5]) {
            // 400 bytes are sufficient for any XML declaration.
            _ = try ensure(400, keepingFrom: position)
            let head = String(decoding: text(position..<min(end, position + 400)), as: UTF8.self)
            if let close = head.firstRange(of: "?>") { try checkEncoding(head[..<close.lowerBound]) }
        }
        try skip(past: "?>", "an instruction")
    }

    private mutating func checkEncoding(_ declaration: Substring) throws(DeviceError) {
        guard let found = declaration.firstRange(of: "encoding") else { return }
        let value = declaration[found.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return }
        let encoding = value.dropFirst().prefix { $0 != quote }
        guard !["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding.lowercased()) else { return }
        throw wrongEncoding(String(encoding.prefix(40)))
    }

    private mutating func skipDocumentType() throws(DeviceError) {
        let construct = "the document type declaration"
        var isInside = false
        position += 9
        while true {
            guard try ensure(1, keepingFrom: position) else { throw truncationError(in: construct) }
            let byte = base[position]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position += 1
                try skip(past: byte == UInt8(ascii: "'") ? "'" : "\"", construct)
            case UInt8(ascii: "<"):
                if try hasPrefix("<!--") {
                    position += 4
                    try skip(past: "-->", construct)
                } else if try hasPrefix("<?") {
                    position += 2
                    try skip(past: "?>", construct)
                } else {
                    position += 1
                }
            case UInt8(ascii: "["), UInt8(ascii: "]"):
                isInside = byte == UInt8(ascii: "[")
                position += 1
            default:
                position += 1
                if byte == UInt8(ascii: ">"), !isInside { return }
            }
        }
    }
}
