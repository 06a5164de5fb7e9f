// SPDX-License-Identifier: Apache-2.0

/// Detects the orientation of a device from accelerometer samples, with hysteresis.
///
/// Pass every sample. A rate of ten to twenty samples per second is sufficient. Each sample is processed in these
/// steps:
///
/// 1. If the acceleration differs greatly from 1 g, its direction is not that of gravity, so the orientation does not
///    change until the settle time has passed.
/// 2. A low-pass filter estimates the direction of gravity.
/// 3. The direction determines an orientation. An upright device keeps its orientation until it is rotated more than 15
///    degrees beyond the diagonal between two edges. A flat device keeps its orientation until it is tilted by more
///    than 40 degrees.
/// 4. A new orientation is reported once it has lasted for 200 ms.
///
/// After a gap in the samples, the filter and the hold time restart, but the orientation is kept. Infinite, NaN, late
/// and duplicate samples are ignored. If a timestamp is older than the previous one by more than the maximum gap, a new
/// stream starts.
///
/// Acceleration is in g in Apple's axes and sign (z = -1 when lying still, face up). Timestamps are in seconds on any
/// monotonic clock.
package struct OrientationDetector: Sendable, Equatable {
    package let settings: OrientationSettings

    package private(set) var orientation: DeviceOrientation = .unknown

    private let bands: OrientationBands
    private var clock: SensorInterval
    private var lowPass: LowPassFilter
    /// The orientation to report once it has lasted for the hold time, or `.unknown` if there is none.
    private var candidate: DeviceOrientation = .unknown
    private var candidateSince: Double = 0
    private var frozenUntil: Double = -.infinity

    package init(settings: OrientationSettings = OrientationSettings()) {
        self.settings = settings
        bands = OrientationBands(settings)
        clock = SensorInterval(maximumGap: settings.maximumGap, maximumAdaptiveGap: 3)
        lowPass = LowPassFilter(timeConstant: settings.smoothingTime)
    }

    /// Processes an acceleration in g, including gravity, in Apple's axes and sign. Returns the orientation if it has
    /// changed, or nil otherwise.
    package mutating func update(acceleration: SIMD3<Double>, timestamp: Double) -> DeviceOrientation? {
        guard acceleration.isFinite else { return nil }
        switch clock.step(to: timestamp) {
        case .ignored: return nil
        case .next: break
        case .start:
            lowPass.reset()
            candidate = .unknown
            // Detection resumes after the settle time at the latest, even if the clock has been set back.
            frozenUntil = min(frozenUntil, timestamp + settings.settleTime)
        }
        guard abs(acceleration.length - 1) <= settings.strongAcceleration else {
            frozenUntil = timestamp + settings.settleTime
            candidate = .unknown
            return nil
        }
        let gravity = lowPass.update(acceleration, interval: clock.interval)
        guard timestamp >= frozenUntil - Self.timeTolerance, let observed = orientation(along: gravity) else {
            candidate = .unknown
            return nil
        }
        return updateCandidate(observed, at: timestamp)
    }

    package mutating func reset() { self = OrientationDetector(settings: settings) }

    private func orientation(along gravity: SIMD3<Double>) -> DeviceOrientation? {
        let length = gravity.length
        // The mean of two nearly opposite vectors has no meaningful direction, so it is not used.
        guard length >= 0.3 else { return nil }
        let direction = gravity / length
        if bands.keeps(orientation, at: direction) { return orientation }
        // The candidate also has hysteresis. Otherwise, noise at a boundary could cause two candidates to alternate,
        // and neither would last for the hold time.
        if bands.keeps(candidate, at: direction) { return candidate }
        return bands.orientation(of: direction)
    }

    private mutating func updateCandidate(_ observed: DeviceOrientation, at timestamp: Double) -> DeviceOrientation? {
        guard observed != orientation else {
            candidate = .unknown
            return nil
        }
        if observed != candidate {
            candidate = observed
            candidateSince = timestamp
        }
        guard timestamp - candidateSince >= settings.holdTime - Self.timeTolerance else { return nil }
        orientation = observed
        candidate = .unknown
        return observed
    }

    /// The tolerance for rounding errors in timestamp differences, in seconds.
    private static let timeTolerance = 1e-6
}

/// The orientation of a device relative to gravity, with the raw values of `UIDeviceOrientation`.
///
/// The names describe the device, not the content of its screen: in ``landscapeLeft``, the top edge points left. Each
/// case states the acceleration at rest in g, in Apple's axes and sign: the component along the axis that points up is
/// -1.
package enum DeviceOrientation: Int, Sendable, Hashable, CaseIterable {
    case unknown = 0
    /// Upright, top edge up: y = -1.
    case portrait = 1
    /// Upright, top edge down: y = +1.
    case portraitUpsideDown = 2
    /// Upright, top edge left, right edge up: x = -1.
    case landscapeLeft = 3
    /// Upright, top edge right, left edge up: x = +1.
    case landscapeRight = 4
    /// Flat, screen up: z = -1.
    case faceUp = 5
    /// Flat, screen down: z = +1.
    case faceDown = 6
}
