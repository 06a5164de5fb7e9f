// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The coefficients of a second-order Butterworth low-pass by the bilinear transform, for one interval.
///
/// The filter keeps two integrators, whose states mean the same at every interval; that is what lets the interval change
/// from sample to sample. At a constant interval it is the usual digital filter.
///
/// For one time constant it begins with the running mean, so that no single sample is believed.
struct LowPassCoefficients: Sendable {
    /// The time constant of the decaying part of the step response; the cutoff is √2 / (2π time constant).
    let timeConstant: Double
    /// What a new sample counts in the mean; zero once the mean is over.
    private(set) var meanWeight = 1.0
    private(set) var a1 = 0.0
    private(set) var a2 = 0.0
    private(set) var a3 = 1.0

    private var interval = -1.0
    private var count = 0.0
    private var elapsed = 0.0

    init(timeConstant: Double) {
        self.timeConstant = timeConstant
    }

    /// Prepares for a sample that ends an interval; all lanes then take their part of that sample.
    mutating func advance(by newInterval: Double) {
        if meanWeight > 0 {
            // The rounding of a sum of intervals must not decide.
            if count > 0, elapsed >= timeConstant * (1 - 1e-9) {
                meanWeight = 0
            } else {
                count += 1
                elapsed += newInterval
                meanWeight = 1 / count
            }
        }
        if newInterval != interval { prepare(for: newInterval) }
    }

    mutating func restart() {
        meanWeight = 1
        count = 0
        elapsed = 0
    }

    private mutating func prepare(for newInterval: Double) {
        interval = newInterval
        // Above nine tenths of half the sample rate there is nothing to filter.
        guard timeConstant >= newInterval / 2 else {
            (a1, a2, a3) = (0, 0, 1)
            return
        }
        let x = newInterval / timeConstant * 0.5.squareRoot()
        let x2 = x * x
        // The series is exact to 1e-15 there.
        let g = x < 0.02 ? x * (1 + x2 * (1 / 3.0 + x2 * (2 / 15.0 + x2 * (17 / 315.0)))) : tan(x)
        a1 = 1 / (1 + g * (g + 2.0.squareRoot()))
        a2 = g * a1
        a3 = g * a2
    }
}
