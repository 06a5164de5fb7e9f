// SPDX-License-Identifier: Apache-2.0

/// The settings of a ``ShakeDetector``.
///
/// Apple publishes no thresholds, except that a shake lasts no longer than about a second. Times are in seconds and
/// accelerations in g.
package struct ShakeSettings: Sendable, Equatable {
    /// A sample is part of a stroke if its acceleration without gravity exceeds this value. The value must be above 1
    /// g, so that neither rotation nor the downward half of a jump or fall counts as a stroke.
    package var threshold: Double = 1.3
    /// The time constant of the low-pass filter that removes gravity. It is longer than a stroke, so that shaking does
    /// not change the estimated gravity. It is also longer than ``maximumReversalInterval``, so that turning a device
    /// over and back is not a shake.
    package var gravityTime: Double = 0.5
    /// The number of direction reversals in a shake. Three reversals separate four strokes.
    package var reversals: Int = 3
    /// The shortest time between two reversals, which is half a period at 17 Hz. Faster reversals must come from a
    /// motor or the ringing after a knock, so the strokes detected so far are discarded. If the sample interval is
    /// longer than this time, such reversals are not detected.
    package var minimumReversalInterval: Double = 0.03
    /// The maximum time between two reversals, which is half a period at 1.25 Hz. If no reversal follows within this
    /// time, the shaking has stopped.
    package var maximumReversalInterval: Double = 0.4
    /// The minimum time from the first stroke until a shake is detected.
    package var minimumDuration: Double = 0.2
    /// The acceleration must exceed the threshold for at least this fraction of the time since the first stroke. A
    /// sinusoidal movement with an amplitude of 1.55 g reaches 0.35. Steps and knocks stay below this value, because
    /// they are short peaks with long pauses.
    package var strongShare: Double = 0.35
    /// The maximum duration of a shake, from its first to its last strong sample. It exceeds one second so that one
    /// second of shaking is reliably detected as a shake.
    package var maximumDuration: Double = 1.2
    /// The time after a shake during which no other shake can begin. It starts at the last reversal if the shake ended,
    /// or at the last strong acceleration if the shake was cancelled.
    package var refractoryTime: Double = 1
    /// The maximum interval between two samples. After a longer one, the strokes detected so far are discarded.
    package var maximumGap: Double = 0.25

    package init() {}
}
