// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Fits the matrix and the shift that correct the magnetometer readings. After the attitude has rotated the corrected
/// readings to earth axes, they should all yield the same field. The gyroscope bias rotates the attitude during the
/// measurement, so it is fitted as well.
///
/// Each sample satisfies Z(-ψ)·R(t - latency)·(W·m + c) = b. The earth's field b is a separate unknown in each time
/// window, because the heading is unknown without a magnetometer. Since b is the mean over its window, it can be
/// eliminated. The remaining system is nearly linear in the twelve parameters of the correction and the three
/// parameters of the bias.
///
/// ψ is the heading drift since the start of the window: the product of the bias and the integral of the up direction.
/// A cheap gyroscope drifts by several degrees per second until it has been at rest for the first time. If the bias
/// were not fitted, this drift would be mistaken for hard or soft iron.
///
/// A prior determines the parameters that the samples do not. It assumes soft iron of a few percent, and sensors that
/// are parallel within a degree or two. Together with a fixed trace, the prior excludes W = 0. Geman and McClure's
/// weights suppress outliers. The magnetometer delay is fitted too, because a delay of 15 ms at 500 degrees per second
/// causes an error of 7 degrees.
struct AttitudeAidedFit: Sendable {
    /// The number of window slots. The samples must come from no more than this many consecutive windows.
    static let windowLimit = 16
    /// The number of unknowns: three elements and one shift component for each of the three matrix rows, and three
    /// components of the bias.
    static let unknowns = 15
    /// The number of sums per window: the sum of the weights, twelve sums for each of the three field components, and
    /// three bias sums for each of the two horizontal components.
    static let windowStride = 43
    /// The prior standard deviations of the soft-iron matrix's symmetric part and rotation.
    static let softIronDeviation = 0.15
    static let rotationDeviation = 0.02
    /// The prior standard deviation of the bias in rad/s. Gyroscopes on boards have biases of several degrees per
    /// second.
    static let biasDeviation = 0.09
    static let maximumBiasStep = 0.1
    /// The number of samples that together count as one independent sample. Neighbouring samples have similar errors,
    /// because indoor magnetic fields are not uniform.
    static let samplesPerIndependentSample = 30.0
    /// The standard deviation of the attitude errors while the device is moving, in radians. In simulations of a
    /// pendulum, all values from 0.01 to 0.03 prevented wrong fits equally well. Larger values delay correct fits.
    static let attitudeNoise = 0.015
    /// The strength of a prior that favours the current correction. The fit and the current correction have equal
    /// weight along a direction whose spread, in square radians, equals this value. Without the prior, the heading was
    /// wrong by 150 degrees in 2 of 120 simulations of a pendulum. Larger values make the correction of strong hard
    /// iron less accurate.
    static let currentCorrectionPrior = 0.0004
    static let minimumSamplesPerWindow = 30
    /// The angular rate at which a sample's weight is halved, in rad/s.
    static let fastRate = 5.0
    /// The prior standard deviation and the plausible range of the delay, in seconds.
    static let latencyDeviation = 0.02
    static let latencyRange = -0.03...0.08

    /// The number of samples. The arrays below are indexed by sample. `rotations` has nine elements per sample: the
    /// rows of a matrix that rotates device axes to earth axes. `lengths` holds the residuals.
    var count = 0
    var fields: [SIMD3<Double>]
    var rotations: [Double]
    var drifts: [SIMD3<Double>]
    var weights: SampleWeights
    var earthFields: [SIMD3<Double>]
    var lengths: [Double]
    /// The slot of each sample's window. The arrays below are indexed by slot.
    var slots: [Int]
    var newestSlot = 0
    var windowSums: [Double]
    var windowFields = [SIMD3<Double>](repeating: .zero, count: windowLimit)
    var system = PositiveSystem(size: unknowns)
    /// The correction parameters, followed by the latest bias change.
    var solution = [Double](repeating: 0, count: unknowns)
    var traceSolution = [Double](repeating: 0, count: unknowns)
    /// The second moments of the samples. Each sample is extended by a fourth component of 1.
    var moment = [Double](repeating: 0, count: 16)
    /// The second moments that involve the bias, with one row per bias parameter. A row pairs its parameter with the
    /// twelve correction parameters and the three bias parameters.
    var biasMoments = [Double](repeating: 0, count: 3 * unknowns)
    var probe = [Double](repeating: 0, count: unknowns)
    /// A symmetric matrix S that describes how far each direction in device axes has rotated within a time window. For
    /// a unit vector u, the mean scatter in earth axes is uᵀ·S·u. It is near 0 if u has not rotated, and at most 1.
    var spread = Matrix3(row0: .zero, row1: .zero, row2: .zero)
    var scale = FieldScale()
    /// The mean reading after the current correction, divided by the unit of `scale`.
    var currentShift = SIMD3<Double>.zero
    var latency = 0.0
    var bias = SIMD3<Double>.zero
    /// True if there is a solution. Without one, the bias cannot be fitted, because its effect depends on the corrected
    /// fields.
    var hasSolution = false

    init(capacity: Int) {
        fields = [SIMD3<Double>](repeating: .zero, count: capacity)
        rotations = [Double](repeating: 0, count: 9 * capacity)
        drifts = fields
        earthFields = fields
        weights = SampleWeights(capacity: capacity)
        lengths = [Double](repeating: 0, count: capacity)
        slots = [Int](repeating: 0, count: capacity)
        windowSums = [Double](repeating: 0, count: Self.windowLimit * Self.windowStride)
    }

    /// Fits the samples, starting from the previous fit if there is one. Returns nil if the samples do not determine a
    /// fit.
    mutating func fit(
        _ samples: [MagneticSample], current: MagneticCalibration, previous: MagneticFit?
    ) -> MagneticFit? {
        guard load(samples) else { return nil }
        currentShift = current.apply(to: scale.center) / scale.unit
        latency = previous?.latency ?? 0
        bias = previous?.bias ?? .zero
        hasSolution = previous != nil
        weights.deviation = 0.1
        updateRotations(samples)
        if let previous {
            setSolution(previous.matrix, previous.shift)
            updateResiduals()
            updateDeviation()
            weights.update(lengths[..<count])
        }
        // Fewer iterations are sufficient when starting from a previous fit.
        for _ in 0..<(previous == nil ? 8 : 2) {
            guard solve() else { return nil }
            updateRotations(samples)
            updateResiduals()
            updateDeviation()
            // This step must come before the weights are updated, because it uses the means that `updateResiduals`
            // computed.
            updateLatency(samples)
            weights.update(lengths[..<count])
        }
        guard solve() else { return nil }
        updateRotations(samples)
        return result(current: current)
    }
}

extension AttitudeAidedFit {
    mutating func load(_ samples: [MagneticSample]) -> Bool {
        count = min(samples.count, slots.count)
        guard count >= 12, let scale = FieldScale(samples.prefix(count)) else { return false }
        self.scale = scale
        let fast = Self.fastRate * Self.fastRate
        var newest = Int.min
        for index in 0..<count {
            let sample = samples[index]
            newest = max(newest, sample.window)
            fields[index] = scale.scaled(sample.field)
            weights.base[index] = 1 / (1 + sample.rate.squaredLength / fast)
            weights.values[index] = weights.base[index]
            slots[index] = sample.window % Self.windowLimit
            drifts[index] = sample.drift
        }
        newestSlot = newest % Self.windowLimit
        return true
    }

    /// Computes the rotation matrices at the measurement times, without the rotation due to the bias.
    mutating func updateRotations(_ samples: [MagneticSample]) {
        let half = -latency / 2
        for index in 0..<count {
            let q = samples[index].attitude
            let (a, b, c, d) = (q.x, q.y, q.z, q.w)
            let rate = samples[index].rate
            let (u, v, t) = (rate.x * half, rate.y * half, rate.z * half)
            var (x, y, z, w) = (
                a + d * u + b * t - c * v, b + d * v + c * u - a * t, c + d * t + a * v - b * u,
                d - a * u - b * v - c * t
            )
            let scale = 1 / (x * x + y * y + z * z + w * w).squareRoot()
            (x, y, z, w) = (x * scale, y * scale, z * scale, w * scale)
            let base = 9 * index
            let angle = samples[index].correctedDrift - (samples[index].drift * bias).sum()
            let (cosine, sine) = (cos(angle), sin(angle))
            let east = SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
            let north = SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
            for k in 0..<3 {
                rotations[base + k] = cosine * east[k] - sine * north[k]
                rotations[base + 3 + k] = sine * east[k] + cosine * north[k]
            }
            rotations[base + 6] = 2 * (x * z - w * y)
            rotations[base + 7] = 2 * (y * z + w * x)
            rotations[base + 8] = 1 - 2 * (x * x + y * y)
        }
    }

    mutating func setSolution(_ matrix: Matrix3, _ shift: SIMD3<Double>) {
        let atCenter = matrix * scale.center + shift
        for k in 0..<3 {
            (solution[k], solution[4 + k], solution[8 + k]) = (matrix.row0[k], matrix.row1[k], matrix.row2[k])
            solution[4 * k + 3] = atCenter[k] / scale.unit
        }
    }

    mutating func updateResiduals() {
        for slot in 0..<Self.windowLimit {
            windowFields[slot] = .zero
            windowSums[Self.windowStride * slot] = 0
        }
        for index in 0..<count {
            let weight = weights.values[index]
            let field = toEarth(index, corrected(index))
            earthFields[index] = field
            windowSums[Self.windowStride * slots[index]] += weight
            windowFields[slots[index]] += weight * field
        }
        for slot in 0..<Self.windowLimit where windowSums[Self.windowStride * slot] > 0 {
            windowFields[slot] /= windowSums[Self.windowStride * slot]
        }
        for index in 0..<count {
            let rest = earthFields[index] - windowFields[slots[index]]
            lengths[index] = (rest.x * rest.x + rest.y * rest.y + rest.z * rest.z).squareRoot()
        }
    }

    @inline(__always) func corrected(_ index: Int) -> SIMD3<Double> {
        let field = fields[index]
        @inline(__always) func row(_ k: Int) -> Double {
            solution[k] * field.x + solution[k + 1] * field.y + solution[k + 2] * field.z + solution[k + 3]
        }
        return SIMD3(row(0), row(4), row(8))
    }

    @inline(__always) func toEarth(_ index: Int, _ v: SIMD3<Double>) -> SIMD3<Double> {
        @inline(__always)
        func row(_ k: Int) -> Double { rotations[k] * v.x + rotations[k + 1] * v.y + rotations[k + 2] * v.z }
        return SIMD3(row(9 * index), row(9 * index + 3), row(9 * index + 6))
    }

    mutating func updateDeviation() {
        // 1.538 is the median length of a vector with three standard normal components.
        weights.updateDeviation(lengths[..<count], median: 1.538)
    }
}
