// SPDX-License-Identifier: Apache-2.0

/// The length of a step from how fast steps follow each other, which positions correct where there are any.
///
/// Chen's formula, L = (0.7 + 0.371 (h - 1.75) + 0.227 (f - 1.79) h / 1.75) c, with the height h in metres, the
/// cadence f in hertz and a factor c for each person: R. Chen, L. Pei, Y. Chen, "A smart phone based PDR solution for
/// indoor navigation", ION GNSS 2011. It is right to 10 to 20 per cent for a person of whom nothing is known, and to
/// about 5 per cent once c is. It is made for walking: running steps are longer than it says. Where a receiver tells
/// the speed, the speed counts.
package struct StepLength: Sendable, Equatable {
    /// Metres; of a person of whom nothing is known.
    static let height = 1.70
    /// What c may be. Beyond, it is not the length of steps that is wrong.
    package static let factors = 0.7...1.3
    /// Steps between two corrections, and what one of them counts.
    private static let stretch = 10
    private static let weight = 0.2
    /// Metres that a step may have.
    private static let lengths = 0.2...2.5

    /// c: 1 for a person of whom nothing is known.
    package private(set) var factor: Double
    private var steps = 0
    private var predicted = 0.0
    private var measured = 0.0

    /// - Parameter factor: What is known of the person.
    package init(factor: Double = 1) {
        self.factor =
            factor.isFinite ? min(max(factor, Self.factors.lowerBound), Self.factors.upperBound) : 1
    }

    /// Metres of a step that takes so many seconds.
    ///
    /// - Parameter speed: Metres a second as a receiver tells it now; nil without one.
    package mutating func length(interval: Double?, speed: Double?) -> Double {
        let interval = interval ?? 0.55
        let plain = Self.plain(cadence: 1 / max(interval, 0.2))
        guard let speed, speed > 0.5, speed.isFinite else { return plain * factor }
        let length = min(max(speed * interval, Self.lengths.lowerBound), Self.lengths.upperBound)
        learn(plain, length)
        return length
    }

    private static func plain(cadence: Double) -> Double {
        0.7 + 0.371 * (height - 1.75) + 0.227 * (cadence - 1.79) * height / 1.75
    }

    private mutating func learn(_ plain: Double, _ length: Double) {
        predicted += plain
        measured += length
        steps += 1
        guard steps >= Self.stretch else { return }
        let ratio = measured / predicted
        // What is far beyond is a ride, or a receiver that is wrong.
        if ratio > 0.5, ratio < 1.6 {
            factor += Self.weight * (ratio - factor)
            factor = min(max(factor, Self.factors.lowerBound), Self.factors.upperBound)
        }
        (steps, predicted, measured) = (0, 0, 0)
    }
}
