// SPDX-License-Identifier: Apache-2.0

/// Fits the correction that gives all readings of a magnetometer the same length. Without attitudes, nothing else is
/// known about the field.
///
/// Minimizes the sum of (|W·(m - o)| - f)² over a symmetric W with a fixed trace, the hard iron o and the strength f.
/// The Levenberg–Marquardt method is used, starting from the best-fitting sphere. A prior, which keeps W near the
/// identity, determines the parameters that the samples do not. The result is always an ellipsoid. The lengths do not
/// reveal whether W contains a rotation, so the sensor axes must be aligned with the device axes.
struct EllipsoidFit: Sendable {
    /// The prior standard deviation of each element of W.
    static let softIronDeviation = 0.15
    /// The number of occupied cells that together count as one independent sample.
    static let cellsPerIndependentSample = 3.0

    private var count = 0
    private var fields: [SIMD3<Double>]
    private var weights: SampleWeights
    /// Scratch memory for the samples' errors. Each function that uses the errors computes them first. Arrays are
    /// copied element by element, because after an assignment the next change would allocate memory.
    private var errors: [Double]
    private var system = PositiveSystem(size: 9)
    private var sphere = PositiveSystem(size: 4)
    private var sphereSolution = [0.0, 0, 0, 0]
    /// The elements xx, yy, xy, xz and yz of W (zz follows from the trace), the hard iron and the strength.
    private var solution = [Double](repeating: 0, count: 9)
    private var trial = [Double](repeating: 0, count: 9)
    private var gradient = [Double](repeating: 0, count: 9)
    private var slope = [Double](repeating: 0, count: 9)
    private var normal = [Double](repeating: 0, count: 81)
    private var scale = FieldScale()

    init(capacity: Int) {
        fields = [SIMD3<Double>](repeating: .zero, count: capacity)
        weights = SampleWeights(capacity: capacity)
        errors = [Double](repeating: 0, count: capacity)
    }

    /// Returns a fit in which each occupied cell has the same weight, or nil if the samples do not determine a fit.
    mutating func fit(_ samples: [MagneticSample], counts: [Int], current: MagneticCalibration) -> MagneticFit? {
        guard load(samples, counts), startWithSphere() else { return nil }
        for _ in 0..<6 {
            for index in 0..<count { errors[index] = error(index, solution) }
            // 0.6745 is the median of the absolute value of a standard normal variable.
            weights.updateDeviation(errors[..<count], median: 0.6745)
            weights.update(errors[..<count])
            guard refine() else { break }
        }
        guard solution.allSatisfy(\.isFinite), solution[8] > 0 else { return nil }
        return result(current: current)
    }

    private mutating func load(_ samples: [MagneticSample], _ counts: [Int]) -> Bool {
        count = min(samples.count, errors.count)
        // The minimum is the number of unknowns plus three. The calibrator passes at least 30 samples.
        guard count >= 12, let scale = FieldScale(samples.prefix(count)) else { return false }
        self.scale = scale
        for index in 0..<count {
            fields[index] = scale.scaled(samples[index].field)
            let cell = samples[index].cell
            weights.base[index] = 1 / Double(counts.indices.contains(cell) ? max(counts[cell], 1) : 1)
        }
        return true
    }

    /// Fits a sphere by linear least squares: |x|² = 2 o·x + (f² - |o|²).
    private mutating func startWithSphere() -> Bool {
        sphere.clear()
        for index in 0..<4 { sphereSolution[index] = 0 }
        for index in 0..<count {
            let (x, y, z) = (fields[index].x, fields[index].y, fields[index].z)
            (slope[0], slope[1], slope[2], slope[3]) = (x, y, z, 1)
            let square = x * x + y * y + z * z
            for row in 0..<4 {
                for column in 0...row { sphere[row, column] += weights.base[index] * slope[row] * slope[column] }
                sphereSolution[row] += weights.base[index] * slope[row] * square
            }
        }
        // Samples in a plane do not determine the offset perpendicular to the plane. This term selects the smallest
        // offset.
        for index in 0..<3 { sphere[index, index] += 1e-6 }
        guard sphere.factorize() else { return false }
        sphere.solve(&sphereSolution)
        let (a, b, c) = (sphereSolution[0] / 2, sphereSolution[1] / 2, sphereSolution[2] / 2)
        let square = sphereSolution[3] + a * a + b * b + c * c
        guard square > 0, square.isFinite else { return false }
        for index in 0..<9 { solution[index] = index < 2 ? 1 : 0 }
        (solution[5], solution[6], solution[7], solution[8]) = (a, b, c, square.squareRoot())
        return true
    }

    private typealias Triple = (Double, Double, Double)

    private func corrected(_ index: Int, _ p: [Double]) -> (Triple, Triple) {
        let (x, y, z) = (fields[index].x - p[5], fields[index].y - p[6], fields[index].z - p[7])
        let last = 3 - p[0] - p[1]
        return (
            (x, y, z),
            (p[0] * x + p[2] * y + p[3] * z, p[2] * x + p[1] * y + p[4] * z, p[3] * x + p[4] * y + last * z)
        )
    }

    private func error(_ index: Int, _ p: [Double]) -> Double {
        let (_, (u, v, w)) = corrected(index, p)
        return (u * u + v * v + w * w).squareRoot() - p[8]
    }

    /// The inverse variance of a sample, reduced because samples in neighbouring cells are not independent.
    private var information: Double { 1 / (weights.deviation * weights.deviation * Self.cellsPerIndependentSample) }

    private func cost(_ p: [Double]) -> Double {
        var sum = 0.0
        for index in 0..<count {
            let error = error(index, p)
            sum += weights.values[index] * error * error
        }
        return sum * information + Self.priorCost(p)
    }

    private static func priorCost(_ p: [Double]) -> Double {
        let (a, b, c) = (p[0] - 1, p[1] - 1, 1 - p[0] - p[1] + 1)  // zz - 1, rounded unlike 2 - p[0] - p[1]
        return (a * a + b * b + c * c + 2 * (p[2] * p[2] + p[3] * p[3] + p[4] * p[4]))
            / (softIronDeviation * softIronDeviation)
    }

    /// Performs at most eight damped steps with the current weights, until the cost no longer decreases. Returns false
    /// if the system is singular.
    private mutating func refine() -> Bool {
        var damping = 1e-4
        var present = cost(solution)
        for _ in 0..<8 {
            linearize()
            var improved = false
            for _ in 0..<8 {
                system.clear()
                for row in 0..<9 {
                    for column in 0...row { system[row, column] = normal[9 * row + column] }
                    system[row, row] *= 1 + damping
                }
                guard system.factorize() else { return false }
                for index in 0..<9 { trial[index] = gradient[index] }
                system.solve(&trial)
                for index in 0..<9 { trial[index] += solution[index] }
                let next = cost(trial)
                if next <= present, trial[8] > 0, Self.isPositive(trial) {
                    improved = present - next > 1e-10 * present
                    for index in 0..<9 { solution[index] = trial[index] }
                    present = next
                    damping *= 0.2
                    break
                }
                damping *= 6
            }
            if !improved { break }
        }
        return true
    }

    /// Computes the lower triangle of the normal matrix and the negative gradient at the current solution.
    private mutating func linearize() {
        for index in normal.indices { normal[index] = 0 }
        for index in gradient.indices { gradient[index] = 0 }
        let p = solution
        let last = 3 - p[0] - p[1]
        for index in 0..<count {
            var ((x, y, z), (u, v, w)) = corrected(index, p)
            let length = (u * u + v * v + w * w).squareRoot()
            guard length > 1e-12 else { continue }
            (u, v, w) = (u / length, v / length, w / length)
            slope[0] = u * x - w * z
            slope[1] = v * y - w * z
            slope[2] = u * y + v * x
            slope[3] = u * z + w * x
            slope[4] = v * z + w * y
            slope[5] = -(p[0] * u + p[2] * v + p[3] * w)
            slope[6] = -(p[2] * u + p[1] * v + p[4] * w)
            slope[7] = -(p[3] * u + p[4] * v + last * w)
            slope[8] = -1
            let weight = weights.values[index] * information
            let error = length - p[8]
            for row in 0..<9 {
                let weighted = weight * slope[row]
                for column in 0...row { normal[9 * row + column] += weighted * slope[column] }
                gradient[row] -= weighted * error
            }
        }
        let prior = 1 / (Self.softIronDeviation * Self.softIronDeviation)
        normal[0] += 2 * prior
        normal[10] += 2 * prior
        normal[9] += prior
        gradient[0] -= prior * (p[0] - 1 - (2 - p[0] - p[1]))
        gradient[1] -= prior * (p[1] - 1 - (2 - p[0] - p[1]))
        for index in 2..<5 {
            normal[10 * index] += 2 * prior
            gradient[index] -= 2 * prior * p[index]
        }
        // This small term ensures that the system can be solved.
        for index in 5..<9 { normal[10 * index] += 1e-4 }
    }

    /// Returns whether the symmetric matrix is positive definite and not nearly singular. The limit for nearly singular
    /// matrices only guides the search, because ``MagneticFit/calibration(coverage:)`` rejects determinants up to 0.05.
    private static func isPositive(_ p: [Double]) -> Bool {
        let last = 3 - p[0] - p[1]
        let second = p[0] * p[1] - p[2] * p[2]
        let third =
            p[0] * (p[1] * last - p[4] * p[4]) - p[2] * (p[2] * last - p[4] * p[3])
            + p[3] * (p[2] * p[4] - p[1] * p[3])
        return p[0] > 0 && second > 0 && third > 0.01
    }

    private mutating func result(current: MagneticCalibration) -> MagneticFit {
        let p = solution
        var fit = MagneticFit()
        fit.matrix = Matrix3(row0: [p[0], p[2], p[3]], row1: [p[2], p[1], p[4]], row2: [p[3], p[4], 3 - p[0] - p[1]])
        fit.shift = -(fit.matrix * scale.field(SIMD3(p[5], p[6], p[7])))
        fit.strength = p[8] * scale.unit
        for index in 0..<count { errors[index] = error(index, p) }
        fit.residual = weights.rootMeanSquare(errors[..<count]) / p[8]
        fit.uncertainty = uncertainty()
        fit.currentResidual = residual(of: current)
        return fit
    }

    /// Returns the residual of another correction for the same samples, relative to the fit's field strength. The
    /// residual is computed with the field strength that best suits the other correction.
    private mutating func residual(of other: MagneticCalibration) -> Double {
        var (sum, total) = (0.0, 0.0)
        for index in 0..<count {
            errors[index] = other.apply(to: scale.field(fields[index])).length / scale.unit
            sum += weights.values[index] * errors[index]
            total += weights.values[index]
        }
        let strength = sum / total
        for index in 0..<count { errors[index] -= strength }
        return weights.rootMeanSquare(errors[..<count]) / solution[8]
    }

    /// Computes ``MagneticFit/uncertainty`` for W near the identity. The variance of each element of W is multiplied by
    /// the mean square of a field component, which is a third of the squared strength. Off-diagonal elements count
    /// twice, because W is symmetric. xx and yy also count twice, because zz is 3 - xx - yy.
    private mutating func uncertainty() -> Double {
        linearize()
        system.clear()
        for row in 0..<9 { for column in 0...row { system[row, column] = normal[9 * row + column] } }
        guard system.factorize() else { return .infinity }
        let square = solution[8] * solution[8]
        var sum = 0.0
        var covariance = 0.0
        for index in 0..<8 {
            for k in 0..<9 { trial[k] = k == index ? 1 : 0 }
            system.solve(&trial)
            sum += index < 5 ? 2 * trial[index] * square / 3 : trial[index]
            if index == 1 { covariance = trial[0] }
        }
        // The variance of zz also contains twice the covariance of xx and yy.
        sum += 2 * covariance * square / 3
        let relative = sum / 3 / square  // per component of the field
        return relative.isFinite ? max(relative, 0).squareRoot() : .infinity
    }
}
