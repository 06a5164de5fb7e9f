// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Something in a trace that is not as it should be and that reading got over.
public struct TraceWarning: Sendable, Hashable, CustomStringConvertible {
    /// What it is.
    public enum Reason: UInt8, Sendable {
        /// The last line ends in the middle: the recording was cut off. What came before it was read.
        case cutLine
        /// The line cannot be read; it was skipped.
        case brokenLine
        /// The time is before that of an earlier line; the earlier time was kept.
        case timeGoesBack
        /// The line has no time that can be read; it takes the time of the line before.
        case noTime
    }

    /// The line, counted from 1.
    public var line: Int
    /// What it is.
    public var reason: Reason

    /// A warning about that line.
    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// A sentence for a log.
    public var description: String {
        let what =
            switch reason {
            case .cutLine: "the trace ends in the middle of this line, which was left out"
            case .brokenLine: "the line cannot be read and was left out"
            case .timeGoesBack: "time goes back here; the time of the line before was kept"
            case .noTime: "there is no time that can be read; the time of the line before was taken"
            }
        return "line \(line): \(what)"
    }
}
