// SPDX-License-Identifier: Apache-2.0

/// A warning about a trace line that was skipped or only partly read.
public struct TraceWarning: Sendable, Hashable, CustomStringConvertible {
    /// The problem.
    public enum Reason: UInt8, Sendable {
        /// The last line is incomplete because the recording was interrupted. All previous lines were read.
        case truncatedLine
        /// The line is malformed and was skipped.
        case malformedLine
        /// The time is earlier than the previous line's time, which was used instead.
        case decreasingTime
        /// The line has no valid time. The previous line's time was used.
        case missingTime
        /// A sensor reading has a missing or invalid value and was skipped.
        case invalidReading
        /// The event was skipped because its sensor is unknown or of a different kind, or because the trace has too
        /// many sensors.
        case unknownSensor
        /// An accessory event has a missing or invalid member and was skipped.
        case invalidAccessoryEvent
        /// The event was skipped because its accessory is not attached or does not support the protocol, or because too
        /// many accessories are attached.
        case unknownAccessory
        /// A beacon event has a missing or invalid member and was skipped.
        case invalidBeaconEvent
        /// The line is longer than 16 MiB and was skipped.
        case lineTooLong
        /// The file was truncated while it was being read. The remaining events are missing.
        case fileTruncated
        /// The event is of a kind unknown to this version and was skipped.
        case unknownKind
        /// A member of the line is unknown or has an invalid value. The rest of the line was read.
        case invalidMember
        /// A line of gpsd output was skipped, because it is not a report, an NMEA sentence or a comment.
        case notAReport
    }

    /// The line number, starting at 1.
    public var line: Int
    /// The problem.
    public var reason: Reason
    /// The first 80 characters of the line or of the invalid member. Empty if there is no text.
    public var text: String

    package init(line: Int, reason: Reason, text: String = "") {
        (self.line, self.reason, self.text) = (line, reason, text)
    }

    /// Returns the first 80 characters of UTF-8 text.
    static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(String(decoding: bytes.prefix(320), as: UTF8.self).prefix(80))
    }

    /// The line number and the problem, for log messages.
    public var description: String { "line \(line): \(reason.message)" }
}

extension TraceWarning.Reason {
    /// The problem and its consequence, as a clause.
    package var message: String {
        switch self {
        case .truncatedLine: "the trace ends in the middle of this line, which was skipped"
        case .malformedLine: "the line cannot be read and was skipped"
        case .decreasingTime: "the time is earlier than in the previous line; the previous time was used"
        case .invalidReading: "the reading has no valid values and was skipped"
        case .unknownSensor: "the trace has no such sensor; the event was skipped"
        case .invalidAccessoryEvent: "the accessory event is invalid and was skipped"
        case .invalidBeaconEvent: "the beacon event is invalid and was skipped"
        case .unknownAccessory:
            "the accessory is not attached at this time, or does not offer the protocol; the event was skipped"
        case .fileTruncated: "the file became shorter while it was read; the rest is missing"
        case .lineTooLong: "the line is longer than 16 MiB and was skipped"
        case .missingTime: "the time is missing or cannot be read; the time of the previous line was used"
        case .unknownKind: "the event is of an unknown kind and was skipped"
        case .invalidMember: "a member is unknown or invalid and was ignored"
        case .notAReport: "the line is neither a gpsd report nor an NMEA sentence and was skipped"
        }
    }
}

extension InputDiagnostics {
    package init(_ warnings: [TraceWarning]) {
        self.init()
        for warning in warnings { record(warning) }
    }

    mutating func record(_ warning: TraceWarning) {
        record(warning.reason.message, line: warning.line, text: warning.text)
    }
}
