// SPDX-License-Identifier: Apache-2.0

/// Tells when a device is shaken, from its accelerometer.
///
/// Feed it with every sample, at 20 to 200 Hz; the intervals need not be equal. With fewer than three samples in a
/// period strokes are missed: 20 Hz see shaking up to 6 Hz.
///
/// Gravity is taken off by a low-pass filter. What is left above the threshold forms strokes; shaking is a row of
/// strokes to and fro along about one line, each soon after the one before, strong for a good part of the time. With
/// the default settings three reversals are needed, so a shake at 4 Hz is recognised after 0.4 s.
///
/// - ``ShakeEvent/began`` comes when shaking is established.
/// - ``ShakeEvent/ended`` comes when it stops within about a second, 0.4 s after the last reversal.
/// - ``ShakeEvent/cancelled`` comes as soon as it lasts longer than that. The detector then waits until the device has
///   been calm for the refractory time, so that a vibrating machine gives at most one pair of events.
///
/// No shake are: turning the device over, slowly or fast, once or to and fro, because a turn alone changes the
/// acceleration above the threshold in one direction only; a knock and its ringing; a fall, its impact and the
/// bounces in one direction; steps.
///
/// Across a gap in the samples nothing is known: shaking in progress is cancelled, and evidence begins anew. The same
/// happens when the time goes back by more than the maximum gap. Otherwise samples that are not newer than the one
/// before are left out, and so are samples and time stamps that are infinite or NaN. Components beyond 200 g are
/// brought to 200 g. Time passes by samples only: when they stop for good, call ``reset()``.
///
/// Units: acceleration in g in Apple's sign, gravity included (the sign and the axes make no difference here); time
/// stamps in seconds of any steady clock.
package struct ShakeDetector: Sendable, Equatable {
    private enum Phase: Sendable, Equatable {
        case idle
        case shaking
        /// After a cancelled shake, until the device has been calm.
        case exhausted
    }

    /// The thresholds it was made with.
    package let settings: ShakeSettings

    private let squaredThreshold: Double
    private var clock: SensorInterval
    private var gravity: LowPassFilter
    private var chain: StrokeChain?
    private var phase: Phase = .idle
    private var calmFrom: Double = -.infinity

    /// Creates a detector that has seen nothing yet.
    package init(settings: ShakeSettings = ShakeSettings()) {
        self.settings = settings
        squaredThreshold = settings.threshold * settings.threshold
        clock = SensorInterval(maximumGap: settings.maximumGap, slowest: 0)
        gravity = LowPassFilter(timeConstant: settings.gravityTime)
    }

    /// True between ``ShakeEvent/began`` and the event that follows it.
    package var isShaking: Bool { phase == .shaking }

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - acceleration: In g, gravity included.
    ///   - timestamp: Seconds.
    /// - Returns: What this sample brings about, mostly nothing.
    package mutating func update(acceleration: SIMD3<Double>, timestamp: Double) -> ShakeEvent? {
        guard acceleration.isFinite else { return nil }
        // Not even a fall on concrete is more; a wrong number must not stay in the filter for minutes.
        let limit = SIMD3<Double>(repeating: 200)
        let sample = acceleration.clamped(lowerBound: -limit, upperBound: limit)
        switch clock.step(to: timestamp) {
        case .unusable:
            return nil
        case .start:
            let interrupted = isShaking
            gravity.reset(to: sample)
            chain = nil
            phase = .idle
            // A clock that was set back must not leave the refractory time far in its future.
            calmFrom = min(calmFrom, timestamp + settings.refractoryTime)
            return interrupted ? .cancelled : nil
        case .next:
            let rest = sample - gravity.update(sample, interval: clock.interval)
            return take(rest, at: timestamp, interval: clock.interval)
        }
    }

    /// Forgets everything.
    ///
    /// - Returns: ``ShakeEvent/cancelled`` when the device was being shaken, so that no listener waits for ever.
    @discardableResult
    package mutating func reset() -> ShakeEvent? {
        let interrupted = isShaking
        self = ShakeDetector(settings: settings)
        return interrupted ? .cancelled : nil
    }

    private mutating func take(_ rest: SIMD3<Double>, at timestamp: Double, interval: Double) -> ShakeEvent? {
        let event = chain.flatMap { stop($0, at: timestamp) }
        guard rest.squaredLength > squaredThreshold else { return event }
        if phase == .exhausted {
            guard timestamp >= calmFrom else {
                calmFrom = timestamp + settings.refractoryTime
                return event
            }
            phase = .idle
        }
        // Strokes in the refractory time count for nothing, so none is half of the next shake.
        guard timestamp >= calmFrom else { return event }
        guard var strokes = chain else {
            chain = StrokeChain(onset: timestamp, acceleration: rest)
            return event
        }
        let plausible = strokes.add(
            rest, at: timestamp, interval: interval, minimumReversalInterval: settings.minimumReversalInterval)
        if phase == .shaking {
            chain = strokes
            return overrun(strokes, at: timestamp)
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

    /// Ends the chain when its last reversal is too long ago.
    private mutating func stop(_ strokes: StrokeChain, at timestamp: Double) -> ShakeEvent? {
        guard timestamp - strokes.lastReversal > settings.maximumReversalInterval else { return nil }
        chain = nil
        guard phase == .shaking else { return nil }
        phase = .idle
        calmFrom = strokes.lastReversal + settings.refractoryTime
        return .ended
    }

    private mutating func overrun(_ strokes: StrokeChain, at timestamp: Double) -> ShakeEvent? {
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

/// What a ``ShakeDetector`` tells. Each ``began`` is followed by exactly one of the others.
package enum ShakeEvent: Sendable, Hashable, CaseIterable {
    /// The device is being shaken.
    case began
    /// The shaking stopped within about a second: a shake.
    case ended
    /// The shaking went on, or the samples stopped: no shake after all.
    case cancelled
}
