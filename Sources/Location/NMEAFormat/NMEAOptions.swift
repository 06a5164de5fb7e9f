// SPDX-License-Identifier: Apache-2.0

/// How sentences are written.
public struct NMEAOptions: Sendable, Hashable {
    /// The kinds of sentences that can be written.
    public struct Sentences: OptionSet, Sendable, Hashable {
        /// One bit a kind.
        public let rawValue: UInt16

        /// Kinds by their bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Position with altitude.
        public static let gga = Sentences(rawValue: 1)
        /// Position with speed, course and date.
        public static let rmc = Sentences(rawValue: 2)
        /// Course and speed.
        public static let vtg = Sentences(rawValue: 4)
        /// Satellites used, and dilutions.
        public static let gsa = Sentences(rawValue: 8)
        /// Satellites in view.
        public static let gsv = Sentences(rawValue: 16)
        /// Errors of the position.
        public static let gst = Sentences(rawValue: 32)
        /// Date and time of day.
        public static let zda = Sentences(rawValue: 64)
        /// Heading (HDT, HDG), rate of turn (ROT), pitch and roll (XDR).
        public static let heading = Sentences(rawValue: 128)
        /// Depth of the water (DPT).
        public static let depth = Sentences(rawValue: 256)
        /// All of them.
        public static let all = Sentences(rawValue: 511)
    }

    /// Which sentences are written, as far as there is something to say in them.
    public var sentences = Sentences.all
    /// Digits behind the point of a coordinate's minutes, 2 to 9. Receivers write four, five (2 cm) or seven; with seven,
    /// sentences become longer than the 82 characters of the standard, as such receivers' are.
    public var minuteDecimals = 5 { didSet { minuteDecimals = max(2, min(minuteDecimals, 9)) } }

    /// The confidence of the reports' errors.
    package var confidence = PositionDeviations.Confidence.ninetyFive

    /// Options for what most receivers write.
    public init() {}
}
