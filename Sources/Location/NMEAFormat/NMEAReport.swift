// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A report decoded from the sentences of one epoch.
package struct NMEAReport: Sendable {
    /// The contents of a report, represented by the same types as gpsd's reports.
    package enum Contents: Sendable {
        case position(PositionReport)
        case sky(SkyReport)
        /// Heading, rate of turn, pitch and roll. Attitude sentences contain no time.
        case attitude(AttitudeReport)
    }

    package var contents: Contents
    /// The arrival time of the epoch's last sentence, or nil if unknown.
    package var arrival: WallTime?
    /// The time of the epoch in nanoseconds since 1970. Until a date is known, it is counted from an arbitrary
    /// midnight.
    package var epochTime: Int64?
    /// True if the position has no time, or if the previous position from the same talker and sentence kind had the
    /// same time. Times repeat if their resolution is too coarse for the receiver's measurement rate.
    package var isRepeated = false
}

package struct NMEACounts: Sendable, Hashable {
    package var decoded = 0
    /// The number of valid sentences that are not supported, such as proprietary sentences.
    package var unsupported = 0
    /// The number of sentences that are truncated or too long, or have an invalid or missing checksum.
    package var invalid = 0
    /// The number of decoded sentences that contain speed and course (RMC and VTG).
    package var motionSentences = 0
    package var withoutChecksum = 0
    /// The number of epochs whose satellites were discarded because a GSV sentence was missing or invalid.
    package var incompleteSkies = 0
    /// The number of positions that have no time because the date was unknown.
    package var undated = 0
    /// The number of sentences that announce a datum other than WGS 84. Positions are not converted.
    package var otherDatums = 0
    /// The number of sentences that were ignored because the maximum of 16 receivers was reached.
    package var ignoredReceiverSentences = 0

    package init() {}
}

/// A fix type, as represented by gpsd's status, the quality in GGA, and the mode letter in other sentences.
struct NMEAFixQuality {
    var status: UInt8
    var quality: Int
    var letter: UInt8

    /// All fix types except the normal fix, which has quality 1 and mode letter A.
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
