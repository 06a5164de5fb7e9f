// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The weight of a sample in a first-order low-pass filter: 1 - exp(-interval / time constant). The weight is cached
/// for equal intervals.
struct OnePoleGain: Sendable {
    private let timeConstant: Double
    private var shortest = 1.0
    private var longest = -1.0
    private var gain = 0.0

    /// A time constant of zero results in a weight of one, a negative time constant in a weight of zero.
    init(timeConstant: Double) { self.timeConstant = timeConstant }

    @inline(__always)
    mutating func value(for interval: Double) -> Double {
        if interval < shortest || interval > longest { prepare(for: interval) }
        return gain
    }

    @inline(never)
    private mutating func prepare(for interval: Double) {
        shortest = interval * (1 - 1e-3)
        longest = interval * (1 + 1e-3)
        gain = timeConstant < 0 ? 0 : timeConstant == 0 ? 1 : -expm1(-interval / timeConstant)
    }
}
