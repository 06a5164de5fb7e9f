// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The evaluation of a fit, after the last `solve()`.
extension AttitudeAidedFit {
    /// Evaluates the solution and then replaces it with the current correction, so it must be the last step of a fit.
    mutating func result(current: MagneticCalibration) -> MagneticFit {
        var fit = MagneticFit()
        fit.matrix = Matrix3(row0: SIMD3(solution[0...2]), row1: SIMD3(solution[4...6]), row2: SIMD3(solution[8...10]))
        fit.shift = SIMD3(solution[3], solution[7], solution[11]) * scale.unit - fit.matrix * scale.center
        fit.latency = latency
        updateResiduals()
        weights.update(lengths[..<count])
        fit.newestWeight = newestWeight
        let (strength, dip) = meanField()
        fit.strength = strength * scale.unit
        fit.dip = dip
        fit.residual = weights.rootMeanSquare(lengths[..<count], components: 3) / strength
        fit.uncertainty = uncertainty(of: fit, strength: strength)
        fit.bias = bias
        let uncertainty = headingUncertainty(of: fit, strength: strength)
        fit.headingUncertainty = uncertainty
        fit.headingDeviation = meanDeviation(uncertainty)
        let candidateFields = windowFields
        // For comparison, the current correction is evaluated with the fit's weights and delay. Its residual is divided
        // by the fit's field strength, because its own field strength may be wrong.
        setSolution(current.matrix, -(current.matrix * current.hardIron))
        fit.headingChange = headingChange(from: candidateFields)
        updateResiduals()
        fit.currentResidual = weights.rootMeanSquare(lengths[..<count], components: 3) / strength
        return fit
    }

    /// The total weight of the samples in the newest window, as a fraction of their total weight in a perfect fit. It
    /// is 1 if there are too few samples.
    private var newestWeight: Double {
        var (sum, total, number) = (0.0, 0.0, 0)
        for index in 0..<count where slots[index] == newestSlot {
            sum += weights.values[index]
            total += weights.base[index]
            number += 1
        }
        return number < Self.minimumSamplesPerWindow ? 1 : sum / total
    }

    /// Returns the sequence number from which the newest window's samples no longer fit, or nil if the window has no
    /// samples.
    func firstChangedNumber(_ samples: [MagneticSample]) -> Int64? {
        let newest = (0..<min(count, samples.count)).filter { slots[$0] == newestSlot }
            .sorted { samples[$0].sequenceNumber < samples[$1].sequenceNumber }
        guard let first = newest.first else { return nil }
        // Finds the position that maximizes the number of inliers before it plus the number of outliers after it.
        var score = newest.count { !isInlier($0) }
        var best = (score: score, number: samples[first].sequenceNumber)
        for (position, index) in newest.enumerated().dropLast() {
            score += isInlier(index) ? 1 : -1
            if score > best.score { best = (score, samples[newest[position + 1]].sequenceNumber) }
        }
        return best.number
    }

    private func isInlier(_ index: Int) -> Bool { weights.values[index] > 0.5 * weights.base[index] }

    /// Returns the heading uncertainty, computed from the covariance of the correction parameters under the constraint
    /// that the trace of the soft-iron matrix is fixed.
    private mutating func headingUncertainty(of fit: MagneticFit, strength: Double) -> HeadingUncertainty {
        let traceInformation = traceSolution[0] + traceSolution[5] + traceSolution[10]
        var uncertainty = HeadingUncertainty(scale: scale, matrix: fit.matrix, shift: fit.shift)
        for row in 0..<12 {
            for index in probe.indices { probe[index] = index == row ? 1 : 0 }
            system.solve(&probe)
            for column in 0...row {
                uncertainty.set(
                    row, column, probe[column] - traceSolution[row] * traceSolution[column] / traceInformation)
            }
        }
        uncertainty.attitudeDeviation = unobservableDeviation(strength: strength)
        return uncertainty
    }

    /// Returns the standard deviation that attitude errors cause in the corrected field (see
    /// ``HeadingUncertainty/attitudeDeviation``).
    ///
    /// The hard iron along a device direction can be determined only if the direction rotates. If the direction has
    /// hardly rotated, most of its apparent rotation is an attitude error, and the correction along this direction may
    /// be wrong.
    private func unobservableDeviation(strength: Double) -> Matrix3 {
        let noise = Self.attitudeNoise * Self.attitudeNoise
        let shift = SIMD3(solution[3], solution[7], solution[11])
        let factor = noise * max(strength, shift.length)
        var matrix = spread
        // This term keeps the matrix nonsingular.
        matrix.row0.x += noise / 10
        matrix.row1.y += noise / 10
        matrix.row2.z += noise / 10
        let volume = matrix.determinant
        let (x, y, z) = (matrix.solveScaled([1, 0, 0]), matrix.solveScaled([0, 1, 0]), matrix.solveScaled([0, 0, 1]))
        return Matrix3(row0: x, row1: y, row2: z) * (factor / volume)
    }

    private func meanDeviation(_ uncertainty: HeadingUncertainty) -> Double {
        var (sum, total) = (0.0, 0.0)
        for index in stride(from: 0, to: count, by: max(1, count / 64)) {
            let base = 9 * index
            let east = SIMD3(rotations[base], rotations[base + 1], rotations[base + 2])
            let north = SIMD3(rotations[base + 3], rotations[base + 4], rotations[base + 5])
            sum += weights.base[index] * uncertainty.headingVariance(scaled: fields[index], east: east, north: north)
            total += weights.base[index]
        }
        return (sum / total).squareRoot()
    }

    /// Returns the root mean square of the horizontal angles between the candidate's fields and the corrected readings.
    private func headingChange(from candidateFields: [SIMD3<Double>]) -> Double {
        var (sum, total) = (0.0, 0.0)
        for index in 0..<count {
            let (field, other) = (candidateFields[slots[index]], toEarth(index, corrected(index)))
            let angle = atan2(field.x * other.y - field.y * other.x, field.x * other.x + field.y * other.y)
            sum += weights.base[index] * angle * angle
            total += weights.base[index]
        }
        return (sum / total).squareRoot()
    }

    private func meanField() -> (strength: Double, dip: Double) {
        var (total, strength, horizontal, up) = (0.0, 0.0, 0.0, 0.0)
        for slot in 0..<Self.windowLimit where windowSums[Self.windowStride * slot] > 0 {
            let weight = windowSums[Self.windowStride * slot]
            let (x, y, z) = (windowFields[slot].x, windowFields[slot].y, windowFields[slot].z)
            total += weight
            strength += weight * (x * x + y * y + z * z).squareRoot()
            horizontal += weight * (x * x + y * y).squareRoot()
            up += weight * z
        }
        return (strength / total, atan2(-up, horizontal))
    }

    /// Returns the standard deviation of the corrected field, averaged over all directions and relative to the field
    /// strength. Uses the system that the last `solve()` factorized.
    private mutating func uncertainty(of fit: MagneticFit, strength: Double) -> Double {
        let volume = fit.matrix.determinant
        guard volume > 0.05 else { return .infinity }
        let hardIron = -fit.matrix.solveScaled(SIMD3(solution[3], solution[7], solution[11])) / volume
        let traceInformation = traceSolution[0] + traceSolution[5] + traceSolution[10]
        var sum = 0.0
        for row in 0..<3 {
            for k in 0..<4 {
                for index in probe.indices { probe[index] = 0 }
                // The first three probes each select one element of a matrix row. The fourth probe evaluates the whole
                // row at the hard iron, where the corrected field is zero.
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
