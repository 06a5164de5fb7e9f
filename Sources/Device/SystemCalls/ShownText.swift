// SPDX-License-Identifier: Apache-2.0

/// Text from outside that people are shown.
package enum ShownText {
    /// The most bytes of UTF-8 that are kept: a string of USB has up to 126 characters of up to 3 bytes.
    package static let maximumLength = 512

    /// The text without blanks around it, of bounded length, and with what controls a terminal or turns the direction of
    /// writing replaced: a device must not be able to write into a log or a terminal as it likes.
    package static func cleaned(_ text: some StringProtocol) -> String {
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

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20, 0x09...0x0d, 0xa0, 0x3000: true
        default: false
        }
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, 0xfeff, 0xe0000...0xe007f: true
        default: false
        }
    }
}
