// SPDX-License-Identifier: Apache-2.0

/// The fitting steps that update the solution.
extension AttitudeAidedFit {
    /// Updates the delay by one least-squares step, with all other parameters fixed. Overwrites sums 1 to 3 of each
    /// window, which `solve()` recomputes.
    mutating func updateLatency(_ samples: [MagneticSample]) {
        for slot in 0..<Self.windowLimit { for k in 1..<4 { windowSums[Self.windowStride * slot + k] = 0 } }
        var products = 0.0
        var squares = 0.0
        for index in 0..<count {
            let field = corrected(index)
            let slope = toEarth(index, Quaternion.cross(samples[index].rate, field))
            let slot = slots[index]
            let weight = weights.values[index]
            // Unlike `squares`, these products need no correction for the window's mean, because a window's residuals
            // have a mean of zero.
            let rest = toEarth(index, field) - windowFields[slot]
            products += weight * (slope.x * rest.x + slope.y * rest.y + slope.z * rest.z)
            squares += weight * (slope.x * slope.x + slope.y * slope.y + slope.z * slope.z)
            for k in 0..<3 { windowSums[Self.windowStride * slot + 1 + k] += weight * slope[k] }
        }
        for slot in 0..<Self.windowLimit where windowSums[Self.windowStride * slot] > 0 {
            let base = Self.windowStride * slot
            for k in 1..<4 { squares -= windowSums[base + k] * windowSums[base + k] / windowSums[base] }
        }
        let variance = weights.deviation * weights.deviation * Self.samplesPerIndependentSample
        let prior = variance / (Self.latencyDeviation * Self.latencyDeviation)
        let step = (products - prior * latency) / (squares + prior)
        latency = min(max(latency + step, Self.latencyRange.lowerBound), Self.latencyRange.upperBound)
    }

    mutating func solve() -> Bool {
        for index in windowSums.indices { windowSums[index] = 0 }
        system.clear()
        addSamples()
        updateSpread()
        let information = 1 / (weights.deviation * weights.deviation * Self.samplesPerIndependentSample)
        for row in 0..<3 {
            for k in 0..<4 { for l in 0...k { system[4 * row + k, 4 * row + l] = moment[4 * k + l] * information } }
        }
        for k in 0..<3 {
            for p in 0...(12 + k) { system[12 + k, p] = biasMoments[Self.unknowns * k + p] * information }
        }
        eliminateFields(information)
        addPrior()
        // Keeps the current correction along directions that have hardly rotated.
        let currentCorrectionWeight = information * moment[15] * Self.currentCorrectionPrior
        for row in 0..<3 { system[4 * row + 3, 4 * row + 3] += currentCorrectionWeight }
        guard system.factorize() else { return false }
        for index in 0..<Self.unknowns {
            let isDiagonal = index < 12 && index % 5 == 0
            solution[index] = isDiagonal ? 1 / (Self.softIronDeviation * Self.softIronDeviation) : 0
            traceSolution[index] = isDiagonal ? 1 : 0
        }
        for row in 0..<3 { solution[4 * row + 3] = currentCorrectionWeight * currentShift[row] }
        for k in 0..<3 { solution[12 + k] = -bias[k] / (Self.biasDeviation * Self.biasDeviation) }
        system.solve(&solution)
        system.solve(&traceSolution)
        // The Lagrange multiplier that fixes the trace at three.
        let factor =
            (3 - solution[0] - solution[5] - solution[10])
            / (traceSolution[0] + traceSolution[5] + traceSolution[10])
        for index in 0..<Self.unknowns { solution[index] += factor * traceSolution[index] }
        for k in 0..<3 { bias[k] += min(max(solution[12 + k], -Self.maximumBiasStep), Self.maximumBiasStep) }
        hasSolution = true
        return solution.allSatisfy(\.isFinite)
    }

    private mutating func updateSpread() {
        var rows = [SIMD3<Double>](repeating: .zero, count: 3)
        var total = 0.0
        for slot in 0..<Self.windowLimit where windowSums[Self.windowStride * slot] > 0 {
            let base = Self.windowStride * slot
            let weight = windowSums[base]
            total += weight
            for k in 0..<3 {
                rows[k][k] += weight
                for l in 0..<3 {
                    for component in 0..<3 {
                        let left = windowSums[base + 1 + 12 * component + 4 * k + 3]
                        let right = windowSums[base + 1 + 12 * component + 4 * l + 3]
                        rows[k][l] -= left * right / weight
                    }
                }
            }
        }
        spread = Matrix3(row0: rows[0] / total, row1: rows[1] / total, row2: rows[2] / total)
    }

    private mutating func eliminateFields(_ information: Double) {
        for slot in 0..<Self.windowLimit where windowSums[Self.windowStride * slot] > 0 {
            let base = Self.windowStride * slot
            let factor = information / windowSums[base]
            for component in 0..<3 {
                let first = base + 1 + 12 * component
                for p in 0..<12 {
                    let scaled = factor * windowSums[first + p]
                    for q in 0...p { system[p, q] -= scaled * windowSums[first + q] }
                }
                // A rotation about the vertical does not change the vertical component.
                guard component < 2, hasSolution else { continue }
                let rotatedBase = base + 37 + 3 * component
                for k in 0..<3 {
                    let scaled = factor * windowSums[rotatedBase + k]
                    for p in 0..<12 { system[12 + k, p] -= scaled * windowSums[first + p] }
                    for l in 0...k { system[12 + k, 12 + l] -= scaled * windowSums[rotatedBase + l] }
                }
            }
        }
    }

    /// Computes the sums over the samples. This takes most of a fit's time.
    private mutating func addSamples() {
        let (count, weights, fields, slots, rotations) = (count, weights.values, fields, slots, rotations)
        var products = SIMD16<Double>()
        windowSums.withUnsafeMutableBufferPointer { windowSums in
            for index in 0..<count {
                let weight = weights[index]
                let sample = SIMD4(fields[index], 1)
                let weighted = weight * sample
                let sums = Self.windowStride * slots[index]
                windowSums[sums] += weight
                for k in 0..<4 { for l in 0...k { products[4 * k + l] += weighted[k] * sample[l] } }
                for entry in 0..<9 {
                    // `entry / 3` is the component of the earth's field, and `entry % 3` is the row of the matrix.
                    let rotation = rotations[9 * index + entry]
                    for k in 0..<4 { windowSums[sums + 1 + 4 * entry + k] += weighted[k] * rotation }
                }
            }
        }
        for index in moment.indices { moment[index] = products[index] }
        for index in biasMoments.indices { biasMoments[index] = 0 }
        if hasSolution { addBiasRotations() }
    }

    private mutating func addBiasRotations() {
        let (count, weights, fields, slots) = (count, weights.values, fields, slots)
        let (rotations, drifts) = (rotations, drifts)
        for index in 0..<count {
            let field = toEarth(index, corrected(index))
            // The derivative of the field with respect to the drift angle. The sign is negative, because the drift is
            // subtracted.
            let (east, north) = (field.y, -field.x)
            let square = east * east + north * north
            let sample = SIMD4(fields[index], 1)
            let sums = Self.windowStride * slots[index] + 37
            let base = 9 * index
            var inDevice = SIMD3<Double>.zero
            for r in 0..<3 { inDevice[r] = rotations[base + r] * east + rotations[base + 3 + r] * north }
            for k in 0..<3 {
                let part = weights[index] * drifts[index][k]
                windowSums[sums + k] += part * east
                windowSums[sums + 3 + k] += part * north
                for r in 0..<3 {
                    let scaled = part * inDevice[r]
                    for l in 0..<4 { biasMoments[Self.unknowns * k + 4 * r + l] += scaled * sample[l] }
                }
                for l in 0...k { biasMoments[Self.unknowns * k + 12 + l] += part * drifts[index][l] * square }
            }
        }
    }

    private mutating func addPrior() {
        let stretch = 1 / (Self.softIronDeviation * Self.softIronDeviation)
        let rotation = 1 / (Self.rotationDeviation * Self.rotationDeviation)
        for row in 0..<3 {
            system[12 + row, 12 + row] += 1 / (Self.biasDeviation * Self.biasDeviation)
            system[5 * row, 5 * row] += stretch
            // This small term ensures that the system can be solved.
            system[4 * row + 3, 4 * row + 3] += 1e-4
            for column in 0..<row {
                let (a, b) = (4 * row + column, 4 * column + row)
                system[a, a] += (stretch + rotation) / 2
                system[b, b] += (stretch + rotation) / 2
                system[max(a, b), min(a, b)] += (stretch - rotation) / 2
            }
        }
    }
}
