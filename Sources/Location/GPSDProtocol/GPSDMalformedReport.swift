// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// Why a line from gpsd is no report, and where.
public struct GPSDMalformedReport: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: UInt8, Sendable {
        /// The line does not begin an object: NMEA or binary data, or not gpsd at all.
        case notAnObject
        /// The line ends too early.
        case truncated
        /// The line is not JSON.
        case invalid
        /// Arrays and objects are nested too deeply.
        case tooDeep
        /// There is no "class", or its value is not a string.
        case noClass
    }

    /// What is wrong.
    public var reason: Reason
    /// The offset of the offending byte from the start of the line.
    public var offset: Int

    /// A line that is wrong at that byte.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    init(_ error: JSONError) {
        let reason: Reason =
            switch error.reason {
            case .truncated: .truncated
            case .tooDeep: .tooDeep
            default: .invalid
            }
        self.init(reason, at: error.offset)
    }

    /// A sentence for a log.
    public var description: String {
        let what =
            switch reason {
            case .notAnObject: "the line does not begin a JSON object"
            case .truncated: "the line ends too early"
            case .invalid: "the line is not JSON"
            case .tooDeep: "arrays and objects are nested too deeply"
            case .noClass: "there is no class"
            }
        return "gpsd report, byte \(offset): \(what)"
    }
}
