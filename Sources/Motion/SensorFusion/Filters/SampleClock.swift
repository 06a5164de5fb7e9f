// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Turns the time stamps of a stream of samples into intervals, and tells where the stream was interrupted.
struct SampleClock: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        /// The first sample, or the first after an interruption: nothing is known of the time just before it.
        case start
        /// Seconds since the sample before it.
        case interval(Double)
        /// A repeated or late sample, or no time at all: not to be used.
        case unusable
    }

    /// Seconds without a sample that are an interruption in a fast stream.
    let maximumGap: Double

    /// Seconds up to which a slow stream counts as uninterrupted when it is regular.
    let slowestInterval: Double

    private var last: Double?
    private var previousInterval: Double = 0

    init(maximumGap: Double, slowestInterval: Double = 0) {
        self.maximumGap = maximumGap
        self.slowestInterval = slowestInterval
    }

    mutating func step(to timestamp: Double) -> Step {
        guard timestamp.isFinite else { return .unusable }
        guard let last else { return start(at: timestamp, previousInterval: 0) }
        let interval = timestamp - last
        guard interval > 0 else {
            // A little earlier is a late sample; much earlier is a clock that was set back.
            return interval < -maximumGap ? start(at: timestamp, previousInterval: 0) : .unusable
        }
        // A stream of one sample a second has no gaps of a second, but one of fifty a second has.
        let limit = max(maximumGap, min(3 * previousInterval, slowestInterval))
        guard interval <= limit else { return start(at: timestamp, previousInterval: interval) }
        self.last = timestamp
        previousInterval = interval
        return .interval(interval)
    }

    private mutating func start(at timestamp: Double, previousInterval: Double) -> Step {
        last = timestamp
        self.previousInterval = previousInterval
        return .start
    }
}
