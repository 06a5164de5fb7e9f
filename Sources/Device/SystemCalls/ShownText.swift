// SPDX-License-Identifier: Apache-2.0

/// Text from outside that people are shown.
package enum ShownText {
    /// The most bytes of UTF-8 that are kept: a string of USB has up to 126 characters of up to 3 bytes.
    package static let maximumLength = 512

    /// The text without blanks around it, of bounded length, and with what controls a terminal or turns the direction of
    /// writing replaced: a device must not be able to write into a log or a terminal as it likes.
    package static func cleaned(_ text: String) -> String { cleaned(text[...]) }

    /// The same of a part of a text.
    package static func cleaned(_ text: Substring) -> String {
        var scalars = String.UnicodeScalarView()
        var length = 0
        /// The length of what ends with something else than a blank.
        var kept = 0
        var keptLength = 0
        for scalar in text.unicodeScalars {
            let isBlank = isBlank(scalar)
            if isBlank && scalars.isEmpty { continue }
            let shown: Unicode.Scalar = isBlank || !isHarmful(scalar) ? scalar : "\u{fffd}"
            length += UTF8.width(shown)
            guard length <= maximumLength else { break }
            scalars.append(isBlank ? " " : shown)
            kept += 1
            if !isBlank { keptLength = kept }
        }
        return String(String.UnicodeScalarView(scalars.prefix(keptLength)))
    }

    /// The text with its line ends and tabs, and with everything else replaced that controls a terminal or turns the
    /// direction of writing: for whole lines that are written to a terminal or a log.
    ///
    /// - Parameter isOne: true for one line, in which an end of a line is a blank.
    package static func lines(_ text: String, isOne: Bool = false) -> String {
        guard mayHarm(text, isOne) else { return text }
        var scalars = String.UnicodeScalarView()
        var isReturn = false
        for scalar in text.unicodeScalars {
            // A carriage return before a line feed is part of the line's end.
            if isReturn, scalar != "\n" { scalars.append("\u{fffd}") }
            isReturn = scalar == "\r"
            if isReturn { continue }
            let isEnd = scalar == "\n"
            scalars.append(
                isEnd && isOne ? " " : isEnd || scalar == "\t" || !isHarmful(scalar) ? scalar : "\u{fffd}")
        }
        if isReturn { scalars.append("\u{fffd}") }
        return String(scalars)
    }

    /// False for text of bytes none of which begins a character that is replaced.
    private static func mayHarm(_ text: String, _ isOne: Bool) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes {
                switch byte {
                case 0x09: continue
                case 0x0a: if isOne { return true }
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

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        case 0xe0000...0xe007f: true
        default: false
        }
    }
}
