// SPDX-License-Identifier: Apache-2.0

/// Detects that a device is being shaken, using accelerometer samples.
///
/// Pass every sample, at 20 to 200 Hz. If there are fewer than three samples per shaking period, strokes are missed. At
/// 20 Hz, for example, shaking at up to 6 Hz is detected. A low-pass filter removes gravity. Samples form a stroke if
/// the remaining acceleration exceeds the threshold. Shaking is a rapid succession of back-and-forth strokes,
/// approximately along one line. The default settings require three reversals, so shaking at 4 Hz is detected after 0.4
/// s.
///
/// - ``ShakeEvent/began`` is returned when shaking is detected.
/// - ``ShakeEvent/ended`` is returned if the shaking stops within about a second. It is returned 0.4 s after the last
///   reversal.
/// - ``ShakeEvent/cancelled`` is returned as soon as the shaking has lasted longer than about a second. The detector
///   then waits until the device has been calm for the refractory period. As a result, a vibrating machine causes at
///   most one pair of events.
///
/// The following movements do not count as shakes: turning the device over, a knock and its ringing, a fall with its
/// impact and bounces, and steps.
///
/// A gap in the samples, or a clock that is set back, cancels a shake in progress and discards the strokes detected so
/// far. Late, duplicate, infinite and NaN samples are ignored. Components beyond 200 g are clamped. The detector has no
/// timer. Call ``reset()`` after the last sample to cancel a shake in progress.
///
/// Acceleration is in g, including gravity, with any axes and sign. Timestamps are in seconds on any monotonic clock.
package struct ShakeDetector: Sendable, Equatable {
    private enum Phase: Sendable, Equatable {
        case idle
        case shaking
        /// The state after a cancelled shake, until the device has been calm for the refractory period.
        case exhausted
    }

    package let settings: ShakeSettings

    private let squaredThreshold: Double
    private var clock: SensorInterval
    private var gravity: LowPassFilter
    private var chain: StrokeChain?
    private var phase: Phase = .idle
    private var refractoryEnd: Double = -.infinity

    package init(settings: ShakeSettings = ShakeSettings()) {
        self.settings = settings
        squaredThreshold = settings.threshold * settings.threshold
        clock = SensorInterval(maximumGap: settings.maximumGap, maximumAdaptiveGap: 0)
        gravity = LowPassFilter(timeConstant: settings.gravityTime)
    }

    package var isShaking: Bool { phase == .shaking }

    /// Processes an acceleration in g, including gravity, and returns the resulting event, if any.
    package mutating func update(acceleration: SIMD3<Double>, timestamp: Double) -> ShakeEvent? {
        guard acceleration.isFinite else { return nil }
        // Clamp the sample, because an erroneous value could affect the filter for minutes. Real accelerations stay
        // below the limit even if the device falls onto concrete.
        let limit = SIMD3<Double>(repeating: 200)
        let sample = acceleration.clamped(lowerBound: -limit, upperBound: limit)
        switch clock.step(to: timestamp) {
        case .ignored: return nil
        case .start:
            let interrupted = isShaking
            gravity.reset(to: sample)
            chain = nil
            phase = .idle
            // Limits the remaining refractory period, so that it is not too long if the clock has been set back.
            refractoryEnd = min(refractoryEnd, timestamp + settings.refractoryTime)
            return interrupted ? .cancelled : nil
        case .next:
            let userAcceleration = sample - gravity.update(sample, interval: clock.interval)
            return process(userAcceleration, at: timestamp, interval: clock.interval)
        }
    }

    /// Resets the detector. Returns ``ShakeEvent/cancelled`` if a shake was in progress.
    @discardableResult package mutating func reset() -> ShakeEvent? {
        let interrupted = isShaking
        self = ShakeDetector(settings: settings)
        return interrupted ? .cancelled : nil
    }

    private mutating func process(_ rest: SIMD3<Double>, at timestamp: Double, interval: Double) -> ShakeEvent? {
        let event = chain.flatMap { endIfStopped($0, at: timestamp) }
        guard rest.squaredLength > squaredThreshold else { return event }
        if phase == .exhausted {
            guard timestamp >= refractoryEnd else {
                refractoryEnd = timestamp + settings.refractoryTime
                return event
            }
            phase = .idle
        }
        // Ignores strokes during the refractory period, so that they do not become part of the next shake.
        guard timestamp >= refractoryEnd else { return event }
        guard var strokes = chain else {
            chain = StrokeChain(onset: timestamp, acceleration: rest)
            return event
        }
        let plausible = strokes.add(
            rest, at: timestamp, interval: interval, minimumReversalInterval: settings.minimumReversalInterval)
        if phase == .shaking {
            chain = strokes
            return cancelIfTooLong(strokes, at: timestamp)
        }
        guard plausible else {
            chain = StrokeChain(onset: timestamp, acceleration: rest)
            return event
        }
        chain = strokes
        guard isShake(strokes, at: timestamp) else { return event }
        phase = .shaking
        return .began
    }

    private mutating func endIfStopped(_ strokes: StrokeChain, at timestamp: Double) -> ShakeEvent? {
        guard timestamp - strokes.lastReversal > settings.maximumReversalInterval else { return nil }
        chain = nil
        guard phase == .shaking else { return nil }
        phase = .idle
        refractoryEnd = strokes.lastReversal + settings.refractoryTime
        return .ended
    }

    private mutating func cancelIfTooLong(_ strokes: StrokeChain, at timestamp: Double) -> ShakeEvent? {
        guard timestamp - strokes.onset > settings.maximumDuration else { return nil }
        chain = nil
        phase = .exhausted
        refractoryEnd = timestamp + settings.refractoryTime
        return .cancelled
    }

    private func isShake(_ strokes: StrokeChain, at timestamp: Double) -> Bool {
        strokes.reversals >= settings.reversals
            && timestamp - strokes.onset >= settings.minimumDuration
            && strokes.strongShare(at: timestamp) >= settings.strongShare
    }
}

/// An event from a ``ShakeDetector``. Each ``began`` is followed by exactly one ``ended`` or ``cancelled``.
package enum ShakeEvent: Sendable, Hashable, CaseIterable {
    case began
    /// The shaking stopped within about a second.
    case ended
    /// The shaking lasted too long, or the samples were interrupted.
    case cancelled
}

/// A chain of back-and-forth strokes, approximately along one line. Uses constant memory.
struct StrokeChain: Sendable, Equatable {
    let onset: Double
    /// The time of the last direction reversal, initially `onset`.
    private(set) var lastReversal: Double
    private(set) var reversals = 0
    /// The total time above the threshold since `onset`, in seconds.
    private(set) var strongTime: Double = 0
    /// The acceleration at the beginning of the current stroke.
    private var heading: SIMD3<Double>

    init(onset: Double, acceleration: SIMD3<Double>) {
        self.onset = onset
        lastReversal = onset
        heading = acceleration
    }

    /// Adds a sample above the threshold. Returns false if the direction reverses faster than a hand can move.
    mutating func add(
        _ acceleration: SIMD3<Double>, at timestamp: Double, interval: Double, minimumReversalInterval: Double
    ) -> Bool {
        strongTime += interval
        let along = (acceleration * heading).sum()
        let strength = acceleration.squaredLength
        let headingStrength = heading.squaredLength
        // The acceleration is along the line of the stroke if it is within 45 degrees of that line: cos² >= 1/2.
        guard 2 * along * along >= strength * headingStrength else {
            // A weaker sideways movement may precede the first actual stroke of a shake. The stronger stroke then
            // replaces it.
            if reversals == 0, strength > headingStrength { heading = acceleration }
            return true
        }
        guard along < 0 else { return true }
        guard timestamp - lastReversal >= minimumReversalInterval else { return false }
        reversals += 1
        lastReversal = timestamp
        heading = acceleration
        return true
    }

    /// Returns the fraction of the time since `onset` during which the acceleration exceeded the threshold.
    func strongShare(at timestamp: Double) -> Double { timestamp > onset ? strongTime / (timestamp - onset) : 0 }
}
