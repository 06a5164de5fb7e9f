// SPDX-License-Identifier: Apache-2.0

/// The reason why a JSON text could not be read, and the position of the error.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Reason: UInt8, Sendable {
        case truncated, unexpectedByte, invalidNumber, invalidString, tooDeep
        // After one of these errors, the reader is still positioned before the value.
        case wrongType, outOfRange, tooLong
    }

    package let reason: Reason
    /// The offset of the offending byte, in bytes from the start of the text.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        let problem =
            switch reason {
            case .truncated: "the text ends in the middle of a value"
            case .unexpectedByte: "an unexpected byte"
            case .invalidNumber: "not a JSON number"
            case .invalidString: "a control character or an invalid escape in a string"
            case .tooDeep: "more than \(JSONReader.maximumDepth) levels of arrays and objects"
            case .wrongType: "a value of an unexpected type"
            case .outOfRange: "a number out of range"
            case .tooLong: "a string that is too long"
            }
        return "JSON, byte \(offset): \(problem)"
    }
}
