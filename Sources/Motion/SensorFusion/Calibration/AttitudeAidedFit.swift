// This source file is part of the swift-device-services project.
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
    /// Deviations at which a sample has a quarter of its weight.
    static let outlierDeviations = 5.0
    /// Radians per second at which a sample has half its weight.
    static let fastRate = 5.0
    /// Prior deviation of the lag, and what is believable, seconds.
    static let latencyDeviation = 0.02
    static let latencyRange = -0.03...0.08

    private var count = 0
    private var fields: [Double]
    private var attitudes: [Double]
    private var rates: [Double]
    private var rotations: [Double]
    private var baseWeights: [Double]
    private var weights: [Double]
    private var lengths: [Double]
    private var sorted: [Double]
    private var slots: [Int]
    private var windowSums: [Double]
    private var windowFields: [Double]
    private var system = PositiveSystem(size: 12)
    private var solution = [Double](repeating: 0, count: 12)
    private var traceSolution = [Double](repeating: 0, count: 12)
    /// Of a sample's three components and one.
    private var moment = [Double](repeating: 0, count: 16)
    private var probe = [Double](repeating: 0, count: 12)
    private var scale = FieldScale()
    private var latency = 0.0
    private var deviation = 0.1

    init(capacity: Int) {
        func zeros(_ count: Int) -> [Double] { [Double](repeating: 0, count: count) }
        fields = zeros(3 * capacity)
        attitudes = zeros(4 * capacity)
        rates = zeros(3 * capacity)
        rotations = zeros(9 * capacity)
        baseWeights = zeros(capacity)
        weights = zeros(capacity)
        lengths = zeros(capacity)
        sorted = []
        sorted.reserveCapacity(capacity)
        slots = [Int](repeating: 0, count: capacity)
        windowSums = zeros(Self.windowLimit * 37)
        windowFields = zeros(Self.windowLimit * 3)
    }

    /// The fit of those samples, beginning with the one before; nil when they allow none.
    mutating func fit(
        _ samples: [MagneticSample], inForce: MagneticCalibration, previous: MagneticFit?
    ) -> MagneticFit? {
        guard load(samples) else { return nil }
        latency = previous?.latency ?? 0
        deviation = 0.1
        turn()
        if let previous {
            place(previous.row0, previous.row1, previous.row2, previous.shift)
            measure()
            updateDeviation()
            updateWeights()
        }
        for _ in 0..<(previous == nil ? 8 : 3) {
            guard solve() else { return nil }
            measure()
            updateDeviation()
            updateLatency()
            updateWeights()
            turn()
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
            let x = scale.scaled(sample.field)
            (fields[3 * index], fields[3 * index + 1], fields[3 * index + 2]) = (x.x, x.y, x.z)
            let q = sample.attitude.components
            for k in 0..<4 { attitudes[4 * index + k] = q[k] }
            for k in 0..<3 { rates[3 * index + k] = sample.rate[k] }
            baseWeights[index] = 1 / (1 + sample.rate.squaredLength / fast)
            weights[index] = baseWeights[index]
            slots[index] = sample.window % Self.windowLimit
        }
        return true
    }

    /// The matrices of the attitudes at the time at which the field was measured.
    private mutating func turn() {
        let half = -latency / 2
        for index in 0..<count {
            let (a, b, c, d) = (
                attitudes[4 * index], attitudes[4 * index + 1], attitudes[4 * index + 2], attitudes[4 * index + 3]
            )
            let (u, v, t) = (rates[3 * index] * half, rates[3 * index + 1] * half, rates[3 * index + 2] * half)
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
    private mutating func place(
        _ row0: SIMD3<Double>, _ row1: SIMD3<Double>, _ row2: SIMD3<Double>, _ shift: SIMD3<Double>
    ) {
        let center = scale.center
        let atCenter = SIMD3((row0 * center).sum(), (row1 * center).sum(), (row2 * center).sum()) + shift
        for k in 0..<3 {
            solution[k] = row0[k]
            solution[4 + k] = row1[k]
            solution[8 + k] = row2[k]
            solution[4 * k + 3] = atCenter[k] / scale.unit
        }
    }

    /// Each window's field for the present solution, and how far each sample is from it.
    private mutating func measure() {
        for index in windowFields.indices { windowFields[index] = 0 }
        for slot in 0..<Self.windowLimit { windowSums[37 * slot] = 0 }
        for index in 0..<count {
            let slot = slots[index]
            let weight = weights[index]
            let (x, y, z) = turned(index)
            windowSums[37 * slot] += weight
            windowFields[3 * slot] += weight * x
            windowFields[3 * slot + 1] += weight * y
            windowFields[3 * slot + 2] += weight * z
        }
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            for k in 0..<3 { windowFields[3 * slot + k] /= windowSums[37 * slot] }
        }
        for index in 0..<count {
            let slot = slots[index]
            let (x, y, z) = turned(index)
            let (u, v, w) = (
                x - windowFields[3 * slot], y - windowFields[3 * slot + 1], z - windowFields[3 * slot + 2]
            )
            lengths[index] = (u * u + v * v + w * w).squareRoot()
        }
    }

    private func corrected(_ index: Int) -> (Double, Double, Double) {
        let (x, y, z) = (fields[3 * index], fields[3 * index + 1], fields[3 * index + 2])
        return (
            solution[0] * x + solution[1] * y + solution[2] * z + solution[3],
            solution[4] * x + solution[5] * y + solution[6] * z + solution[7],
            solution[8] * x + solution[9] * y + solution[10] * z + solution[11]
        )
    }

    private func toEarth(_ index: Int, _ x: Double, _ y: Double, _ z: Double) -> (Double, Double, Double) {
        let base = 9 * index
        return (
            rotations[base] * x + rotations[base + 1] * y + rotations[base + 2] * z,
            rotations[base + 3] * x + rotations[base + 4] * y + rotations[base + 5] * z,
            rotations[base + 6] * x + rotations[base + 7] * y + rotations[base + 8] * z
        )
    }

    private func turned(_ index: Int) -> (Double, Double, Double) {
        let (x, y, z) = corrected(index)
        return toEarth(index, x, y, z)
    }

    /// The deviation of one component, from the median, which outliers do not move.
    private mutating func updateDeviation() {
        sorted.removeAll(keepingCapacity: true)
        for index in 0..<count { sorted.append(lengths[index]) }
        sorted.sort()
        // The median length of a vector of three normal components is 1.538 deviations.
        deviation = max(1e-3, sorted[count / 2] / 1.538)
    }

    private mutating func updateWeights() {
        let limit = Self.outlierDeviations * deviation
        for index in 0..<count {
            let ratio = lengths[index] / limit
            let part = 1 / (1 + ratio * ratio)
            weights[index] = baseWeights[index] * part * part
        }
    }

    /// One step of least squares for the lag, with the rest held.
    private mutating func updateLatency() {
        for slot in 0..<Self.windowLimit { for k in 1..<4 { windowSums[37 * slot + k] = 0 } }
        var products = 0.0
        var squares = 0.0
        for index in 0..<count {
            let (a, b, c) = corrected(index)
            let (p, q, r) = (rates[3 * index], rates[3 * index + 1], rates[3 * index + 2])
            let (x, y, z) = toEarth(index, c * q - b * r, a * r - c * p, b * p - a * q)
            let (u, v, w) = toEarth(index, a, b, c)
            let slot = slots[index]
            let weight = weights[index]
            // The products with what is left over need no mean taken off: its own mean in the window is zero.
            products +=
                weight
                * (x * (u - windowFields[3 * slot]) + y * (v - windowFields[3 * slot + 1])
                    + z * (w - windowFields[3 * slot + 2]))
            squares += weight * (x * x + y * y + z * z)
            windowSums[37 * slot + 1] += weight * x
            windowSums[37 * slot + 2] += weight * y
            windowSums[37 * slot + 3] += weight * z
        }
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            for k in 1..<4 {
                squares -= windowSums[37 * slot + k] * windowSums[37 * slot + k] / windowSums[37 * slot]
            }
        }
        let prior =
            deviation * deviation * Self.samplesPerIndependentOne / (Self.latencyDeviation * Self.latencyDeviation)
        let step = (products - prior * latency) / (squares + prior)
        latency = min(max(latency + step, Self.latencyRange.lowerBound), Self.latencyRange.upperBound)
    }

    /// Solves for the matrix and the shift with the present weights and rotations.
    private mutating func solve() -> Bool {
        for index in windowSums.indices { windowSums[index] = 0 }
        system.clear()
        addSamples()
        let information = 1 / (deviation * deviation * Self.samplesPerIndependentOne)
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
        let (count, weights, fields, slots, rotations) = (count, weights, fields, slots, rotations)
        var products = SIMD16<Double>()
        windowSums.withUnsafeMutableBufferPointer { windowSums in
            for index in 0..<count {
                let weight = weights[index]
                let sample = SIMD4(fields[3 * index], fields[3 * index + 1], fields[3 * index + 2], 1)
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
        fit.row0 = SIMD3(solution[0], solution[1], solution[2])
        fit.row1 = SIMD3(solution[4], solution[5], solution[6])
        fit.row2 = SIMD3(solution[8], solution[9], solution[10])
        let center = scale.center
        let atCenter = SIMD3(solution[3], solution[7], solution[11]) * scale.unit
        fit.shift =
            atCenter
            - SIMD3((fit.row0 * center).sum(), (fit.row1 * center).sum(), (fit.row2 * center).sum())
        fit.latency = latency
        measure()
        let (strength, dip) = meanField()
        fit.strength = strength * scale.unit
        fit.dip = dip
        fit.residual = remainder() / strength
        fit.uncertainty = uncertainty(of: fit, strength: strength)
        // With the same weights and the same lag, so that only the correction makes the difference.
        place(
            inForce.row0, inForce.row1, inForce.row2,
            -SIMD3(
                (inForce.row0 * inForce.hardIron).sum(), (inForce.row1 * inForce.hardIron).sum(),
                (inForce.row2 * inForce.hardIron).sum()))
        measure()
        fit.residualInForce = remainder() / meanField().strength
        return fit
    }

    private func meanField() -> (strength: Double, dip: Double) {
        var (total, strength, horizontal, up) = (0.0, 0.0, 0.0, 0.0)
        for slot in 0..<Self.windowLimit where windowSums[37 * slot] > 0 {
            let weight = windowSums[37 * slot]
            let (x, y, z) = (windowFields[3 * slot], windowFields[3 * slot + 1], windowFields[3 * slot + 2])
            total += weight
            strength += weight * (x * x + y * y + z * z).squareRoot()
            horizontal += weight * (x * x + y * y).squareRoot()
            up += weight * z
        }
        return (strength / total, atan2(-up, horizontal))
    }

    /// Root mean square of one component, where no sample counts for more than an outlier.
    private func remainder() -> Double {
        let limit = Self.outlierDeviations * deviation
        var squares = 0.0
        var total = 0.0
        for index in 0..<count {
            let length = min(lengths[index], limit)
            squares += baseWeights[index] * length * length
            total += baseWeights[index]
        }
        return (squares / (3 * total)).squareRoot()
    }

    /// The deviation of the corrected field over all directions, from the inverse of the system just solved.
    private mutating func uncertainty(of fit: MagneticFit, strength: Double) -> Double {
        let volume = fit.determinant
        guard volume > 0.05 else { return .infinity }
        let (a, b, c) = (
            Quaternion.cross(fit.row1, fit.row2), Quaternion.cross(fit.row2, fit.row0),
            Quaternion.cross(fit.row0, fit.row1)
        )
        let hardIron = -(a * solution[3] + b * solution[7] + c * solution[11]) / volume
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
