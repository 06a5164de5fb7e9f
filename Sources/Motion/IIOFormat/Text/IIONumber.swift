// SPDX-License-Identifier: Apache-2.0

/// Numbers as sysfs and libiio write them: with a decimal point, whatever the locale says.
package enum IIONumber {
    /// The text without the blanks, line ends and NUL bytes around it, which libiio and drivers leave there.
    package static func trimmed(_ text: String) -> Substring {
        var rest = text[...]
        while let first = rest.unicodeScalars.first, isFiller(first) { rest.unicodeScalars.removeFirst() }
        while let last = rest.unicodeScalars.last, isFiller(last) { rest.unicodeScalars.removeLast() }
        return rest
    }

    /// The finite number that the text is, blanks around it aside; nil when it is anything else.
    ///
    /// A decimal comma, a unit behind the number, "nan" and hexadecimal digits all give nil.
    package static func double(_ text: some StringProtocol) -> Double? {
        let trimmed = trimmed(String(text.prefix(limit + 1)))
        guard !trimmed.isEmpty, trimmed.utf8.count <= limit, trimmed.utf8.allSatisfy(isPartOfNumber) else { return nil }
        guard let number = Double(trimmed), number.isFinite else { return nil }
        return number
    }

    /// The longest text that is looked at; no driver writes a number of that length.
    private static let limit = 64

    static func isFiller(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 || scalar.value == 0x7F }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
