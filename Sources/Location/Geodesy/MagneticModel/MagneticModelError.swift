// SPDX-License-Identifier: Apache-2.0

/// An error in a magnetic model's coefficient file.
package struct MagneticModelError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        case empty
        case tooLarge
        /// A line exceeds ``MagneticFileReader/maximumLineLength``, or contains bytes that are not ASCII text.
        case notText
        case badHeader
        case badEpoch
        case badFieldCount(Int)
        case badNumber(String)
        case badOrder(degree: Int, order: Int)
        case duplicate(degree: Int, order: Int)
        case missing(degree: Int, order: Int)
        case noEnd
    }

    package let reason: Reason
    /// The line number, starting at 1, or nil if the error concerns the whole file.
    package let line: Int?

    init(_ reason: Reason, line: Int? = nil) {
        (self.reason, self.line) = (reason, line)
    }

    package var description: String {
        let linePrefix = line.map { "Line \($0): " } ?? ""
        return linePrefix + sentence
    }

    /// The message without the line prefix. A message that begins with a lower-case letter needs a prefix such as
    /// "Line 1: ", so its error must have a line number.
    private var sentence: String {
        let epochs = MagneticFileReader.epochs
        return switch reason {
        case .empty: "The file is empty."
        case .tooLarge: "The file is larger than \(MagneticModel.maximumFileSize) bytes."
        case .notText: "the line is not ASCII text or is too long."
        case .badHeader: "the file does not begin with an epoch and a model name."
        case .badEpoch: "the epoch is not a year from \(Int(epochs.lowerBound)) to \(Int(epochs.upperBound))."
        case .badFieldCount(let count):
            "a row needs six fields (n, m, g, h and their rates), but this one has \(count)."
        case .badNumber(let text): "\"\(text)\" is not a valid number in this field."
        case .badOrder(let n, let m):
            "degree \(n) and order \(m) are out of range (1 to \(MagneticModel.maximumDegree), 0 to the degree)."
        case .duplicate(let n, let m): "degree \(n) and order \(m) occur twice."
        case .missing(let n, let m): "Degree \(n) and order \(m) are missing."
        case .noEnd: "The file is truncated: the line of nines at its end is missing."
        }
    }
}
