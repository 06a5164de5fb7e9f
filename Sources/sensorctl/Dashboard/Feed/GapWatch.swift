// SPDX-License-Identifier: Apache-2.0

/// A detector of gaps in a stream: intervals much longer than the usual one.
package struct GapWatch: Sendable {
    /// The number of usual intervals that count as a gap.
    private static let factor = 5.0
    /// The minimum duration of a gap, in seconds.
    private static let least = 0.5

    private var last: Double?
    private var usual: Double?

    package init() {}

    /// Processes the time of a reading, in seconds. Returns the start of the gap before this reading and the time at
    /// which a line is to be interrupted; nil if there is no gap.
    package mutating func take(_ time: Double) -> (start: Double, breaks: Double)? {
        guard let last else {
            self.last = time
            return nil
        }
        let pause = time - last
        self.last = time
        guard pause > 0 else { return nil }
        guard let usual else {
            self.usual = pause
            return nil
        }
        if pause > max(Self.least, Self.factor * usual) {
            // The usual interval doubles at most, so that a stream with a permanently lower rate causes only a few
            // gaps.
            self.usual = min(pause, 2 * usual)
            return (last, last + min(usual, pause / 2))
        }
        self.usual = usual + (pause - usual) / 16
        return nil
    }
}
