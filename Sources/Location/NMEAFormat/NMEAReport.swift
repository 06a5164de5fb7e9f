// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A report decoded from the sentences of one epoch.
package struct NMEAReport: Sendable {
    /// The contents of a report, represented by the types for gpsd reports.
    package enum Contents: Sendable {
        /// A position, or the information that there is no fix.
        case position(PositionReport)
        /// Satellites and dilutions of precision.
        case sky(SkyReport)
        /// Heading, rate of turn, pitch and roll. Attitude sentences contain no time.
        case attitude(AttitudeReport)
    }

    package var contents: Contents
    /// The arrival time of the last sentence of the epoch; nil if unknown.
    package var arrival: WallTime?
    /// The time of the epoch in nanoseconds since 1970, or since an arbitrary midnight until a date is known; nil
    /// before the first sentence with a time.
    package var epochTime: Int64?
    /// True for a position without a time, and for a position with the same time as the previous position from the same
    /// talker and sentence kind. In the latter case, the receiver measures more often than the resolution of its times
    /// allows.
    package var isRepeated = false
}

package struct NMEACounts: Sendable, Hashable {
    package var decoded = 0
    /// The number of sentences that have a valid checksum but are not supported, such as proprietary sentences.
    package var unsupported = 0
    /// The number of sentences that have an invalid or missing checksum, are truncated, or exceed 1024 bytes.
    package var invalid = 0
    /// The number of decoded sentences that contain speed and course (RMC and VTG).
    package var motionSentences = 0
    package var withoutChecksum = 0
    /// The number of epochs whose satellites were discarded because a GSV sentence was missing or invalid.
    package var incompleteSkies = 0
    /// The number of positions without a time, because the date was unknown.
    package var undated = 0
    /// The number of sentences that announce a datum other than WGS 84. Positions are not converted.
    package var otherDatums = 0
    /// The number of ignored sentences from receivers beyond the sixteenth. Tag blocks identify the receivers.
    package var ignoredReceiverSentences = 0

    package init() {}
}

/// A fix type as gpsd's status, as the GGA quality, and as the mode letter of other sentences.
struct NMEAFixQuality {
    var status: UInt8
    var quality: Int
    var letter: UInt8

    /// Differential, RTK fixed, RTK float, dead reckoning, manual input, simulation and precise. Any other fix has
    /// quality 1 and mode letter A.
    static let all = [
        NMEAFixQuality(status: 2, quality: 2, letter: UInt8(ascii: "D")),
        NMEAFixQuality(status: 3, quality: 4, letter: UInt8(ascii: "R")),
        NMEAFixQuality(status: 4, quality: 5, letter: UInt8(ascii: "F")),
        NMEAFixQuality(status: 5, quality: 6, letter: UInt8(ascii: "E")),
        NMEAFixQuality(status: 7, quality: 7, letter: UInt8(ascii: "M")),
        NMEAFixQuality(status: 8, quality: 8, letter: UInt8(ascii: "S")),
        NMEAFixQuality(status: 9, quality: 3, letter: UInt8(ascii: "P")),
    ]
}
