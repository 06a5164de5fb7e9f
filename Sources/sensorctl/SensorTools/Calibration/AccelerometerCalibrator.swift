// SPDX-License-Identifier: Apache-2.0

package import SensorFusion

/// Computes the offset, scale and cross-axis terms of an accelerometer from six poses at rest.
///
/// Pass every reading to ``update(_:timestamp:)``. The calibrator detects whether the device is at rest, and in which
/// pose. Readings are proper acceleration in m/s²: at rest, an axis that points up reads +9.81. Readings and poses
/// refer to the same axes.
///
/// The device need not be exactly level. A small tilt hardly changes the reading of the vertical axis, which determines
/// the offset and scale. The accuracy of the cross-axis terms depends on how well the device's edges are aligned with
/// the table.
package struct AccelerometerCalibrator: Sendable {
    package enum State: Sendable, Hashable {
        /// The device is moving. The user must place it in one of the missing poses.
        case moving
        /// The device is at rest in a missing pose. `progress` is the elapsed fraction of the required time, 0...1.
        case measuring(DevicePose, progress: Double)
        /// The device is at rest in a pose that has already been measured. The user must turn the device.
        case poseDone(DevicePose)
        /// The device is at rest, but no axis is vertical.
        case slanted
        case complete
    }

    /// Local gravity, in m/s².
    package let gravity: Double

    private var average: StillAverage
    private var poses: [DevicePose: SIMD3<Double>] = [:]

    /// Creates a calibrator. A reading that deviates from the mean by more than `limit`, in m/s², counts as movement.
    /// `duration` is the required time at rest in each pose, in seconds. The default gravity is standard gravity, which
    /// differs from local gravity by at most 0.3 %.
    package init(gravity: Double = 9.80665, duration: Double = 1.5, limit: Double = 0.4) {
        self.gravity = gravity.isFinite && gravity > 1 ? gravity : 9.80665
        average = StillAverage(limit: limit, duration: duration)
    }

    /// Processes a reading in m/s² with its timestamp in seconds. Returns the pose that this reading completes, if any.
    /// If a pose is measured again, the new measurement replaces the old one. Ignores a reading whose magnitude is 1000
    /// m/s² or more, or not finite.
    @discardableResult package mutating func update(_ acceleration: SIMD3<Double>, timestamp: Double) -> DevicePose? {
        guard acceleration.isFinite, acceleration.length < 1e3 else { return nil }
        let wasComplete = average.isComplete
        average.update(acceleration, timestamp: timestamp)
        guard average.isComplete, let pose = pose else { return nil }
        poses[pose] = average.mean
        return wasComplete ? nil : pose
    }

    package var state: State {
        if missingPoses.isEmpty { return .complete }
        guard average.count > 1, average.progress > 0.1 else { return .moving }
        guard let pose else { return .slanted }
        return poses[pose] == nil ? .measuring(pose, progress: average.progress) : .poseDone(pose)
    }

    package var missingPoses: [DevicePose] { DevicePose.allCases.filter { poses[$0] == nil } }

    /// The calibration, or nil until all six poses have been measured. Also nil if the readings are implausible: no
    /// matrix can be computed, or its determinant is not between 0.1 and 10.
    package var calibration: AccelerometerCalibration? {
        guard missingPoses.isEmpty else { return nil }
        let rows = (0..<3).compactMap(row)
        guard rows.count == 3 else { return nil }
        var result = AccelerometerCalibration()
        let matrix = rows.map { SIMD3($0.x, $0.y, $0.z) }
        result.matrix = Matrix3(row0: matrix[0], row1: matrix[1], row2: matrix[2])
        let volume = result.matrix.determinant
        guard volume > 0.1, volume < 10 else { return nil }
        result.offset = -result.matrix.solveScaled(SIMD3(rows[0].w, rows[1].w, rows[2].w)) / volume
        var squares = 0.0
        for pose in DevicePose.allCases {
            let corrected = result.apply(to: poses[pose] ?? .zero)
            let error = corrected.length - gravity
            squares += error * error
            result.tilt = max(result.tilt, Self.angle(corrected, pose.up))
        }
        result.residual = (squares / 6).squareRoot()
        return result
    }

    package mutating func reset() {
        average.restart()
        poses.removeAll(keepingCapacity: true)
    }

    private var pose: DevicePose? {
        let length = average.mean.length
        guard length > gravity / 2, length < gravity * 1.5 else { return nil }
        return DevicePose(acceleration: average.mean)
    }

    /// Solves for one row of the matrix and one component of the offset by weighted least squares.
    private func row(_ axis: Int) -> SIMD4<Double>? {
        var system = PositiveSystem(size: 4)
        var right = [0.0, 0, 0, 0]
        for (pose, reading) in poses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let target = pose.up[axis] * gravity
            let x = [reading.x / gravity, reading.y / gravity, reading.z / gravity, 1]
            // A tilt of 1° changes the reading of a horizontal axis by 0.17 m/s², but that of the vertical axis by only
            // 0.0015 m/s². Horizontal axes are therefore given little weight.
            let weight = pose.up[axis] == 0 ? 1e-4 : 1
            for row in 0..<4 {
                for column in 0...row { system[row, column] += weight * x[row] * x[column] }
                right[row] += weight * x[row] * target / gravity
            }
        }
        guard system.factorize() else { return nil }
        system.solve(&right)
        return SIMD4(right[0], right[1], right[2], right[3] * gravity)
    }

    private static func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        // The sine approximates small angles.
        let lengths = a.length * b.length
        guard lengths > 0 else { return 0 }
        return Quaternion.cross(a, b).length / lengths
    }
}

/// A correction for accelerometer readings. A corrected reading is matrix · (measured - offset).
package struct AccelerometerCalibration: Sendable, Hashable {
    package var matrix = Matrix3.identity
    /// The sensor's reading at zero acceleration, in m/s².
    package var offset = SIMD3<Double>.zero
    /// The root-mean-square difference between the corrected magnitudes and gravity, in m/s².
    package var residual = 0.0
    /// The largest angle between a corrected reading and the nominal direction of its pose, in radians.
    package var tilt = 0.0

    package init() {}

    package var scale: SIMD3<Double> { SIMD3(matrix.row0.x, matrix.row1.y, matrix.row2.z) }

    package func apply(to measured: SIMD3<Double>) -> SIMD3<Double> { matrix * (measured - offset) }
}
