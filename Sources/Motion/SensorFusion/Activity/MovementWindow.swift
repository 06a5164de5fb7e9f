// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The features of the acceleration within a time window.
struct MovementFeatures: Sendable, Equatable {
    /// The standard deviation of the acceleration magnitude, in g.
    var magnitudeDeviation: Double
    /// The standard deviation, in g, along the axis of greatest variance. It does not depend on the device orientation.
    var axisDeviation: Double
    /// The frequency of the band-pass-filtered acceleration, in cycles per second, estimated from zero crossings.
    var crossingRate: Double
    var start: Double
    var end: Double
}

/// Collects evenly spaced samples into windows of 2.56 s that overlap by half.
struct MovementWindow: Sendable {
    /// The number of samples in half a window of 2.56 s, which is the window length used in published studies.
    static let samplesPerHalf = 64
    private static let gravity = 9.80665

    private struct Half: Sendable {
        var count = 0
        var start = 0.0
        var sum = SIMD3<Double>.zero
        var squares = SIMD3<Double>.zero
        var products = SIMD3<Double>.zero
        var magnitude = 0.0
        var squaredMagnitude = 0.0
        var crossings = 0
    }

    private var previous: Half?
    private var current = Half()
    private var wasPositive = false

    mutating func restart() {
        previous = nil
        current = Half()
    }

    /// Adds a sample: the acceleration in m/s², its magnitude, and the band-pass-filtered magnitude. Returns the
    /// features of the window that the sample completes, or nil if it completes none.
    mutating func append(
        _ value: SIMD3<Double>, magnitude: Double, filtered: Double, at time: Double
    ) -> MovementFeatures? {
        if current.count == 0 { current.start = time }
        let sample = value / Self.gravity
        let length = magnitude / Self.gravity
        current.count += 1
        current.sum += sample
        current.squares += sample * sample
        current.products += sample * SIMD3(sample.y, sample.z, sample.x)
        current.magnitude += length
        current.squaredMagnitude += length * length
        let isPositive = filtered > 0
        if isPositive != wasPositive { current.crossings += 1 }
        wasPositive = isPositive
        guard current.count == Self.samplesPerHalf else { return nil }
        defer {
            previous = current
            current = Half()
        }
        return previous.map { Self.features($0, current, end: time) }
    }

    private static func features(_ first: Half, _ second: Half, end: Double) -> MovementFeatures {
        let count = Double(first.count + second.count)
        let mean = (first.sum + second.sum) / count
        let variances = (first.squares + second.squares) / count - mean * mean
        let covariances = (first.products + second.products) / count - mean * SIMD3(mean.y, mean.z, mean.x)
        let length = (first.magnitude + second.magnitude) / count
        let variance = (first.squaredMagnitude + second.squaredMagnitude) / count - length * length
        return MovementFeatures(
            magnitudeDeviation: max(0, variance).squareRoot(),
            axisDeviation: max(0, greatestEigenvalue(variances, covariances)).squareRoot(),
            crossingRate: Double(first.crossings + second.crossings) / 2 / (count / UniformResampler.rate),
            start: first.start, end: end)
    }

    /// Returns the largest eigenvalue of a symmetric matrix, using O. K. Smith's method ("Eigenvalues of a symmetric 3
    /// × 3 matrix", Communications of the ACM 4(4), 1961).
    private static func greatestEigenvalue(_ diagonal: SIMD3<Double>, _ others: SIMD3<Double>) -> Double {
        let third = diagonal.sum() / 3
        let rest = diagonal - third
        let spread = (rest.squaredLength + 2 * others.squaredLength) / 6
        guard spread > 0 else { return third }
        let scale = spread.squareRoot()
        // xy, yz and zx are the matrix elements (1,2), (2,3) and (1,3).
        let (xy, yz, zx) = (others.x, others.y, others.z)
        let determinant =
            rest.x * (rest.y * rest.z - yz * yz) - xy * (xy * rest.z - yz * zx) + zx * (xy * yz - rest.y * zx)
        let cosine = min(max(determinant / (2 * scale * spread), -1), 1)
        return third + 2 * scale * cos(acos(cosine) / 3)
    }
}
