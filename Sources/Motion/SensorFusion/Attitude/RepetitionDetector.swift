// SPDX-License-Identifier: Apache-2.0

/// Detects a sensor that is stuck: it repeats one reading exactly, although its readings have been changing.
///
/// A working sensor with noise hardly ever gives the same three numbers twice in succession. One of few bits does so at
/// rest, and one that is polled faster than it measures does so always; for those, the usual share of repeated readings is
/// learned first.
struct RepetitionDetector: Sendable {
    /// The number of repetitions of a reading after which the sensor counts as stuck.
    private static let longestRun = 5
    /// The share of repeated readings above which nothing can be told from repetitions.
    private static let largestShare = 0.1
    /// The number of readings over which the share is a mean.
    private static let memory = 200.0

    private var last = SIMD4<Double>.zero
    private var run = 0
    /// The share of readings that repeat the one before. Until enough have come, all may.
    private var share = 1.0

    /// Takes a reading. True while the sensor is stuck.
    @inline(__always)
    mutating func isStuck(_ reading: SIMD4<Double>) -> Bool {
        guard reading == last else {
            last = reading
            run = 0
            share -= share / Self.memory
            return false
        }
        return repeats()
    }

    @inline(never)
    private mutating func repeats() -> Bool {
        run += 1
        guard share < Self.largestShare, run >= Self.longestRun else {
            share += (1 - share) / Self.memory
            return false
        }
        return true
    }
}
