// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Resolves character and entity references in text and attribute values.
extension XMLReader {
    /// Copies a range of the buffer to `gathered`. References are resolved, and CR LF and CR are converted to LF.
    mutating func appendText(_ range: Range<Int>) throws(DeviceError) {
        isTextGathered = true
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = base[index]
            switch byte {
            case UInt8(ascii: "&"):
                if let (character, length) = reference(index..<range.upperBound) {
                    appendByte(character)
                    index += length
                    continue
                }
                // An unescaped `&` is a common mistake in names, so it is kept literally.
                unknownReferences &+= 1
                appendByte(byte)
            case 0x0d:
                appendByte(0x0a)
                if index + 1 < range.upperBound, base[index + 1] == 0x0a { index += 1 }
            default: appendByte(byte)
            }
            index += 1
        }
    }

    /// Appends a byte to `gathered`. If the text has reached its limit, sets `isTextTruncated` instead.
    @inline(__always) mutating func appendByte(_ byte: UInt8) {
        guard gatheredCount < Self.maximumText else {
            isTextTruncated = true
            return
        }
        gathered[gatheredCount] = byte
        gatheredCount &+= 1
    }

    private mutating func appendByte(_ character: Unicode.Scalar) {
        let bytes = UTF8.encode(character)
        for byte in bytes ?? UTF8.encodedReplacementCharacter { appendByte(byte) }
    }

    /// Resolves the references in an attribute value and replaces white space with spaces. Works in place, because a
    /// replacement is never longer than its reference.
    mutating func resolve(_ range: Range<Int>) throws(DeviceError) -> Range<Int> {
        var (from, to) = (range.lowerBound, range.lowerBound)
        while from < range.upperBound {
            let byte = base[from]
            if byte == UInt8(ascii: "&") {
                guard let (character, length) = reference(from..<range.upperBound) else {
                    let end = (from..<min(from + 40, range.upperBound)).first { base[$0] == UInt8(ascii: ";") }
                    throw error(
                        "the entity \(excerpt(from..<(end ?? from) + 1)) is unknown; only the predefined XML entities are supported. Write & as &amp;."
                    )
                }
                for byte in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter {
                    base[to] = byte
                    to += 1
                }
                from += length
                continue
            }
            base[to] = XMLCharacters.isWhitespace(byte) ? 0x20 : byte
            to += 1
            from += 1
        }
        return range.lowerBound..<to
    }

    private func reference(_ range: Range<Int>) -> (Unicode.Scalar, Int)? {
        let limit = min(range.upperBound, range.lowerBound + 12)
        guard let end = (range.lowerBound..<limit).first(where: { base[$0] == UInt8(ascii: ";") }) else { return nil }
        let length = end - range.lowerBound + 1
        let name = range.lowerBound + 1..<end
        guard !name.isEmpty else { return nil }
        if base[name.lowerBound] == UInt8(ascii: "#") {
            return character(name.lowerBound + 1..<end).map { ($0, length) }
        }
        for (entity, character) in Self.entities {
            if entity.withUTF8Buffer({ $0.elementsEqual(text(name)) }) { return (character, length) }
        }
        return nil
    }

    private func character(_ range: Range<Int>) -> Unicode.Scalar? {
        let isHexadecimal = range.first.map { base[$0] == UInt8(ascii: "x") } ?? false
        let digits = text(isHexadecimal ? range.dropFirst() : range)
        guard digits.count <= 8, digits.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) ?? false,
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
        else { return nil }
        guard value >= 0x20 || value == 0x0a || value == 0x0d || value == 0x09 else { return nil }
        return Unicode.Scalar(value)
    }

    private static var entities: [(StaticString, Unicode.Scalar)] {
        [("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'")]
    }
}
