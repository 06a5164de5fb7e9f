// SPDX-License-Identifier: Apache-2.0

/// Tells how a device is held from its accelerometer, without flapping.
///
/// Feed it with every sample; ten to twenty a second are enough. A sample passes through these steps:
///
/// 1. An acceleration far from 1 g says nothing about where down is: as long as it lasts, and for a settle time after
///    it, the orientation is frozen.
/// 2. A low-pass filter finds the direction of gravity.
/// 3. The direction selects an orientation. The present one has the preference, up to 15 degrees past the diagonal
///    between two edges, or past 40 degrees of tilt when lying flat; then one that is waiting for its hold time.
/// 4. A new orientation must hold for 200 ms.
///
/// The first orientation is known one hold time after the first sample. Across a gap in the samples nothing is known:
/// the filter and the hold time begin anew, the orientation stays. Samples that are not newer than the one before are
/// left out; when the time goes back by more than the maximum gap, the stream counts as a new one. Samples and time
/// stamps that are infinite or NaN are left out.
///
/// Units: acceleration in g in Apple's axes and sign (face up at rest: z = -1), time stamps in seconds of any steady
/// clock.
///
/// ```swift
/// var detector = OrientationDetector()
/// if let orientation = detector.update(acceleration: sample, timestamp: time) {
///     // The orientation has changed.
/// }
/// ```
package struct OrientationDetector: Sendable, Equatable {
    /// The thresholds it was made with.
    package let settings: OrientationSettings

    /// The present orientation, ``DeviceOrientation/unknown`` at first.
    package private(set) var orientation: DeviceOrientation = .unknown

    private let bands: OrientationBands
    private var clock: SensorInterval
    private var lowPass: LowPassFilter
    /// The orientation that is waiting for its hold time, or unknown.
    private var candidate: DeviceOrientation = .unknown
    private var candidateSince: Double = 0
    private var frozenUntil: Double = -.infinity

    /// Creates a detector that knows nothing yet.
    package init(settings: OrientationSettings = OrientationSettings()) {
        self.settings = settings
        bands = OrientationBands(settings)
        clock = SensorInterval(maximumGap: settings.maximumGap, slowest: 3)
        lowPass = LowPassFilter(timeConstant: settings.smoothingTime)
    }

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - acceleration: In g, gravity included, in Apple's axes and sign.
    ///   - timestamp: Seconds.
    /// - Returns: The new orientation when it has changed, otherwise nil.
    package mutating func update(acceleration: SIMD3<Double>, timestamp: Double) -> DeviceOrientation? {
        guard acceleration.isFinite else { return nil }
        switch clock.step(to: timestamp) {
        case .unusable: return nil
        case .next: break
        case .start:
            lowPass.reset()
            candidate = .unknown
            // A clock that was set back must not leave the end of the freeze far in its future.
            frozenUntil = min(frozenUntil, timestamp + settings.settleTime)
        }
        guard abs(acceleration.length - 1) <= settings.strongAcceleration else {
            frozenUntil = timestamp + settings.settleTime
            candidate = .unknown
            return nil
        }
        let gravity = lowPass.update(acceleration, interval: clock.interval)
        guard timestamp >= frozenUntil - Self.timeTolerance, let seen = orientation(along: gravity) else {
            candidate = .unknown
            return nil
        }
        return consider(seen, at: timestamp)
    }

    /// Forgets everything; the orientation is unknown again.
    package mutating func reset() { self = OrientationDetector(settings: settings) }

    private func orientation(along gravity: SIMD3<Double>) -> DeviceOrientation? {
        let length = gravity.length
        // Opposite directions shortly after each other: their mean points nowhere in particular.
        guard length >= 0.3 else { return nil }
        let direction = gravity / length
        if bands.keeps(orientation, at: direction) { return orientation }
        // At a boundary noise would swap two candidates for ever, and none would hold, if they had no hysteresis too.
        if bands.keeps(candidate, at: direction) { return candidate }
        return bands.orientation(of: direction)
    }

    private mutating func consider(_ seen: DeviceOrientation, at timestamp: Double) -> DeviceOrientation? {
        guard seen != orientation else {
            candidate = .unknown
            return nil
        }
        if seen != candidate {
            candidate = seen
            candidateSince = timestamp
        }
        guard timestamp - candidateSince >= settings.holdTime - Self.timeTolerance else { return nil }
        orientation = seen
        candidate = .unknown
        return seen
    }

    /// Differences of time stamps are rounded; a tenth of a second must not become just less than that.
    private static let timeTolerance = 1e-6
}
