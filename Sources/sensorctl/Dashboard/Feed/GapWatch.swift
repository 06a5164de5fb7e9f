// SPDX-License-Identifier: Apache-2.0

/// Notices that readings were missing: a pause that is much longer than the usual one.
package struct GapWatch: Sendable {
    /// So many usual intervals are a gap, and never less than half a second.
    private static let factor = 5.0
    private static let least = 0.5

    private var last: Double?
    private var usual: Double?

    package init() {}

    /// When the gap before this reading began, and where a line is to be broken; nil where there is none.
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
            // Who has become slower for good has a few gaps, and not nothing else.
            self.usual = min(pause, 2 * usual)
            return (last, last + min(usual, pause / 2))
        }
        self.usual = usual + (pause - usual) / 16
        return nil
    }
}
