// SPDX-License-Identifier: Apache-2.0

/// Steps and activity of somebody who carries the device, from its accelerometer.
///
/// Feed it with every sample, at 5 to 50 Hz; the intervals need not be equal, and it makes 50 even ones a second of
/// them. It needs no certain place and no certain pose of the device. A sample costs the same however long it has
/// run, and allocates nothing. Samples that are infinite, NaN or not newer than the one before are left out; more
/// than 16 g along an axis count as 16 g. Across a gap of more than a quarter of a second nothing is known: the gate
/// of eight steps begins anew, and what was counted stays.
///
/// Units: m/s², gravity included, in whatever axes and sign; seconds of any steady clock.
package struct WalkTracker: Sendable {
    /// What a sample has brought about.
    package struct News: Sendable {
        /// True when there are new ``WalkTracker/steps``.
        package var hasSteps = false
        /// True when ``WalkTracker/activity`` has changed.
        package var hasActivity = false
    }

    private static let limit = 16 * 9.80665
    /// Seconds for which one turn of a pedal is looked for.
    private static let pedals = 1 / 1.7...1 / 0.8

    private var sampler = EvenSampler()
    private var bandPass = StepBandPass()
    private var history = MovementHistory()
    private var detector = StepDetector()
    private var window = MovementWindow()
    private var classifier = ActivityClassifier()

    /// The steps that the latest sample made count, oldest first; up to nine.
    package private(set) var steps: [Footstep] = []

    /// A tracker that has seen nothing yet.
    package init() { steps.reserveCapacity(StepDetector.patience + 1) }

    /// What is done now; nil before the first 2.56 seconds.
    package var activity: ActivityState? { classifier.state }

    /// Takes a sample.
    ///
    /// - Parameter speed: Metres a second as a receiver tells it now; nil when none does.
    package mutating func take(_ acceleration: SIMD3<Double>, at time: Double, speed: Double? = nil) -> News {
        var news = News()
        if !steps.isEmpty { steps.removeAll(keepingCapacity: true) }
        guard acceleration.isFinite else { return news }
        let limit = SIMD3<Double>(repeating: Self.limit)
        let sample = acceleration.clamped(lowerBound: -limit, upperBound: limit)
        switch sampler.step(sample, at: time) {
        case .unusable: return news
        case .start:
            restart(sample, at: time, &news)
        case .due(let count):
            for _ in 0..<count {
                let (value, time) = sampler.next()
                take(value, value.length, at: time, speed, &news)
            }
        }
        return news
    }

    private mutating func restart(_ sample: SIMD3<Double>, at time: Double, _ news: inout News) {
        bandPass.start(sample.length)
        history.restart()
        detector.restart(0)
        window.restart()
        classifier.restart()
        take(sample, sample.length, at: time, nil, &news)
    }

    private mutating func take(
        _ value: SIMD3<Double>, _ magnitude: Double, at time: Double, _ speed: Double?, _ news: inout News
    ) {
        let filtered = bandPass.update(magnitude)
        history.add(filtered)
        let former = steps.count
        detector.take(filtered, at: time, history: history, into: &steps)
        if steps.count > former {
            news.hasSteps = true
            classifier.note(steps: steps.count - former, at: time)
        }
        guard let features = window.take(value, magnitude: magnitude, filtered: filtered, at: time) else { return }
        // At rest there is no rhythm worth looking for.
        let moves = features.magnitudeDeviation > ActivityClassifier.rest
        let rhythm = moves ? history.rhythm() : MovementHistory.Rhythm(regularity: -1, period: 0)
        let mayPedal = speed != nil && features.magnitudeDeviation > VehicleRule.leastPedalling
        let pedalling = mayPedal ? history.rhythm(periods: Self.pedals).regularity : -1
        if classifier.take(features, speed: speed, rhythm: rhythm, pedalling: pedalling) { news.hasActivity = true }
    }
}
