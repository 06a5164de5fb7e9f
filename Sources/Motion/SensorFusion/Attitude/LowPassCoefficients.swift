// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The coefficients of a second-order Butterworth low-pass filter for the current sample interval, computed with the
/// bilinear transform.
///
/// The filter consists of two integrators. Because their states do not depend on the interval, the interval may change
/// from sample to sample. With a constant interval, the filter is equivalent to the usual digital filter. During the
/// first time constant, the output is the running mean, so that no single sample dominates.
struct LowPassCoefficients: Sendable {
    /// The time constant, in seconds, with which the step response approaches its final value. The cutoff frequency is
    /// √2 / (2π · time constant).
    let timeConstant: Double
    /// The weight of a new sample while the filter is starting and outputs a running mean. Once the filter has started,
    /// the value is 0, or 1 if samples pass through unchanged.
    private(set) var meanWeight = 1.0
    private(set) var a1 = 0.0
    private(set) var a2 = 0.0
    private(set) var g = 0.0

    /// The range of intervals for which the coefficients are valid, initially empty.
    private var shortest = 1.0
    private var longest = -1.0
    private var passesUnchanged = false
    private var hasStarted = false
    private var count = 0.0
    private var elapsed = 0.0
    /// The weight of the previous value after a restart, in seconds. The value counts as the mean of samples that cover
    /// this time. If the weight is zero, the previous value is discarded.
    private var restartWeight = 0.0
    private var lastInterval = 0.01

    init(timeConstant: Double) { self.timeConstant = timeConstant }

    /// Prepares the coefficients for a sample. Call this method once per sample, before `LowPassLanes.update`.
    @inline(__always) mutating func advance(by interval: Double) {
        if interval < shortest || interval > longest { prepare(for: interval) }
        if !hasStarted { start(interval) }
    }

    mutating func restart() {
        hasStarted = false
        meanWeight = 1
        (count, elapsed, restartWeight) = (0, 0, 0)
    }

    /// Restarts the filter from its current value. The value counts as the mean of samples that cover `seconds` or the
    /// time constant, whichever is shorter.
    mutating func restart(weight seconds: Double) {
        restart()
        restartWeight = min(seconds, timeConstant)
    }

    @inline(never) private mutating func start(_ interval: Double) {
        if restartWeight > 0 {
            count = restartWeight / (interval > 0 ? interval : lastInterval)
            elapsed = restartWeight
            restartWeight = 0
        }
        // The tolerance compensates for rounding errors in the sum of intervals.
        if count > 0, elapsed >= timeConstant * (1 - 1e-9) {
            hasStarted = true
            meanWeight = passesUnchanged ? 1 : 0
        } else {
            count += 1
            elapsed += interval
            meanWeight = 1 / count
        }
    }

    @inline(never) private mutating func prepare(for interval: Double) {
        shortest = interval * (1 - 1e-3)
        longest = interval * (1 + 1e-3)
        if interval > 0 { lastInterval = interval }
        // Samples pass through unchanged if the cutoff frequency is above 90 % of half the sample rate.
        passesUnchanged = timeConstant < interval / 2
        if hasStarted { meanWeight = passesUnchanged ? 1 : 0 }
        guard !passesUnchanged, interval > 0 else {
            (a1, a2, g) = (1, 0, 0)
            return
        }
        let x = interval / timeConstant * 0.5.squareRoot()
        let x2 = x * x
        // For x below 0.02, the tangent series has an error of at most 1e-15.
        g = x < 0.02 ? x * (1 + x2 * (1 / 3.0 + x2 * (2 / 15.0 + x2 * (17 / 315.0)))) : tan(x)
        a1 = 1 / (1 + g * (g + 2.0.squareRoot()))
        a2 = g * a1
    }
}

/// The state of a low-pass filter with one channel for each vector lane.
struct LowPassLanes<Vector: SIMD & Sendable>: Sendable where Vector.Scalar == Double {
    private var band = Vector.zero
    private var low = Vector.zero

    /// Returns the filter output for a sample. Call `LowPassCoefficients.advance(by:)` first.
    @inline(__always) mutating func update(_ x: Vector, _ c: borrowing LowPassCoefficients) -> Vector {
        guard c.meanWeight == 0 else { return updateMean(x, c.meanWeight) }
        let middle = c.a1 * band + c.a2 * (x - low)
        let step = c.g * middle
        let output = low + step
        band = middle + middle - band
        low = output + step
        return output
    }

    @inline(never) private mutating func updateMean(_ x: Vector, _ weight: Double) -> Vector {
        low = weight == 1 ? x : low + weight * (x - low)
        band = .zero
        return low
    }
}

/// The weight of a sample in a first-order low-pass filter, 1 - exp(-interval / time constant), cached for equal
/// intervals.
struct OnePoleGain: Sendable {
    private let timeConstant: Double
    /// The range of intervals for which `gain` is valid, initially empty.
    private var shortest = 1.0
    private var longest = -1.0
    private var gain = 0.0

    /// If the time constant is zero, the weight is one. If it is negative, the weight is zero.
    init(timeConstant: Double) { self.timeConstant = timeConstant }

    @inline(__always) mutating func value(for interval: Double) -> Double {
        if interval < shortest || interval > longest { prepare(for: interval) }
        return gain
    }

    @inline(never) private mutating func prepare(for interval: Double) {
        shortest = interval * (1 - 1e-3)
        longest = interval * (1 + 1e-3)
        gain = timeConstant < 0 ? 0 : timeConstant == 0 ? 1 : -expm1(-interval / timeConstant)
    }
}
