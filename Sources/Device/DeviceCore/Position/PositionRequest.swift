// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a subscriber wants of a position source.
public struct PositionRequest: Sendable, Hashable {
    /// True for every report; false for one report an epoch, the last and most complete.
    public var everyReport = false
    /// The path of the receiver to listen to; nil for the best one.
    public var receiver: String?
    /// True to get each line of the service as it was sent, too.
    public var lines = false
    /// True for reports that carry their own bytes.
    public var rawReports = false

    /// One report an epoch from the best receiver, or as the arguments say.
    public init(everyReport: Bool = false, receiver: String? = nil, lines: Bool = false, rawReports: Bool = false) {
        self.everyReport = everyReport
        self.receiver = receiver
        self.lines = lines
        self.rawReports = rawReports
    }
}
