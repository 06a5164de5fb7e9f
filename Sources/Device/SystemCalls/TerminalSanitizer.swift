// SPDX-License-Identifier: Apache-2.0

/// Sanitizes text from external sources for display.
package enum TerminalSanitizer {
    /// The maximum length of sanitized text, in UTF-8 bytes. A USB string has up to 126 characters of up to 3 bytes.
    package static let maximumLength = 512

    /// Trims whitespace, limits the length, and replaces characters that control or reorder displayed text.
    package static func sanitized(_ text: String) -> String { sanitized(text[...]) }

    package static func sanitized(_ text: Substring) -> String {
        var scalars = String.UnicodeScalarView()
        var length = 0
        /// The number of scalars appended so far. `trimmedCount` excludes trailing whitespace.
        var count = 0
        var trimmedCount = 0
        for scalar in text.unicodeScalars {
            let isBlank = isBlank(scalar)
            if isBlank && scalars.isEmpty { continue }
            let replacement: Unicode.Scalar = isBlank || !isControl(scalar) ? scalar : "\u{fffd}"
            length += UTF8.width(replacement)
            guard length <= maximumLength else { break }
            scalars.append(isBlank ? " " : replacement)
            count += 1
            if !isBlank { trimmedCount = count }
        }
        return String(String.UnicodeScalarView(scalars.prefix(trimmedCount)))
    }

    /// Replaces characters that control or reorder displayed text, except tabs and line endings. If `isSingleLine` is
    /// true, line endings become spaces.
    package static func sanitizedLines(_ text: String, isSingleLine: Bool = false) -> String {
        guard mayNeedSanitizing(text, isSingleLine: isSingleLine) else { return text }
        var scalars = String.UnicodeScalarView()
        var isReturn = false
        for scalar in text.unicodeScalars {
            // A carriage return before a line feed is part of the line ending.
            if isReturn, scalar != "\n" { scalars.append("\u{fffd}") }
            isReturn = scalar == "\r"
            if isReturn { continue }
            let isEnd = scalar == "\n"
            scalars.append(
                isEnd && isSingleLine ? " " : isEnd || scalar == "\t" || !isControl(scalar) ? scalar : "\u{fffd}")
        }
        if isReturn { scalars.append("\u{fffd}") }
        return String(scalars)
    }

    /// Returns true if any byte may be the first byte of a character that must be replaced.
    private static func mayNeedSanitizing(_ text: String, isSingleLine: Bool) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes {
                switch byte {
                case 0x09: continue
                case 0x0a: if isSingleLine { return true }
                case 0..<0x20, 0x7f, 0xc2, 0xd8, 0xe2, 0xef, 0xf3: return true
                default: continue
                }
            }
            return false
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20, 0x09...0x0d, 0xa0, 0x3000: true
        default: false
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        case 0xe0000...0xe007f: true
        default: false
        }
    }
}
