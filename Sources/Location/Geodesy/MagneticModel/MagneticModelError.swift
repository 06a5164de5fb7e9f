// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a coefficient file of a magnetic model.
package struct MagneticModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: Sendable, Hashable {
        case empty
        /// More than ``MagneticModel/maximumFileSize`` bytes.
        case tooLarge
        /// A line of more than 200 bytes, or one with bytes that are not ASCII text.
        case notText
        case badHeader
        case badEpoch
        /// A line has another number of fields than the six of a row.
        case badFieldCount(Int)
        /// A field is not a number, or one that no such coefficient has.
        case badNumber(String)
        /// The degree is not from 1 to ``MagneticModel/maximumDegree``, or the order not from 0 to the degree.
        case badOrder(degree: Int, order: Int)
        case duplicate(degree: Int, order: Int)
        case missing(degree: Int, order: Int)
        case noEnd
    }

    /// What is wrong.
    package let reason: Reason

    /// The line that it is wrong in, counted from 1; nil where the file as a whole is meant.
    package let line: Int?

    init(_ reason: Reason, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }

    /// A sentence for people.
    package var description: String {
        let place = line.map { "Line \($0): " } ?? ""
        return place + sentence
    }

    private var sentence: String {
        switch reason {
        case .empty: "the file is empty."
        case .tooLarge: "the file is larger than \(MagneticModel.maximumFileSize) bytes."
        case .notText: "this is not a line of text as coefficient files have it."
        case .badHeader: "the file does not begin with an epoch and the name of a model."
        case .badEpoch: "the epoch is not a year from 1900 to 2200."
        case .badFieldCount(let count): "a row has six fields (n, m, g, h and their rates), this line has \(count)."
        case .badNumber(let text): "\"\(text)\" is not a number that can stand here."
        case .badOrder(let n, let m):
            "degree \(n) and order \(m) are not possible (1 to \(MagneticModel.maximumDegree), 0 to the degree)."
        case .duplicate(let n, let m): "degree \(n) and order \(m) are given twice."
        case .missing(let n, let m): "degree \(n) and order \(m) are missing."
        case .noEnd: "the file is cut off: the line of nines at its end is missing."
        }
    }
}
