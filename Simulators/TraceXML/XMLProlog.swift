// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What stands before the root element of an XML text.
enum XMLProlog {
    /// The encodings in which what is found here is what the parser will see.
    private static let encodings: Set<String> = ["utf-8", "utf8", "us-ascii", "ascii"]

    /// The text with blanks in place of its document type, its lines where they were.
    ///
    /// The parser thereby never hears of entities, neither of those that would be loaded from elsewhere nor of those
    /// that grow when they are used.
    static func withoutDocumentType(_ bytes: [UInt8], name: String) throws(DeviceError) -> [UInt8] {
        // FoundationXML ends the process when a name is not UTF-8, so nothing else may reach it.
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
            throw DeviceError(
                .invalidTrace, "\(name), line 1: this is not text in UTF-8. Convert it first, for example with iconv.")
        }
        var scanner = Scanner(bytes: bytes)
        if scanner.starts(with: "\u{feff}") { scanner.offset += 3 }
        var result = bytes
        while true {
            scanner.skipBlanks()
            let start = scanner.offset
            if scanner.starts(with: "<?") {
                guard scanner.skip(past: "?>") else { throw unended("a processing instruction", scanner, start, name) }
                if bytes[start...].starts(with: "<?xml ".utf8) {
                    try checkEncoding(bytes[start..<scanner.offset], name: name)
                }
            } else if scanner.starts(with: "<!--") {
                guard scanner.skip(past: "-->") else { throw unended("a comment", scanner, start, name) }
            } else if scanner.starts(with: "<!DOCTYPE") {
                guard scanner.skipDocumentType() else { throw unended("the document type", scanner, start, name) }
                for index in start..<scanner.offset where bytes[index] != UInt8(ascii: "\n") {
                    result[index] = UInt8(ascii: " ")
                }
            } else {
                return result
            }
        }
    }

    private static func unended(_ what: String, _ scanner: Scanner, _ start: Int, _ name: String) -> DeviceError {
        let line = scanner.bytes[..<start].count { $0 == UInt8(ascii: "\n") } + 1
        return DeviceError(
            .invalidTrace, "\(name), line \(line): \(what) begins here and does not end. The text was cut off.")
    }

    private static func checkEncoding(_ declaration: ArraySlice<UInt8>, name: String) throws(DeviceError) {
        let text = String(decoding: declaration, as: UTF8.self)
        guard let found = text.firstRange(of: "encoding") else { return }
        let value = text[found.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return }
        let encoding = value.dropFirst().prefix { $0 != quote }
        guard encodings.contains(encoding.lowercased()) else {
            throw DeviceError(
                .invalidTrace, "\(name) says that it is encoded in \(encoding.prefix(40)). Convert it to UTF-8 first.")
        }
    }

    /// A place in the text.
    private struct Scanner {
        let bytes: [UInt8]
        var offset = 0

        func starts(with literal: StaticString) -> Bool {
            literal.withUTF8Buffer { bytes[offset...].starts(with: $0) }
        }

        mutating func skipBlanks() {
            while offset < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[offset]) { offset += 1 }
        }

        /// Moves behind the literal; false, at the end, when there is none.
        mutating func skip(past literal: StaticString) -> Bool {
            let first = literal.withUTF8Buffer { $0.first }
            while let found = bytes[offset...].firstIndex(where: { $0 == first }) {
                offset = found
                if starts(with: literal) {
                    offset += literal.utf8CodeUnitCount
                    return true
                }
                offset += 1
            }
            offset = bytes.count
            return false
        }

        /// Moves behind the document type that begins here.
        mutating func skipDocumentType() -> Bool {
            var isInside = false
            offset += 2
            while offset < bytes.count {
                let byte = bytes[offset]
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    guard let end = bytes[(offset + 1)...].firstIndex(of: byte) else { return false }
                    offset = end + 1
                case UInt8(ascii: "<") where starts(with: "<!--"):
                    guard skip(past: "-->") else { return false }
                case UInt8(ascii: "<") where starts(with: "<?"):
                    guard skip(past: "?>") else { return false }
                case UInt8(ascii: "["):
                    isInside = true
                    offset += 1
                case UInt8(ascii: "]"):
                    isInside = false
                    offset += 1
                case UInt8(ascii: ">"):
                    offset += 1
                    if !isInside { return true }
                default:
                    offset += 1
                }
            }
            return false
        }
    }
}
