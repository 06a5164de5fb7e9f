// SPDX-License-Identifier: Apache-2.0

/// Why a JSON text could not be read, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: UInt8, Sendable {
        /// The text ends in the middle of a value.
        case truncated
        /// A byte that cannot stand here.
        case unexpectedByte
        /// A number that breaks JSON's grammar, for example "-" or "01".
        case invalidNumber
        /// A string with a control character or a bad escape.
        case invalidString
        /// More than ``JSONReader/maximumDepth`` levels of arrays and objects.
        case tooDeep
        /// A value of another type than the one asked for; the cursor still stands before it.
        case wrongType
        /// A number that the type asked for cannot hold; the cursor still stands before it.
        case outOfRange
        /// A string longer than allowed; the cursor still stands before it.
        case tooLong
    }

    /// What is wrong.
    public let reason: Reason
    /// The offset of the offending byte from the start of the text.
    public let offset: Int

    /// An error at that byte.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// A sentence for a log.
    public var description: String {
        let what =
            switch reason {
            case .truncated: "the text ends in the middle of a value"
            case .unexpectedByte: "a byte that cannot stand here"
            case .invalidNumber: "not a JSON number"
            case .invalidString: "a control character or a bad escape in a string"
            case .tooDeep: "more than \(JSONReader.maximumDepth) levels of arrays and objects"
            case .wrongType: "a value of another type than expected"
            case .outOfRange: "a number out of range"
            case .tooLong: "a string that is too long"
            }
        return "JSON, byte \(offset): \(what)"
    }
}
