// SPDX-License-Identifier: Apache-2.0

/// What a scanner has read.
package struct Barcode: Equatable, Sendable {
    package var text: String

    /// What the scanner has sent.
    package init(_ text: String) { self.text = text }

    /// Whether the last digit fits the others, for the codes on goods (EAN-8, UPC-A, EAN-13, GTIN-14); nil for other codes.
    package var isCheckDigitRight: Bool? {
        let digits = text.utf8.compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
        guard digits.count == text.utf8.count, [8, 12, 13, 14].contains(digits.count) else { return nil }
        // From the right the weights are 1 for the check digit itself, then 3, 1, 3 and so on.
        let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
        return sum % 10 == 0
    }
}

/// Makes lines of pieces, as they come from a stream.
struct LineSplitter {
    /// No code is longer; what is, is noise.
    static let limit = 4096
    private var line: [UInt8] = []
    private var isTooLong = false

    /// The lines that the bytes complete. Scanners end them with CR, with LF or with both.
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
