// SPDX-License-Identifier: Apache-2.0

/// Folds names. The index is sorted by folded names, so make_places.py must fold names in the same way.
extension PlaceData {
    /// Converts a string to lower-case UTF-8 without accents or punctuation, and with single spaces between words.
    /// Latin letters become ASCII: "Île-de-France" becomes "ile de france". Other letters are only lowercased.
    package func folded(_ text: some StringProtocol) throws(PlaceDataError) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                Self.append(ascii: UInt8(truncatingIfNeeded: scalar.value), to: &folded)
            } else if let letters = try foldedLetters(of: scalar) {
                for letter in letters where letter != 0 { folded.append(letter) }
            } else if Self.isLetterOrNumber(scalar) {
                folded.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
            } else {
                Self.append(ascii: Self.space, to: &folded)
            }
        }
        if folded.last == Self.space { folded.removeLast() }
        return folded
    }

    private static var space: UInt8 { 0x20 }

    private static func append(ascii byte: UInt8, to folded: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): folded.append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): folded.append(byte | 0x20)
        case UInt8(ascii: "'"), UInt8(ascii: "`"): break
        default: if let last = folded.last, last != space { folded.append(space) }
        }
    }

    /// Returns two bytes that contain the one or two letters that replace a scalar. If there is only one letter, the
    /// second byte is 0. Returns nil if the scalar is unknown.
    private func foldedLetters(of scalar: Unicode.Scalar) throws(PlaceDataError) -> [UInt8]? {
        let low = try (0..<folding.count).partitionPoint { (row) throws(PlaceDataError) in
            try folding.integer(row, at: 0, byteCount: 2) < scalar.value
        }
        guard low < folding.count, try folding.integer(low, at: 0, byteCount: 2) == scalar.value else { return nil }
        let pair = try folding.integer(low, at: 2, byteCount: 2)
        return [UInt8(pair & 0xFF), UInt8(pair >> 8)]
    }

    private static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
