// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SensorFusion

/// Estimates the mount matrix of a sensor from accelerometer readings in known poses.
///
/// Two poses in which different axes are vertical are sufficient. Measuring opposite poses cancels the sensor's offset.
/// The result is always a rotation (orthonormal, determinant +1). It maps the measured directions to the expected
/// directions with the least squared error (Wahba's problem, solved by Davenport's q-method).
///
/// Most sensors are soldered parallel to the device's edges. Therefore, a result within `rightAngleLimit` of one of the
/// 24 right-angle rotations is replaced with that rotation.
package struct MountMatrixFinder: Sendable {
    package enum Problem: Error, Hashable {
        /// Too few axes were measured. A reading in any of the listed poses adds a missing axis.
        case missingPoses([DevicePose])
        /// The poses contradict each other. Either the user chose a wrong pose, or the device moved. `angle` is the
        /// root-mean-square error, in radians.
        case contradictory(angle: Double)
        /// The sensor's axes are mirrored, which no rotation can correct. The driver reports one axis with the wrong
        /// sign.
        case mirrored
    }

    /// The maximum angle between the measured rotation and the right-angle rotation that replaces it, in radians.
    package let rightAngleLimit: Double

    private var readings: [DevicePose: SIMD3<Double>] = [:]

    /// Creates a finder. `rightAngleLimit` is in radians. If it is 0, the measured rotation is kept.
    package init(rightAngleLimit: Double = 0.21) { self.rightAngleLimit = rightAngleLimit }

    /// Adds the mean accelerometer reading of a pose at rest, in any unit and in the sensor's own axes. Returns false
    /// unless the reading's magnitude is finite, greater than zero and less than 1e9.
    @discardableResult package mutating func add(_ acceleration: SIMD3<Double>, pose: DevicePose) -> Bool {
        guard acceleration.isFinite, acceleration.length > 0, acceleration.length < 1e9 else { return false }
        readings[pose] = acceleration
        return true
    }

    package var poses: [DevicePose] { DevicePose.allCases.filter { readings[$0] != nil } }

    /// The suggested poses for the next measurement, one for each axis without a reading. Empty once two axes have been
    /// measured.
    package var missingPoses: [DevicePose] {
        let measuredPoses = poses
        guard measuredAxes < 2 else { return [] }
        return [DevicePose.faceUp, .topEdgeUp, .rightEdgeUp].filter { wanted in
            !measuredPoses.contains { ($0.up * wanted.up).sum() != 0 }
        }
    }

    /// The reason there is no ``estimate``, or nil if there is one.
    package var problem: Problem? { if case .failure(let problem) = outcome { problem } else { nil } }

    package var estimate: MountEstimate? { try? outcome.get() }

    package mutating func reset() { readings.removeAll(keepingCapacity: true) }
}

extension MountMatrixFinder {
    private var measuredAxes: Int {
        let measuredPoses = poses
        return (0..<3).filter { axis in measuredPoses.contains { $0.up[axis] != 0 } }.count
    }

    /// The largest root-mean-square error, in radians, that is plausible for a device placed on a table by hand.
    private static let maximumResidual = 0.35

    private var outcome: Result<MountEstimate, Problem> {
        let missing = missingPoses
        guard missing.isEmpty else { return .failure(.missingPoses(missing)) }
        let offset = self.offset
        let pairs = poses.compactMap { pose -> (measured: SIMD3<Double>, expected: SIMD3<Double>)? in
            guard let reading = readings[pose] else { return nil }
            let centered = reading - offset
            return centered.length > 0 ? (centered / centered.length, pose.up) : nil
        }
        let q = Self.rotation(pairs)
        let residual = Self.residual(q, pairs)
        if residual > Self.maximumResidual {
            // If the readings fit well with inverted signs, the sensor's axes are mirrored. This test requires readings
            // on all three axes.
            let mirrored = pairs.map { (-$0.measured, $0.expected) }
            if measuredAxes == 3, Self.residual(Self.rotation(mirrored), mirrored) < Self.maximumResidual {
                return .failure(.mirrored)
            }
            return .failure(.contradictory(angle: residual))
        }
        return .success(estimate(q, residual: residual))
    }

    /// The sensor's offset, which is its reading at zero acceleration. It is known only along axes whose two opposite
    /// poses were both measured. Along other axes, it is assumed to be zero.
    private var offset: SIMD3<Double> {
        var sum = SIMD3<Double>.zero
        var pairs = 0.0
        for pose in [DevicePose.faceUp, .topEdgeUp, .rightEdgeUp] {
            guard let up = readings[pose],
                let down = DevicePose.allCases.first(where: { $0.up == -pose.up }).flatMap({ readings[$0] })
            else { continue }
            // If the table is sloped, the mean of the two readings contains an error. Only the component of the mean
            // along the measured axis is reliable.
            let axis = up - down
            let length = axis.length
            guard length > 0 else { continue }
            let mean: SIMD3<Double> = (up + down) / 2
            let along: Double = (mean * axis).sum() / (length * length)
            sum += along * axis
            pairs += 1
        }
        return pairs > 0 ? sum : .zero
    }

    /// Returns the rotation that maps the measured directions to the expected directions with the least squared error.
    private static func rotation(_ pairs: [(measured: SIMD3<Double>, expected: SIMD3<Double>)]) -> Quaternion {
        var matrix = [Double](repeating: 0, count: 16)
        for (a, b) in pairs {
            // Adds the scalar product of b and q·a·q* as a quadratic form in q = (x, y, z, w).
            let dot = (a * b).sum()
            let cross = Quaternion.cross(a, b)
            for row in 0..<3 {
                for column in 0..<3 {
                    matrix[4 * row + column] += a[row] * b[column] + a[column] * b[row] - (row == column ? dot : 0)
                }
                matrix[4 * row + 3] += cross[row]
                matrix[12 + row] += cross[row]
            }
            matrix[15] += dot
        }
        return largestEigenvector(&matrix)
    }

    /// Returns the eigenvector of the largest eigenvalue of a symmetric 4×4 matrix, using Jacobi's method.
    private static func largestEigenvector(_ a: inout [Double]) -> Quaternion {
        var vectors = [Double](repeating: 0, count: 16)
        for index in 0..<4 { vectors[5 * index] = 1 }
        for _ in 0..<30 {
            for p in 0..<3 {
                for q in (p + 1)..<4 where abs(a[4 * p + q]) > 1e-300 {
                    let theta = (a[5 * q] - a[5 * p]) / (2 * a[4 * p + q])
                    let t = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
                    let c = 1 / (t * t + 1).squareRoot()
                    let s = t * c
                    for k in 0..<4 {
                        let (x, y) = (a[4 * k + p], a[4 * k + q])
                        (a[4 * k + p], a[4 * k + q]) = (c * x - s * y, s * x + c * y)
                    }
                    for k in 0..<4 {
                        let (x, y) = (a[4 * p + k], a[4 * q + k])
                        (a[4 * p + k], a[4 * q + k]) = (c * x - s * y, s * x + c * y)
                        let (u, v) = (vectors[4 * k + p], vectors[4 * k + q])
                        (vectors[4 * k + p], vectors[4 * k + q]) = (c * u - s * v, s * u + c * v)
                    }
                }
            }
        }
        var best = 0
        for index in 1..<4 where a[5 * index] > a[5 * best] { best = index }
        return Quaternion(x: vectors[best], y: vectors[4 + best], z: vectors[8 + best], w: vectors[12 + best])
            .normalized
    }

    private static func residual(
        _ q: Quaternion, _ pairs: [(measured: SIMD3<Double>, expected: SIMD3<Double>)]
    ) -> Double {
        // Approximates the angle between two unit vectors by the distance between them. Unlike the sine, the distance
        // keeps increasing beyond 90°.
        let squares = pairs.reduce(0) { $0 + (q.rotate($1.measured) - $1.expected).squaredLength }
        return pairs.isEmpty ? 0 : (squares / Double(pairs.count)).squareRoot()
    }

    private func estimate(_ q: Quaternion, residual: Double) -> MountEstimate {
        let columns = (q.rotate([1, 0, 0]), q.rotate([0, 1, 0]), q.rotate([0, 0, 1]))
        let matrix = Matrix3(
            row0: SIMD3(columns.0.x, columns.1.x, columns.2.x), row1: SIMD3(columns.0.y, columns.1.y, columns.2.y),
            row2: SIMD3(columns.0.z, columns.1.z, columns.2.z))
        var estimate = MountEstimate(matrix: matrix, isRightAngled: false, angleFromRightAngles: 0, residual: residual)
        var best = (trace: -Double.infinity, matrix: matrix)
        for first in DevicePose.allCases.map(\.up) {
            for second in DevicePose.allCases.map(\.up) where (first * second).sum() == 0 {
                let third = Quaternion.cross(first, second)
                let trace = (matrix.row0 * first).sum() + (matrix.row1 * second).sum() + (matrix.row2 * third).sum()
                if trace > best.trace { best = (trace, Matrix3(row0: first, row1: second, row2: third)) }
            }
        }
        // The angle follows from the squared distance between the matrices: 6 - 2·trace = 8·sin²(angle / 2).
        estimate.angleFromRightAngles = 2 * asin((max(0, 3 - best.trace) / 4).squareRoot())
        if estimate.angleFromRightAngles <= rightAngleLimit {
            estimate.matrix = best.matrix
            estimate.isRightAngled = true
        }
        return estimate
    }
}

/// The estimated orientation of a sensor relative to its device.
package struct MountEstimate: Sendable, Hashable {
    /// The rotation from the sensor's axes to the device's axes.
    package var matrix: Matrix3
    /// True if the sensor's axes are parallel to the device's axes: each row contains a single 1 or -1.
    package var isRightAngled: Bool
    /// The angle between the measured rotation and the nearest right-angle rotation, in radians.
    package var angleFromRightAngles: Double
    /// The root mean square of the angles between measured and expected directions, in radians.
    package var residual: Double
}
