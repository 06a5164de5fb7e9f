// SPDX-License-Identifier: Apache-2.0

/// Turns the time stamps of one sensor into the intervals that its samples end.
@usableFromInline
struct SensorInterval: Sendable, Equatable {
    enum Step: Sendable {
        /// The interval is that since the sample before.
        case next
        /// The first sample, or the first after an interruption: nothing is known of the time just before it.
        case start
        /// A repeated or late sample, or no time at all: not to be used.
        case unusable
    }

    /// Seconds; of a first sample the nominal interval, or zero.
    private(set) var interval: Double
    /// Of the latest sample; minus infinity before the first.
    @usableFromInline private(set) var timestamp = -Double.infinity

    private var rounded = RoundedStamps()
    /// Longer intervals than this interrupt the stream.
    private var limit: Double
    private let maximumGap: Double
    /// Samples that are earlier than the one before by more than this are no late ones: the clock was set back.
    private let setBack: Double
    private let nominal: Double
    /// A slow stream has no gaps where it is regular, up to this interval: one sample a second has no gaps of a second, but
    /// fifty a second have.
    private let slowest: Double

    /// - Parameter nominal: Zero where it is not known.
    init(nominal: Double = 0, maximumGap: Double, slowest: Double, setBack: Double? = nil) {
        self.nominal = nominal
        self.maximumGap = maximumGap
        self.slowest = slowest
        self.setBack = setBack ?? maximumGap
        interval = nominal
        limit = maximumGap
    }

    @inline(__always)
    mutating func step(to newTimestamp: Double) -> Step {
        let seconds = newTimestamp - timestamp
        // False for NaN, and for the infinite interval of a first sample.
        guard seconds > 0, seconds <= limit else { return interrupted(by: newTimestamp) }
        timestamp = newTimestamp
        interval = nominal > 0 ? snapped(seconds) : rounded.interval(to: newTimestamp) ?? seconds
        if seconds > maximumGap / 3 || limit > maximumGap { adapt(to: seconds) }
        return .next
    }

    @inline(never)
    private mutating func interrupted(by newTimestamp: Double) -> Step {
        guard newTimestamp.isFinite else { return .unusable }
        let seconds = newTimestamp - timestamp
        if seconds <= 0, !(seconds < -setBack) { return .unusable }
        timestamp = newTimestamp
        rounded.restart()
        interval = nominal
        limit = maximumGap
        if seconds > 0, seconds.isFinite { adapt(to: seconds) }
        return .start
    }

    @inline(never)
    private mutating func adapt(to seconds: Double) { limit = max(maximumGap, min(3 * seconds, slowest)) }

    /// A whole number of nominal intervals where the time stamps are near one: then only they jitter, not the samples.
    @inline(__always)
    private func snapped(_ seconds: Double) -> Double {
        let count = Double(Int32(min(seconds / nominal, 1e9) + 0.5))
        let snapped = count * nominal
        return count >= 1 && abs(seconds - snapped) < nominal / 4 ? snapped : seconds
    }
}
