// SPDX-License-Identifier: Apache-2.0

/// The last seconds of what the band-pass for steps let through, and how regular it is.
struct MovementHistory: Sendable {
    /// How much a movement repeats itself, and how often.
    struct Rhythm: Sendable {
        /// The greatest normalised autocorrelation, from -1 to 1; -1 before there is enough to tell.
        var regularity: Double
        /// Seconds after which it repeats itself; a step or two of them, for steps.
        var period: Double
    }

    /// Every second one of the even samples is kept: nothing above three hertz is left in them.
    private static let interval = 2 / EvenSampler.rate
    /// Three seconds are compared with as many before. Less lets handling pass for walking, more takes too long to see
    /// that somebody walks. Chosen on one person's twelve walks (see ``StepDetector``), among 2, 2.5, 3 and 4.
    private static let window = 75
    /// Repetitions after 0.28 s (running) to 1.48 s (a slow stride) count.
    private static let lags = 7...37
    /// Fewer than these say nothing.
    private static let fewest = 20
    private static let capacity = 128
    /// The shortest stride, that of a runner, in seconds.
    private static let shortestStride = 0.5
    /// The fraction of the best autocorrelation at which a shorter period is preferred. Between 0.8 and 0.9, the counts
    /// of the 19 walks with ground truth differ by at most two steps.
    private static let nearlyBest = 0.85

    private var values = [Double](repeating: 0, count: capacity)
    /// Where the next one goes.
    private var place = 0
    private var count = 0
    private var isOdd = false

    mutating func restart() {
        place = 0
        count = 0
        isOdd = false
    }

    mutating func add(_ value: Double) {
        defer { isOdd.toggle() }
        guard !isOdd else { return }
        values[place] = value
        place = (place + 1) % Self.capacity
        count = min(count + 1, Self.capacity)
    }

    /// How regular the last seconds are.
    ///
    /// - Parameter periods: The seconds after which a repetition counts.
    func rhythm(periods: ClosedRange<Double> = 0...10) -> Rhythm {
        var best = Rhythm(regularity: -1, period: 0)
        for lag in Self.lags {
            let period = Double(lag) * Self.interval
            guard periods.contains(period) else { continue }
            guard let regularity = correlation(lag: lag) else { break }
            if regularity > best.regularity { best = Rhythm(regularity: regularity, period: period) }
        }
        return best
    }

    /// The shortest period of at least half a second at which the autocorrelation is nearly the best: a stride, or a
    /// step if both legs move the device alike.
    func stride() -> Rhythm {
        let best = rhythm(periods: Self.shortestStride...10)
        guard best.regularity > 0 else { return best }
        for lag in Self.lags {
            let period = Double(lag) * Self.interval
            guard period >= Self.shortestStride, let regularity = correlation(lag: lag),
                regularity >= Self.nearlyBest * best.regularity
            else { continue }
            // The local maximum.
            var top = (lag, regularity)
            while let next = correlation(lag: top.0 + 1), next > top.1, top.0 + 1 <= Self.lags.upperBound {
                top = (top.0 + 1, next)
            }
            return Rhythm(regularity: top.1, period: Double(top.0) * Self.interval)
        }
        return best
    }

    /// The normalised autocorrelation at a lag; nil if fewer values are known than needed.
    private func correlation(lag: Int) -> Double? {
        guard lag > 0, lag < Self.capacity else { return nil }
        let length = min(Self.window, count - lag)
        guard length >= Self.fewest else { return nil }
        var (product, newer, older) = (0.0, 0.0, 0.0)
        for back in 1...length {
            let a = values[(place &- back) & (Self.capacity - 1)]
            let b = values[(place &- back &- lag) & (Self.capacity - 1)]
            product += a * b
            newer += a * a
            older += b * b
        }
        let scale = (newer * older).squareRoot()
        return scale > 0 ? product / scale : 0
    }
}
