// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The coefficients of a second-order Butterworth low-pass by the bilinear transform, for one interval.
///
/// The filter is two integrators, whose states mean the same at every interval; that is what lets the interval change
/// from sample to sample. At a constant interval it is the usual digital filter.
///
/// For one time constant it begins with the running mean, so that no single sample is believed.
struct LowPassCoefficients: Sendable {
    /// The time constant of the decaying part of the step response; the cutoff is √2 / (2π time constant).
    let timeConstant: Double
    /// What a new sample counts where the output is a mean; zero where the filter runs.
    private(set) var meanWeight = 1.0
    private(set) var a1 = 0.0
    private(set) var a2 = 0.0
    private(set) var g = 0.0

    // Of the interval for which the coefficients are, with the tolerance within which another counts as equal.
    private var shortest = 1.0
    private var longest = -1.0
    private var isPassing = false
    private var hasStarted = false
    private var count = 0.0
    private var elapsed = 0.0
    /// Seconds that a value counts from before; zero for none.
    private var known = 0.0
    /// The latest interval that was known.
    private var usual = 0.01

    init(timeConstant: Double) { self.timeConstant = timeConstant }

    /// Prepares for a sample that ends an interval; all lanes then take their part of that sample.
    @inline(__always)
    mutating func advance(by interval: Double) {
        if interval < shortest || interval > longest { prepare(for: interval) }
        if !hasStarted { start(interval) }
    }

    mutating func restart() {
        hasStarted = false
        meanWeight = 1
        count = 0
        elapsed = 0
        known = 0
    }

    /// Begins again with the value so far, as if it were the mean of so many seconds.
    mutating func restart(worth seconds: Double) {
        restart()
        known = min(seconds, timeConstant)
    }

    @inline(never)
    private mutating func start(_ interval: Double) {
        if known > 0 {
            count = known / (interval > 0 ? interval : usual)
            elapsed = known
            known = 0
        }
        // The rounding of a sum of intervals must not decide.
        if count > 0, elapsed >= timeConstant * (1 - 1e-9) {
            hasStarted = true
            meanWeight = isPassing ? 1 : 0
        } else {
            count += 1
            elapsed += interval
            meanWeight = 1 / count
        }
    }

    @inline(never)
    private mutating func prepare(for interval: Double) {
        shortest = interval * (1 - 1e-3)
        longest = interval * (1 + 1e-3)
        if interval > 0 { usual = interval }
        // Above nine tenths of half the sample rate there is nothing to filter.
        isPassing = timeConstant < interval / 2
        if hasStarted { meanWeight = isPassing ? 1 : 0 }
        guard !isPassing, interval > 0 else {
            (a1, a2, g) = (1, 0, 0)
            return
        }
        let x = interval / timeConstant * 0.5.squareRoot()
        let x2 = x * x
        // The series is exact to 1e-15 there.
        g = x < 0.02 ? x * (1 + x2 * (1 / 3.0 + x2 * (2 / 15.0 + x2 * (17 / 315.0)))) : tan(x)
        a1 = 1 / (1 + g * (g + 2.0.squareRoot()))
        a2 = g * a1
    }
}

/// The state of as many channels of a low-pass as the vector has lanes.
struct LowPassLanes<Vector: SIMD & Sendable>: Sendable where Vector.Scalar == Double {
    private var band = Vector.zero
    private var low = Vector.zero

    /// The coefficients must have been advanced to the sample.
    @inline(__always)
    mutating func update(_ x: Vector, _ c: borrowing LowPassCoefficients) -> Vector {
        guard c.meanWeight == 0 else { return takeMean(x, c.meanWeight) }
        let middle = c.a1 * band + c.a2 * (x - low)
        let step = c.g * middle
        let output = low + step
        band = middle + middle - band
        low = output + step
        return output
    }

    @inline(never)
    private mutating func takeMean(_ x: Vector, _ weight: Double) -> Vector {
        low = weight == 1 ? x : low + weight * (x - low)
        band = .zero
        return low
    }
}
