// SPDX-License-Identifier: Apache-2.0

/// A row of strokes to and fro along about one line, in constant space.
struct StrokeChain: Sendable, Equatable {
    /// When the first stroke began.
    let onset: Double
    /// When the direction last reversed; at first, the onset.
    private(set) var lastReversal: Double
    private(set) var reversals = 0
    /// Seconds above the threshold since the onset.
    private(set) var strongTime: Double = 0
    /// How the present stroke set out.
    private var heading: SIMD3<Double>

    init(onset: Double, acceleration: SIMD3<Double>) {
        self.onset = onset
        lastReversal = onset
        heading = acceleration
    }

    /// Takes a sample above the threshold.
    ///
    /// - Returns: False when it goes the other way sooner than a hand can, and so belongs to no row of strokes.
    mutating func add(
        _ acceleration: SIMD3<Double>, at timestamp: Double, interval: Double, minimumReversalInterval: Double
    ) -> Bool {
        strongTime += interval
        let along = (acceleration * heading).sum()
        let strength = acceleration.squaredLength
        let headingStrength = heading.squaredLength
        // Within 45 degrees of the line of the stroke: cos² >= 1/2.
        guard 2 * along * along >= strength * headingStrength else {
            // The hand may set out sideways before the first stroke proper, which is stronger.
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

    /// The part of the time from the onset during which the threshold was passed.
    func strongShare(at timestamp: Double) -> Double { timestamp > onset ? strongTime / (timestamp - onset) : 0 }
}
