// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import NMEAFormat

/// How a trace is written as an NMEA log.
public struct NMEAExportOptions: Sendable, Hashable {
    /// Which sentences, and with how many digits.
    public var format = NMEAOptions()
    /// True to put a tag block with the time of arrival, in milliseconds, in front of each sentence.
    public var stampsArrivals = false
    /// The path of the receiver that is written; nil for that of the first fix.
    public var receiver: String?
    /// True to replace a file that is there.
    public var overwrite = false

    /// Options for what a receiver would have sent.
    public init() {}
}
