// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What a sample counts in a first-order low-pass: 1 - exp(-interval / time constant), kept for the next equal interval.
struct OnePoleGain: Sendable {
    private let timeConstant: Double
    private var interval = -1.0
    private var gain = 0.0

    /// Zero as time constant takes each sample whole, a negative one takes none.
    init(timeConstant: Double) {
        self.timeConstant = timeConstant
    }

    @inline(__always)
    mutating func value(for newInterval: Double) -> Double {
        if newInterval != interval { prepare(for: newInterval) }
        return gain
    }

    private mutating func prepare(for newInterval: Double) {
        interval = newInterval
        gain = timeConstant < 0 ? 0 : timeConstant == 0 ? 1 : -expm1(-newInterval / timeConstant)
    }
}
