// SPDX-License-Identifier: Apache-2.0

/// Detects a stuck sensor: one that repeats a reading exactly, although its readings changed before.
///
/// A working sensor with noise rarely returns the same three numbers twice in a row. A sensor with a low resolution
/// does so at rest, and a sensor that is polled faster than it measures always does. For these sensors, the detector
/// first learns the usual share of repeated readings.
struct StuckSensorDetector: Sendable {
    /// The number of repetitions of a reading after which the sensor is considered stuck.
    private static let maximumRepetitions = 5
    /// The share of repeated readings above which repetitions do not indicate a stuck sensor.
    private static let maximumRepeatedShare = 0.1
    /// The number of readings over which the share is averaged.
    private static let averagingCount = 200.0

    private var last = SIMD4<Double>.zero
    private var run = 0
    /// The share of readings that equal the previous one. It starts at 1, so that no sensor is considered stuck at
    /// first.
    private var share = 1.0

    /// Processes a reading. Returns true while the sensor is stuck.
    @inline(__always)
    mutating func isStuck(_ reading: SIMD4<Double>) -> Bool {
        guard reading == last else {
            last = reading
            run = 0
            share -= share / Self.averagingCount
            return false
        }
        return repeats()
    }

    @inline(never)
    private mutating func repeats() -> Bool {
        run += 1
        guard share < Self.maximumRepeatedShare, run >= Self.maximumRepetitions else {
            share += (1 - share) / Self.averagingCount
            return false
        }
        return true
    }
}
