// SPDX-License-Identifier: Apache-2.0

/// A detector of gaps in a stream: intervals much longer than the usual one.
package struct GapDetector: Sendable {
    /// The number of usual intervals that count as a gap.
    private static let factor = 5.0
    /// The minimum duration of a gap, in seconds.
    private static let minimumDuration = 0.5

    private var last: Double?
    private var typicalInterval: Double?

    package init() {}

    /// Processes the time of a reading, in seconds. Returns the start of the gap before this reading and the time at
    /// which a line is to be interrupted; nil if there is no gap.
    package mutating func process(_ time: Double) -> (start: Double, breaks: Double)? {
        guard let last else {
            self.last = time
            return nil
        }
        let pause = time - last
        self.last = time
        guard pause > 0 else { return nil }
        guard let typicalInterval else {
            self.typicalInterval = pause
            return nil
        }
        if pause > max(Self.minimumDuration, Self.factor * typicalInterval) {
            // The usual interval doubles at most, so that a stream with a permanently lower rate causes only a few
            // gaps.
            self.typicalInterval = min(pause, 2 * typicalInterval)
            return (last, last + min(typicalInterval, pause / 2))
        }
        self.typicalInterval = typicalInterval + (pause - typicalInterval) / 16
        return nil
    }
}
