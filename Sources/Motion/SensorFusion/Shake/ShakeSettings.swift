// SPDX-License-Identifier: Apache-2.0

/// The thresholds of a ``ShakeDetector``.
///
/// Apple publishes none, only that a shake lasts no longer than about a second. Times are in seconds, acceleration
/// in g. Numbers that make no sense never trap.
package struct ShakeSettings: Sendable, Equatable {
    /// Acceleration, gravity taken off, that makes a sample part of a stroke. Default 1.3.
    ///
    /// Common detectors use 1.5 to 2.3 g, or 13 m/s² with gravity left in. It must be above 1 g: a device
    /// that only turns, however fast, is then never seen to be accelerated to and fro, and in a jump or a fall
    /// the downward half stays below it.
    package var threshold: Double = 1.3

    /// Time constant of the low-pass filter that takes gravity off. Default 0.5 s.
    ///
    /// Longer than a stroke, so that shaking does not drag gravity along, and longer than
    /// ``maximumReversalInterval``, which is what keeps turning a device over and back from counting.
    package var gravityTime: Double = 0.5

    /// How many times the direction must reverse. Default 3: to, fro, to, fro.
    package var reversals: Int = 3

    /// The shortest time between two reversals. Default 0.03 s, which is half a period at 17 Hz.
    ///
    /// Faster is the ringing of a knock, or a motor: evidence begins anew. Sampling must be faster too to tell.
    package var minimumReversalInterval: Double = 0.03

    /// The longest time between two reversals; after it the shaking has stopped. Default 0.4 s, which is half
    /// a period at 1.25 Hz.
    package var maximumReversalInterval: Double = 0.4

    /// How long the strokes must have lasted together before it is shaking. Default 0.2 s.
    package var minimumDuration: Double = 0.2

    /// The part of that time during which the threshold must have been passed. Default 0.35.
    ///
    /// A sinusoidal movement of 1.55 g has it, of 2 g has 0.55. Steps and knocks are peaks with long pauses.
    package var strongShare: Double = 0.35

    /// The longest shake, from its first to its last strong sample; more is no shake. Default 1.2 s, so that shaking
    /// for a second is safely one.
    package var maximumDuration: Double = 1.2

    /// How long after a shake no other begins. Default 1 s.
    ///
    /// It counts from the last reversal of a shake that ended, and from the last strong acceleration of one
    /// that was cancelled.
    package var refractoryTime: Double = 1

    /// Time without a sample after which the samples before it are no evidence any more. Default 0.25 s.
    package var maximumGap: Double = 0.25

    /// Creates the default settings.
    package init() {}
}
