// SPDX-License-Identifier: Apache-2.0

/// A code that a scanner has read.
package struct Barcode: Equatable, Sendable {
    package var text: String

    /// Creates a code from the text that a scanner has sent.
    package init(_ text: String) { self.text = text }

    /// Whether the check digit of a product code (EAN-8, UPC-A, EAN-13, GTIN-14) is correct. nil for other codes.
    package var isCheckDigitRight: Bool? {
        let digits = text.utf8.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
        guard digits.count == text.utf8.count, [8, 12, 13, 14].contains(digits.count) else { return nil }
        // From right to left, the weights are 1 for the check digit, then 3, 1, 3 and so on.
        let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
        return sum % 10 == 0
    }
}

/// Splits the bytes of a stream into lines.
struct LineSplitter {
    /// The maximum length of a code. Longer input is treated as noise.
    static let limit = 4096
    private var line: [UInt8] = []
    private var isTooLong = false

    /// Appends bytes and returns the lines that they complete. Scanners end lines with CR, LF or both.
    mutating func split(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == 0x0D || byte == 0x0A {
                if !line.isEmpty, !isTooLong { lines.append(String(decoding: line, as: UTF8.self)) }
                (line, isTooLong) = ([], false)
            } else if line.count < Self.limit {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
        return lines
    }
}
