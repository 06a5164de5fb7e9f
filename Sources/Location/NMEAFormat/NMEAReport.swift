// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What the sentences of one epoch say.
public struct NMEAReport: Sendable {
    /// A report of one of the kinds that gpsd has.
    public enum Contents: Sendable {
        /// A position, or that there is none.
        case position(PositionReport)
        /// Satellites and dilutions.
        case sky(SkyReport)
        /// Heading, rate of turn, pitch and roll. Sentences give no time for them.
        case attitude(AttitudeReport)
    }

    /// The report.
    public var contents: Contents
    /// When the last of its sentences arrived; nil when nobody said.
    public var arrival: WallTime?
    /// The time of the epoch in nanoseconds since 1970, or since some midnight while no date is known; nil when no
    /// sentence gave a time yet.
    public var clock: Int64?
    /// True for a position without a time, or with the time that the same talker and kind of sentence gave before: the
    /// receiver measures more often than the resolution of its times.
    package var isRepeated = false
}

/// What a decoder came across.
public struct NMEACounts: Sendable, Hashable {
    /// Sentences that were read.
    public var read = 0
    /// Sentences of other kinds, such as a maker's own, with a right checksum.
    public var passedOver = 0
    /// Sentences whose checksum was wrong or missing, that were cut, or were longer than 1024 bytes.
    public var broken = 0
    /// Sentences among those read that are there for speed and course: RMC and VTG.
    public var motion = 0
    /// Sentences among those read that had no checksum.
    public var unchecked = 0
    /// Lists of satellites of which a sentence was missing, and which were left out therefore.
    public var incompleteSkies = 0
    /// Positions without a date, so that they have no time.
    public var undated = 0
    /// Sentences that say that positions are of another datum than WGS 84; they are taken as they are.
    public var otherDatums = 0
    /// Receivers beyond the sixteenth, told apart by tag blocks; their sentences were left out.
    public var receiversLeftOut = 0

    /// Nothing yet.
    public init() {}
}

/// How a position was found: gpsd's status, the quality of GGA and the letter of the other sentences.
struct NMEAStatus {
    var status: UInt8
    var quality: Int
    var letter: UInt8

    /// Differential, fixed and floating real-time kinematics, dead reckoning, entered by hand, simulated, precise. Any
    /// other fix has the quality 1 and the letter A.
    static let all = [
        NMEAStatus(status: 2, quality: 2, letter: UInt8(ascii: "D")),
        NMEAStatus(status: 3, quality: 4, letter: UInt8(ascii: "R")),
        NMEAStatus(status: 4, quality: 5, letter: UInt8(ascii: "F")),
        NMEAStatus(status: 5, quality: 6, letter: UInt8(ascii: "E")),
        NMEAStatus(status: 7, quality: 7, letter: UInt8(ascii: "M")),
        NMEAStatus(status: 8, quality: 8, letter: UInt8(ascii: "S")),
        NMEAStatus(status: 9, quality: 3, letter: UInt8(ascii: "P")),
    ]
}
