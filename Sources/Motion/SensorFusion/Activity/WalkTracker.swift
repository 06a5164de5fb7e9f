// SPDX-License-Identifier: Apache-2.0

/// Detects the steps and the activity of a person who carries the device, from accelerometer samples.
///
/// Pass every sample in m/s², including gravity, at 5 to 50 Hz. The intervals may be irregular, because samples are
/// resampled to 50 Hz. The device may be carried anywhere and in any orientation. Samples that are infinite, NaN or not
/// newer than the previous sample are ignored. Components beyond 16 g are clamped. After a gap of more than 0.25 s,
/// steps are not counted until eight regular peaks have been detected.
///
/// Processing takes constant time and does not allocate memory. Times are in seconds on any monotonic clock.
package struct WalkTracker: Sendable {
    package struct Changes: Sendable {
        package var hasSteps = false
        package var hasActivity = false
    }

    private static let limit = 16 * 9.80665
    /// The possible durations of a pedal revolution, in seconds.
    private static let pedallingPeriods = 1 / 1.7...1 / 0.8

    private var sampler = UniformResampler()
    private var bandPass = StepBandPass()
    private var history = MovementHistory()
    private var detector = StepDetector()
    private var window = MovementWindow()
    private var classifier = ActivityClassifier()
    /// The steps completed by the latest sample, oldest first. There are rarely more than nine.
    package private(set) var steps: [Footstep] = []

    package init() { steps.reserveCapacity(StepDetector.maximumIrregularPeaks + 1) }

    /// The current activity, or nil during the first 2.56 seconds.
    package var activity: ActivityState? { classifier.state }

    /// Processes a sample. `speed` is the current GNSS speed in m/s, or nil if it is unavailable.
    package mutating func update(_ acceleration: SIMD3<Double>, at time: Double, speed: Double? = nil) -> Changes {
        var changes = Changes()
        if !steps.isEmpty { steps.removeAll(keepingCapacity: true) }
        guard acceleration.isFinite else { return changes }
        let limit = SIMD3<Double>(repeating: Self.limit)
        let sample = acceleration.clamped(lowerBound: -limit, upperBound: limit)
        switch sampler.step(sample, at: time) {
        case .ignored: return changes
        case .start: restart(sample, at: time, &changes)
        case .available(let count):
            for _ in 0..<count {
                let (value, time) = sampler.next()
                process(value, value.length, at: time, speed, &changes)
            }
        }
        return changes
    }

    private mutating func restart(_ sample: SIMD3<Double>, at time: Double, _ changes: inout Changes) {
        bandPass.reset(to: sample.length)
        history.restart()
        detector.restart(0)
        window.restart()
        classifier.restart()
        process(sample, sample.length, at: time, nil, &changes)
    }

    private mutating func process(
        _ value: SIMD3<Double>, _ magnitude: Double, at time: Double, _ speed: Double?, _ changes: inout Changes
    ) {
        let filtered = bandPass.update(magnitude)
        history.add(filtered)
        let former = steps.count
        detector.process(filtered, at: time, history: history, into: &steps)
        if steps.count > former {
            changes.hasSteps = true
            classifier.record(steps: steps.count - former, at: time)
        }
        guard let features = window.append(value, magnitude: magnitude, filtered: filtered, at: time) else { return }
        // Only windows with movement have a rhythm to compute.
        let moves = features.magnitudeDeviation > ActivityClassifier.maximumRestDeviation
        let rhythm = moves ? history.rhythm() : MovementHistory.Rhythm(regularity: -1, period: 0)
        let isPedallingPossible = speed != nil && features.magnitudeDeviation > RideDetector.minimumPedallingDeviation
        let pedalling = isPedallingPossible ? history.rhythm(periods: Self.pedallingPeriods).regularity : -1
        if classifier.process(features, speed: speed, rhythm: rhythm, pedalling: pedalling) {
            changes.hasActivity = true
        }
    }
}
