// SPDX-License-Identifier: Apache-2.0

/// A line of a trace that cannot be read in full, and what the reader did about it.
public struct TraceWarning: Sendable, Hashable, CustomStringConvertible {
    /// The problem.
    public enum Reason: UInt8, Sendable {
        /// The last line ends in the middle: the recording was cut off. What came before it was read.
        case cutLine
        /// The line cannot be read; it was skipped.
        case brokenLine
        /// The time is before that of an earlier line; the earlier time was kept.
        case timeGoesBack
        /// The line has no time that can be read; it takes the time of the line before.
        case noTime
        /// The reading of a sensor lacks a number, or has one that cannot be used; it was skipped.
        case badReading
        /// The event is about a sensor that the trace does not know, that is of another kind, or that is one too many; it
        /// was skipped.
        case unknownSensor
        /// The event of an accessory lacks something, or holds what cannot be used; it was skipped.
        case badAccessory
        /// The event is about an accessory that is not attached, about a protocol that it does not offer, or attaches one
        /// too many; it was skipped.
        case unknownAccessory
        /// The event of a beacon lacks something, or holds what cannot be used; it was skipped.
        case badBeacon
        /// The line is longer than 16 MiB; it was skipped.
        case longLine
        /// The file became shorter while it was read; what followed is missing.
        case becameShorter
        /// The event is of a kind that this version does not know; it was skipped.
        case unknownKind
        /// A member of the line is unknown or has a value that cannot be used; the rest of the line was read.
        case badMember
        /// A line of gpsd's text is neither a report nor an NMEA sentence nor a comment; it was skipped.
        case notAReport
    }

    /// The line, counted from 1.
    public var line: Int
    /// The problem.
    public var reason: Reason
    /// The start of the line or of the member, at most 80 characters; empty where there is none.
    public var text: String

    /// A warning about that line.
    public init(line: Int, reason: Reason, text: String = "") {
        self.line = line
        self.reason = reason
        self.text = text
    }

    /// At most the first 80 characters of the input.
    static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(String(decoding: bytes.prefix(320), as: UTF8.self).prefix(80))
    }

    /// A sentence for a log.
    public var description: String { "line \(line): \(reason.message)" }
}

extension TraceWarning.Reason {
    /// The problem and its consequence, as a clause.
    package var message: String {
        switch self {
        case .cutLine: "the trace ends in the middle of this line, which was left out"
        case .brokenLine: "the line cannot be read and was left out"
        case .timeGoesBack: "time goes back here; the time of the line before was kept"
        case .badReading: "the reading has no numbers that can be used and was left out"
        case .unknownSensor: "the trace has no such sensor; the event was left out"
        case .badAccessory: "the event of an accessory cannot be used and was left out"
        case .badBeacon: "the event of a beacon cannot be used and was left out"
        case .unknownAccessory:
            "the accessory is not attached here, or does not offer the protocol; the event was left out"
        case .becameShorter: "the file became shorter while it was read; what followed is missing"
        case .longLine: "the line is longer than 16 MiB and was left out"
        case .noTime: "there is no time that can be read; the time of the line before was taken"
        case .unknownKind: "the event is of an unknown kind and was left out"
        case .badMember: "a member is unknown or cannot be used and was ignored"
        case .notAReport: "the line is neither a report of gpsd nor NMEA and was left out"
        }
    }
}

extension InputDiagnostics {
    /// Groups warnings by their reasons.
    package init(_ warnings: [TraceWarning]) {
        self.init()
        for warning in warnings { record(warning) }
    }

    /// Counts a warning.
    mutating func record(_ warning: TraceWarning) {
        record(warning.reason.message, line: warning.line, text: warning.text)
    }
}
