// SPDX-License-Identifier: Apache-2.0

/// A chain of strokes to and fro approximately along one line. It uses constant memory.
struct StrokeChain: Sendable, Equatable {
    /// The time when the first stroke began.
    let onset: Double
    /// The time of the last reversal of direction; initially `onset`.
    private(set) var lastReversal: Double
    private(set) var reversals = 0
    /// The time above the threshold since `onset`, in seconds.
    private(set) var strongTime: Double = 0
    /// The acceleration at the beginning of the current stroke.
    private var heading: SIMD3<Double>

    init(onset: Double, acceleration: SIMD3<Double>) {
        self.onset = onset
        lastReversal = onset
        heading = acceleration
    }

    /// Adds a sample above the threshold.
    ///
    /// - Returns: False if the direction reverses faster than a hand can move, so that the sample cannot belong to
    ///   shaking.
    mutating func add(
        _ acceleration: SIMD3<Double>, at timestamp: Double, interval: Double, minimumReversalInterval: Double
    ) -> Bool {
        strongTime += interval
        let along = (acceleration * heading).sum()
        let strength = acceleration.squaredLength
        let headingStrength = heading.squaredLength
        // Within 45 degrees of the line of the stroke: cos² >= 1/2.
        guard 2 * along * along >= strength * headingStrength else {
            // The hand may begin sideways before the first actual stroke, which is stronger.
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

    /// Returns the fraction of the time since `onset` during which the acceleration exceeded the threshold.
    func strongShare(at timestamp: Double) -> Double { timestamp > onset ? strongTime / (timestamp - onset) : 0 }
}
