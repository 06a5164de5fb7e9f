// SPDX-License-Identifier: Apache-2.0

/// The options for encoding NMEA 0183 sentences.
public struct NMEAOptions: Sendable, Hashable {
    /// A set of sentence kinds.
    public struct Sentences: OptionSet, Sendable, Hashable {
        /// The bits of the set, one per kind.
        public let rawValue: UInt16

        /// Creates a set from its bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Position with altitude.
        public static let gga = Sentences(rawValue: 1)
        /// Position with speed, course and date.
        public static let rmc = Sentences(rawValue: 2)
        /// Course and speed.
        public static let vtg = Sentences(rawValue: 4)
        /// Satellites used and dilutions of precision.
        public static let gsa = Sentences(rawValue: 8)
        /// Satellites in view.
        public static let gsv = Sentences(rawValue: 16)
        /// Position errors.
        public static let gst = Sentences(rawValue: 32)
        /// Date and time of day.
        public static let zda = Sentences(rawValue: 64)
        /// Heading (HDT, HDG), rate of turn (ROT), pitch and roll (XDR).
        public static let heading = Sentences(rawValue: 128)
        /// Water depth (DPT).
        public static let depth = Sentences(rawValue: 256)
        /// All sentence kinds.
        public static let all = Sentences(rawValue: 511)
    }

    /// The sentence kinds to encode. A sentence is omitted if none of its values is known.
    public var sentences = Sentences.all
    /// The number of decimal places in coordinate minutes, from 2 to 9. Five places give a resolution of 2 cm. With
    /// seven, sentences exceed the standard's limit of 82 characters.
    public var minuteDecimals = 5 { didSet { minuteDecimals = max(2, min(minuteDecimals, 9)) } }

    package var confidence = PositionDeviations.Confidence.ninetyFive

    /// Creates the default options, which match most receivers.
    public init() {}
}
