// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Finds the matrix and the shift that make readings, turned by the attitude, one constant field.
///
/// For each sample R(t - latency)·(W·m + c) = b, where the earth's field b is a new unknown in each window of time,
/// because the heading of an attitude without magnetometer drifts. The b are eliminated (each is a mean), which leaves
/// twelve unknowns, linear; a prior belief (soft iron of some percent, sensors mounted parallel within a degree or two)
/// decides what the samples leave open and rules out W = 0 together with a fixed trace. Samples that fit badly lose
/// weight step by step (Geman and McClure's weights). Magnetometers lag behind gyroscopes by their own averaging; at
/// 500 degrees a second 15 ms are 7 degrees, so the lag is estimated too.
struct AttitudeAidedFit: Sendable {
    /// The most windows that may be in use at once.
    static let windowLimit = 16
    /// Prior deviation of soft iron's symmetric and of its turning part.
    static let softIronDeviation = 0.15
    static let turnDeviation = 0.02
    /// Neighbouring samples are wrong together (the field of a room is uneven): so many count as one.
    static let samplesPerIndependentOne = 30.0
    /// Radians per second at which a sample has half its weight.
    static let fastRate = 5.0
    /// Prior deviation of the lag, and what is believable, seconds.
    static let latencyDeviation = 0.02
    static let latencyRange = -0.03...0.08

    private var count = 0
    private var fields: [SIMD3<Double>]
    private var rotations: [Double]
    private var weights: SampleWeights
    private var lengths: [Double]
    private var slots: [Int]
    private var windowSums: [Double]
    private var windowFields = [SIMD3<Double>](repeating: .zero, count: windowLimit)
    private var system = PositiveSystem(size: 12)
    private var solution = [Double](repeating: 0, count: 12)
    private var traceSolution = [Double](repeating: 0, count: 12)
    /// Of a sample's three components and one.
    private var moment = [Double](repeating: 0, count: 16)
    private var probe = [Double](repeating: 0, count: 12)
    private var scale = FieldScale()
    private var latency = 0.0

    init(capacity: Int) {
        fields = [SIMD3<Double>](repeating: .zero, count: capacity)
        rotations = [Double](repeating: 0, count: 9 * capacity)
        weights = SampleWeights(capacity: capacity)
        lengths = [Double](repeating: 0, count: capacity)
        slots = [Int](repeating: 0, count: capacity)
        windowSums = [Double](repeating: 0, count: Self.windowLimit * 37)
    }

    /// The fit of those samples, beginning with the one before; nil when they allow none.
    mutating func fit(
        _ samples: [MagneticSample], inForce: MagneticCalibration, previous: MagneticFit?
    ) -> MagneticFit? {
        guard load(samples) else { return nil }
        latency = previous?.latency ?? 0
        weights.deviation = 0.1
        turn(samples)
        if let previous {
            place(previous.matrix, previous.shift)
            measure()
            updateDeviation()
            weights.update(lengths[..<count])
        }
        for _ in 0..<(previous == nil ? 8 : 3) {
            guard solve() else { return nil }
            measure()
            updateDeviation()
            updateLatency(samples)
            weights.update(lengths[..<count])
            turn(samples)
        }
        guard solve() else { return nil }
        return result(inForce: inForce)
    }
}

extension AttitudeAidedFit {
    private mutating func load(_ samples: [MagneticSample]) -> Bool {
        count = min(samples.count, slots.count)
        guard count >= 12 else { return false }
        guard let scale = FieldScale(samples.prefix(count)) else { return false }
        self.scale = scale
        let fast = Self.fastRate * Self.fastRate
        for index in 0..<count {
            let sample = samples[index]
            fields[index] = scale.scaled(sample.field)
            weights.base[index] = 1 / (1 + sample.rate.squaredLength / fast)
            weights.values[index] = weights.base[index]
            slots[index] = sample.window % Self.windowLimit
        }
        return true
    }

    /// The matrices of the attitudes at the time at which the field was measured.
    private mutating func turn(_ samples: [MagneticSample]) {
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
            rotations[base] = 1 - 2 * (y * y + z * z)
            rotations[base + 1] = 2 * (x * y - w * z)
            rotations[base + 2] = 2 * (x * z + w * y)
            rotations[base + 3] = 2 * (x * y + w * z)
            rotations[base + 4] = 1 - 2 * (x * x + z * z)
            rotations[base + 5] = 2 * (y * z - w * x)
            rotations[base + 6] = 2 * (x * z - w * y)
            rotations[base + 7] = 2 * (y * z + w * x)
            rotations[base + 8] = 1 - 2 * (x * x + y * y)
        }
    }

    /// Takes a matrix and a shift in the readings' unit as the solution.
    private mutating func place(_ matrix: Matrix3, _ shift: SIMD3<Double>) {
        let atCenter = matrix * scale.center + shift
        for k in 0..<3 {
            (solution[k], solution[4 + k], solution[8 + k]) = (matrix.row0[k], matrix.row1[k], matrix.row2[k])
            solution[4 * k + 3] = atCenter[k] / scale.unit
        }
    }

    /// Each window's field for the present solution, and how far each sample is from it.
    private mutating func measure() {
        for slot in 0..<Self.windowLimit {
            windowFields[slot] = .zero
            windowSums[37 * slot] = 0
        }
        for index in 0..<count {
            let weight = weights.values[index]
            windowSums[37 * slots[index]] += weight
            windowFields[slots[index]] += weight * toEarth(index, corrected(index))
        }
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            windowFields[slot] /= windowSums[37 * slot]
        }
        for index in 0..<count {
            let rest = toEarth(index, corrected(index)) - windowFields[slots[index]]
            lengths[index] = (rest.x * rest.x + rest.y * rest.y + rest.z * rest.z).squareRoot()
        }
    }

    private func corrected(_ index: Int) -> SIMD3<Double> {
        let field = fields[index]
        func row(_ k: Int) -> Double {
            solution[k] * field.x + solution[k + 1] * field.y + solution[k + 2] * field.z + solution[k + 3]
        }
        return SIMD3(row(0), row(4), row(8))
    }

    private func toEarth(_ index: Int, _ v: SIMD3<Double>) -> SIMD3<Double> {
        func row(_ k: Int) -> Double { rotations[k] * v.x + rotations[k + 1] * v.y + rotations[k + 2] * v.z }
        return SIMD3(row(9 * index), row(9 * index + 3), row(9 * index + 6))
    }

    private mutating func updateDeviation() {
        // The median length of a vector of three normal components.
        weights.updateDeviation(lengths[..<count], median: 1.538)
    }

    /// One step of least squares for the lag, with the rest held.
    private mutating func updateLatency(_ samples: [MagneticSample]) {
        for slot in 0..<Self.windowLimit { for k in 1..<4 { windowSums[37 * slot + k] = 0 } }
        var products = 0.0
        var squares = 0.0
        for index in 0..<count {
            let field = corrected(index)
            let slope = toEarth(index, Quaternion.cross(samples[index].rate, field))
            let slot = slots[index]
            let weight = weights.values[index]
            // The products with what is left over need no mean taken off: its own mean in the window is zero.
            let rest = toEarth(index, field) - windowFields[slot]
            products += weight * (slope.x * rest.x + slope.y * rest.y + slope.z * rest.z)
            squares += weight * (slope.x * slope.x + slope.y * slope.y + slope.z * slope.z)
            for k in 0..<3 { windowSums[37 * slot + 1 + k] += weight * slope[k] }
        }
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            for k in 1..<4 {
                squares -= windowSums[37 * slot + k] * windowSums[37 * slot + k] / windowSums[37 * slot]
            }
        }
        let variance = weights.deviation * weights.deviation * Self.samplesPerIndependentOne
        let prior = variance / (Self.latencyDeviation * Self.latencyDeviation)
        let step = (products - prior * latency) / (squares + prior)
        latency = min(max(latency + step, Self.latencyRange.lowerBound), Self.latencyRange.upperBound)
    }

    /// Solves for the matrix and the shift with the present weights and rotations.
    private mutating func solve() -> Bool {
        for index in windowSums.indices { windowSums[index] = 0 }
        system.clear()
        addSamples()
        let information = 1 / (weights.deviation * weights.deviation * Self.samplesPerIndependentOne)
        for row in 0..<3 {
            for k in 0..<4 { for l in 0...k { system[4 * row + k, 4 * row + l] = moment[4 * k + l] * information } }
        }
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            let factor = information / windowSums[37 * slot]
            for component in 0..<3 {
                let base = 37 * slot + 1 + 12 * component
                for p in 0..<12 {
                    let scaled = factor * windowSums[base + p]
                    for q in 0...p { system[p, q] -= scaled * windowSums[base + q] }
                }
            }
        }
        addPrior()
        guard system.factorize() else { return false }
        for index in 0..<12 {
            let isDiagonal = index % 5 == 0
            solution[index] = isDiagonal ? 1 / (Self.softIronDeviation * Self.softIronDeviation) : 0
            traceSolution[index] = isDiagonal ? 1 : 0
        }
        system.solve(&solution)
        system.solve(&traceSolution)
        // Lagrange's multiplier for a trace of three.
        let factor =
            (3 - solution[0] - solution[5] - solution[10])
            / (traceSolution[0] + traceSolution[5] + traceSolution[10])
        for index in 0..<12 { solution[index] += factor * traceSolution[index] }
        return solution.allSatisfy(\.isFinite)
    }

    /// Adds up what the samples say: this is where most of the time goes.
    private mutating func addSamples() {
        let (count, weights, fields, slots, rotations) = (count, weights.values, fields, slots, rotations)
        var products = SIMD16<Double>()
        windowSums.withUnsafeMutableBufferPointer { windowSums in
            for index in 0..<count {
                let weight = weights[index]
                let sample = SIMD4(fields[index], 1)
                let weighted = weight * sample
                let sums = 37 * slots[index]
                windowSums[sums] += weight
                for k in 0..<4 { for l in 0...k { products[4 * k + l] += weighted[k] * sample[l] } }
                for entry in 0..<9 {
                    // Earth component entry / 3, matrix row entry % 3.
                    let rotation = rotations[9 * index + entry]
                    for k in 0..<4 { windowSums[sums + 1 + 4 * entry + k] += weighted[k] * rotation }
                }
            }
        }
        for index in moment.indices { moment[index] = products[index] }
    }

    private mutating func addPrior() {
        let stretch = 1 / (Self.softIronDeviation * Self.softIronDeviation)
        let turn = 1 / (Self.turnDeviation * Self.turnDeviation)
        for row in 0..<3 {
            system[5 * row, 5 * row] += stretch
            // So weak that it only keeps the system solvable.
            system[4 * row + 3, 4 * row + 3] += 1e-4
            for column in 0..<row {
                let (a, b) = (4 * row + column, 4 * column + row)
                system[a, a] += (stretch + turn) / 2
                system[b, b] += (stretch + turn) / 2
                system[max(a, b), min(a, b)] += (stretch - turn) / 2
            }
        }
    }

    private mutating func result(inForce: MagneticCalibration) -> MagneticFit {
        var fit = MagneticFit()
        fit.matrix = Matrix3(row0: SIMD3(solution[0...2]), row1: SIMD3(solution[4...6]), row2: SIMD3(solution[8...10]))
        fit.shift = SIMD3(solution[3], solution[7], solution[11]) * scale.unit - fit.matrix * scale.center
        fit.latency = latency
        measure()
        let (strength, dip) = meanField()
        fit.strength = strength * scale.unit
        fit.dip = dip
        fit.residual = weights.remainder(lengths[..<count], components: 3) / strength
        fit.uncertainty = uncertainty(of: fit, strength: strength)
        // With the same weights and the same lag, so that only the correction makes the difference.
        place(inForce.matrix, -(inForce.matrix * inForce.hardIron))
        measure()
        fit.residualInForce = weights.remainder(lengths[..<count], components: 3) / meanField().strength
        return fit
    }

    private func meanField() -> (strength: Double, dip: Double) {
        var (total, strength, horizontal, up) = (0.0, 0.0, 0.0, 0.0)
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            let weight = windowSums[37 * slot]
            let (x, y, z) = (windowFields[slot].x, windowFields[slot].y, windowFields[slot].z)
            total += weight
            strength += weight * (x * x + y * y + z * z).squareRoot()
            horizontal += weight * (x * x + y * y).squareRoot()
            up += weight * z
        }
        return (strength / total, atan2(-up, horizontal))
    }

    /// The deviation of the corrected field over all directions, from the inverse of the system just solved.
    private mutating func uncertainty(of fit: MagneticFit, strength: Double) -> Double {
        let volume = fit.matrix.determinant
        guard volume > 0.05 else { return .infinity }
        let hardIron = -fit.matrix.origin(of: SIMD3(solution[3], solution[7], solution[11])) / volume
        let traceInformation = traceSolution[0] + traceSolution[5] + traceSolution[10]
        var sum = 0.0
        for row in 0..<3 {
            for k in 0..<4 {
                for index in 0..<12 { probe[index] = 0 }
                // The three entries of the matrix's row, and then the whole row at the centre of the directions.
                if k < 3 {
                    probe[4 * row + k] = 1
                } else {
                    for l in 0..<3 { probe[4 * row + l] = hardIron[l] }
                    probe[4 * row + 3] = 1
                }
                let along = (0..<4).reduce(0.0) { $0 + probe[4 * row + $1] * traceSolution[4 * row + $1] }
                system.solve(&probe)
                var variance = 0.0
                if k < 3 {
                    variance = probe[4 * row + k]
                } else {
                    for l in 0..<3 { variance += hardIron[l] * probe[4 * row + l] }
                    variance += probe[4 * row + 3]
                }
                variance -= along * along / traceInformation
                sum += k < 3 ? variance * strength * strength / 3 : variance
            }
        }
        let relative = sum / 3 / (strength * strength)
        return relative.isFinite ? max(relative, 0).squareRoot() : .infinity
    }
}
