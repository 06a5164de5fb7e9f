// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Finds the matrix and the shift that make readings, turned by the attitude, one constant field, and the gyroscope's bias
/// that turns the attitude meanwhile.
///
/// For each sample Z(-ψ)·R(t - latency)·(W·m + c) = b, where the earth's field b is a new unknown in each window of time,
/// because the heading of an attitude without magnetometer is not known. It drifts, too: ψ is what the gyroscope's bias has
/// turned about the vertical since the window began, the product of the bias with the integral of the direction up. A cheap
/// gyroscope that has not rested yet turns by degrees a second, which would be taken for iron. The b are eliminated (each is
/// a mean), which leaves twelve numbers of the correction and three of the bias, nearly linear; a prior belief (soft iron of
/// some percent, sensors mounted parallel within a degree or two) decides what the samples leave open and rules out W = 0
/// together with a fixed trace. Samples that fit badly lose weight step by step (Geman and McClure's weights).
/// Magnetometers lag behind gyroscopes by their own averaging; at 500 degrees a second 15 ms are 7 degrees, so the lag is
/// estimated too.
struct AttitudeAidedFit: Sendable {
    /// The most windows that may be in use at once.
    static let windowLimit = 16
    /// Three rows of the matrix with their part of the shift, and the bias.
    static let unknowns = 15
    /// Of a window are summed: the weight, for each component of the earth's field twelve, and for two of them three of the
    /// bias.
    static let windowStride = 43
    /// Prior deviation of soft iron's symmetric and of its turning part.
    static let softIronDeviation = 0.15
    static let turnDeviation = 0.02
    /// That of the bias, radians per second: gyroscopes of boards are off by degrees a second.
    static let biasDeviation = 0.09
    /// The largest step of the bias at a time.
    static let largestBiasStep = 0.1
    /// Neighbouring samples are wrong together (the field of a room is uneven): so many count as one.
    static let samplesPerIndependentOne = 30.0
    /// One standard deviation of the attitude of a moving device, in radians. On simulated pendulums, values from 0.01
    /// to 0.03 prevent wrong fits equally well; larger ones delay correct fits.
    static let attitudeNoise = 0.015
    /// The spread of a direction, in square radians, at which the fit and the correction in force have equal weight:
    /// 0.02 squared. Without this prior, the heading of 2 of 120 simulated pendulums is wrong by 150 degrees; with
    /// 0.001, the hard iron of phones, ten times the field, is wrong by 0.2 per cent.
    static let stayingSpread = 0.0004
    /// So many samples of a window say something of it by themselves.
    static let fewestOfWindow = 30
    /// Radians per second at which a sample has half its weight.
    static let fastRate = 5.0
    /// Prior deviation of the lag, and what is believable, seconds.
    static let latencyDeviation = 0.02
    static let latencyRange = -0.03...0.08

    var count = 0
    var fields: [SIMD3<Double>]
    var rotations: [Double]
    var drifts: [SIMD3<Double>]
    var weights: SampleWeights
    /// The corrected fields, turned by the attitudes.
    var turned: [SIMD3<Double>]
    var lengths: [Double]
    var slots: [Int]
    var newestSlot = 0
    var windowSums: [Double]
    var windowFields = [SIMD3<Double>](repeating: .zero, count: windowLimit)
    var system = PositiveSystem(size: unknowns)
    /// The correction, and by how much the bias was changed last.
    var solution = [Double](repeating: 0, count: unknowns)
    var traceSolution = [Double](repeating: 0, count: unknowns)
    /// Of a sample's three components and one.
    var moment = [Double](repeating: 0, count: 16)
    /// Of the bias with the twelve others, and with itself.
    var biasMoments = [Double](repeating: 0, count: 3 * unknowns)
    var probe = [Double](repeating: 0, count: unknowns)
    /// The mean scatter of the device's directions in earth axes within the windows, as the rows of a symmetric matrix:
    /// near 0 for a direction that has not turned, at most 1.
    var spread = Matrix3(row0: .zero, row1: .zero, row2: .zero)
    var scale = FieldScale()
    /// The mean of the readings after the correction in force, scaled.
    var shiftInForce = SIMD3<Double>.zero
    var latency = 0.0
    var bias = SIMD3<Double>.zero
    /// False before there is a field that could turn.
    var hasSolution = false

    init(capacity: Int) {
        fields = [SIMD3<Double>](repeating: .zero, count: capacity)
        rotations = [Double](repeating: 0, count: 9 * capacity)
        drifts = fields
        turned = fields
        weights = SampleWeights(capacity: capacity)
        lengths = [Double](repeating: 0, count: capacity)
        slots = [Int](repeating: 0, count: capacity)
        windowSums = [Double](repeating: 0, count: Self.windowLimit * Self.windowStride)
    }

    /// The fit of those samples, beginning with the one before; nil when they allow none.
    mutating func fit(
        _ samples: [MagneticSample], inForce: MagneticCalibration, previous: MagneticFit?
    ) -> MagneticFit? {
        guard load(samples) else { return nil }
        shiftInForce = inForce.apply(to: scale.center) / scale.unit
        latency = previous?.latency ?? 0
        bias = previous?.bias ?? .zero
        hasSolution = previous != nil
        weights.deviation = 0.1
        turn(samples)
        if let previous {
            place(previous.matrix, previous.shift)
            measure()
            updateDeviation()
            weights.update(lengths[..<count])
        }
        // The one before has come nearly as far.
        for _ in 0..<(previous == nil ? 8 : 2) {
            guard solve() else { return nil }
            turn(samples)
            measure()
            updateDeviation()
            updateLatency(samples)
            weights.update(lengths[..<count])
        }
        guard solve() else { return nil }
        turn(samples)
        return result(inForce: inForce)
    }
}

extension AttitudeAidedFit {
    mutating func load(_ samples: [MagneticSample]) -> Bool {
        count = min(samples.count, slots.count)
        guard count >= 12 else { return false }
        guard let scale = FieldScale(samples.prefix(count)) else { return false }
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

    /// The matrices of the attitudes at the time at which the field was measured, without what the bias has turned.
    mutating func turn(_ samples: [MagneticSample]) {
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
            let angle = samples[index].taken - (samples[index].drift * bias).sum()
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

    /// Takes a matrix and a shift in the readings' unit as the solution.
    mutating func place(_ matrix: Matrix3, _ shift: SIMD3<Double>) {
        let atCenter = matrix * scale.center + shift
        for k in 0..<3 {
            (solution[k], solution[4 + k], solution[8 + k]) = (matrix.row0[k], matrix.row1[k], matrix.row2[k])
            solution[4 * k + 3] = atCenter[k] / scale.unit
        }
    }

    /// Each window's field for the present solution, and how far each sample is from it.
    mutating func measure() {
        for slot in 0..<Self.windowLimit {
            windowFields[slot] = .zero
            windowSums[Self.windowStride * slot] = 0
        }
        for index in 0..<count {
            let weight = weights.values[index]
            let field = toEarth(index, corrected(index))
            turned[index] = field
            windowSums[Self.windowStride * slots[index]] += weight
            windowFields[slots[index]] += weight * field
        }
        for slot in 0..<Self.windowLimit where windowSums[Self.windowStride * slot] > 0 {
            windowFields[slot] /= windowSums[Self.windowStride * slot]
        }
        for index in 0..<count {
            let rest = turned[index] - windowFields[slots[index]]
            lengths[index] = (rest.x * rest.x + rest.y * rest.y + rest.z * rest.z).squareRoot()
        }
    }

    @inline(__always)
    func corrected(_ index: Int) -> SIMD3<Double> {
        let field = fields[index]
        @inline(__always)
        func row(_ k: Int) -> Double {
            solution[k] * field.x + solution[k + 1] * field.y + solution[k + 2] * field.z + solution[k + 3]
        }
        return SIMD3(row(0), row(4), row(8))
    }

    @inline(__always)
    func toEarth(_ index: Int, _ v: SIMD3<Double>) -> SIMD3<Double> {
        @inline(__always)
        func row(_ k: Int) -> Double { rotations[k] * v.x + rotations[k + 1] * v.y + rotations[k + 2] * v.z }
        return SIMD3(row(9 * index), row(9 * index + 3), row(9 * index + 6))
    }

    mutating func updateDeviation() {
        // The median length of a vector of three normal components.
        weights.updateDeviation(lengths[..<count], median: 1.538)
    }
}
