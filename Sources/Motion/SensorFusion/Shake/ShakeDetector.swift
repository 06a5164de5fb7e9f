// SPDX-License-Identifier: Apache-2.0

/// Detects that a device is being shaken, from accelerometer samples.
///
/// Pass every sample, at 20 to 200 Hz; the intervals may be irregular. With fewer than three samples per period,
/// strokes are missed: at 20 Hz, shaking up to 6 Hz is detected.
///
/// A low-pass filter removes gravity. Samples of the remaining acceleration above the threshold form strokes. Shaking
/// is a chain of strokes to and fro approximately along one line, each soon after the previous one, with strong
/// acceleration for a large part of the time. The default settings require three reversals, so a shake at 4 Hz is
/// detected after 0.4 s.
///
/// - ``ShakeEvent/began`` is returned when shaking is detected.
/// - ``ShakeEvent/ended`` is returned if the shaking stops within about a second, 0.4 s after the last reversal.
/// - ``ShakeEvent/cancelled`` is returned as soon as the shaking lasts longer. The detector then waits until the device
///   has been calm for the refractory period, so that a vibrating machine causes at most one pair of events.
///
/// The following movements do not count as shakes: turning the device over, slowly or fast, once or to and fro, because
/// a rotation alone exceeds the threshold in one direction only; a knock and its ringing; a fall, its impact and
/// bounces in one direction; steps.
///
/// A gap in the samples, or a timestamp that is older than the previous one by more than the maximum gap, cancels
/// shaking in progress and discards the evidence. Other samples that are not newer than the previous one are ignored,
/// and so are infinite or NaN samples and timestamps. Components beyond 200 g are clamped to 200 g. Time advances only
/// with samples; call ``reset()`` when no more samples follow.
///
/// Acceleration is in g with Apple's sign, including gravity (the sign and the axes do not affect the result).
/// Timestamps are in seconds on any monotonic clock.
package struct ShakeDetector: Sendable, Equatable {
    private enum Phase: Sendable, Equatable {
        case idle
        case shaking
        /// The state after a cancelled shake, until the device has been calm.
        case exhausted
    }

    package let settings: ShakeSettings

    private let squaredThreshold: Double
    private var clock: SensorInterval
    private var gravity: LowPassFilter
    private var chain: StrokeChain?
    private var phase: Phase = .idle
    private var calmFrom: Double = -.infinity

    package init(settings: ShakeSettings = ShakeSettings()) {
        self.settings = settings
        squaredThreshold = settings.threshold * settings.threshold
        clock = SensorInterval(maximumGap: settings.maximumGap, slowest: 0)
        gravity = LowPassFilter(timeConstant: settings.gravityTime)
    }

    /// True between ``ShakeEvent/began`` and the next event.
    package var isShaking: Bool { phase == .shaking }

    /// Processes an acceleration in g, including gravity. Returns the resulting event, or nil if there is none.
    package mutating func update(acceleration: SIMD3<Double>, timestamp: Double) -> ShakeEvent? {
        guard acceleration.isFinite else { return nil }
        // Clamp the sample, so that a wrong value does not affect the filter for minutes. Even a fall on concrete stays
        // below this limit.
        let limit = SIMD3<Double>(repeating: 200)
        let sample = acceleration.clamped(lowerBound: -limit, upperBound: limit)
        switch clock.step(to: timestamp) {
        case .ignored: return nil
        case .start:
            let interrupted = isShaking
            gravity.reset(to: sample)
            chain = nil
            phase = .idle
            // If the clock was set back, the refractory period would otherwise last too long.
            calmFrom = min(calmFrom, timestamp + settings.refractoryTime)
            return interrupted ? .cancelled : nil
        case .next:
            let userAcceleration = sample - gravity.update(sample, interval: clock.interval)
            return process(userAcceleration, at: timestamp, interval: clock.interval)
        }
    }

    /// Resets the detector. Returns ``ShakeEvent/cancelled`` if a shake was in progress, so that each
    /// ``ShakeEvent/began`` is followed by ``ShakeEvent/ended`` or ``ShakeEvent/cancelled``.
    @discardableResult
    package mutating func reset() -> ShakeEvent? {
        let interrupted = isShaking
        self = ShakeDetector(settings: settings)
        return interrupted ? .cancelled : nil
    }

    private mutating func process(_ rest: SIMD3<Double>, at timestamp: Double, interval: Double) -> ShakeEvent? {
        let event = chain.flatMap { endIfStopped($0, at: timestamp) }
        guard rest.squaredLength > squaredThreshold else { return event }
        if phase == .exhausted {
            guard timestamp >= calmFrom else {
                calmFrom = timestamp + settings.refractoryTime
                return event
            }
            phase = .idle
        }
        // Ignore strokes during the refractory period, so that they do not become part of the next shake.
        guard timestamp >= calmFrom else { return event }
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

    /// Ends the chain if its last reversal is too old.
    private mutating func endIfStopped(_ strokes: StrokeChain, at timestamp: Double) -> ShakeEvent? {
        guard timestamp - strokes.lastReversal > settings.maximumReversalInterval else { return nil }
        chain = nil
        guard phase == .shaking else { return nil }
        phase = .idle
        calmFrom = strokes.lastReversal + settings.refractoryTime
        return .ended
    }

    private mutating func cancelIfTooLong(_ strokes: StrokeChain, at timestamp: Double) -> ShakeEvent? {
        guard timestamp - strokes.onset > settings.maximumDuration else { return nil }
        chain = nil
        phase = .exhausted
        calmFrom = timestamp + settings.refractoryTime
        return .cancelled
    }

    private func isShake(_ strokes: StrokeChain, at timestamp: Double) -> Bool {
        strokes.reversals >= settings.reversals
            && timestamp - strokes.onset >= settings.minimumDuration
            && strokes.strongShare(at: timestamp) >= settings.strongShare
    }
}

/// An event of a ``ShakeDetector``. Each ``began`` is followed by exactly one ``ended`` or ``cancelled``.
package enum ShakeEvent: Sendable, Hashable, CaseIterable {
    /// The device is being shaken.
    case began
    /// The shaking stopped within about a second, so it was a shake.
    case ended
    /// The shaking lasted longer, or the samples were interrupted, so it was not a shake.
    case cancelled
}

/// A chain of strokes to and fro, approximately along one line. Uses constant memory.
struct StrokeChain: Sendable, Equatable {
    /// The time when the first stroke began.
    let onset: Double
    /// The time of the last reversal of direction; initially `onset`.
    private(set) var lastReversal: Double
    private(set) var reversals = 0
    /// The time for which the acceleration has exceeded the threshold since `onset`, in seconds.
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
        // Within 45 degrees of the line of the stroke: cos² >= 1/2.
        guard 2 * along * along >= strength * headingStrength else {
            // The hand may begin sideways before the first actual stroke, which is stronger.
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
