// SPDX-License-Identifier: Apache-2.0

package import SensorFusion

/// Finds an accelerometer's offset, scale and cross terms from six still poses.
///
/// Feed it with every reading; it notices by itself when the device stands still and in which pose. Readings are proper
/// acceleration in m/s² (+9.81 on the axis that points up), in whatever axes the caller has: the poses are meant in
/// the same axes.
///
/// How level the device stood hardly matters for offset and scale, which come from the axis that points up or down.
/// Cross terms come from the other axes and are as good as the device's edges are square to the table.
package struct AccelerometerCalibrator: Sendable {
    /// What to do next.
    package enum State: Sendable, Hashable {
        /// It moves: put it into one of the missing poses.
        case moving
        /// It stands still in a missing pose; that part of the time needed has passed, 0 ... 1.
        case measuring(DevicePose, progress: Double)
        /// It stands still in a pose that is done: turn it into another.
        case poseDone(DevicePose)
        /// It stands still, but no axis points up or down.
        case slanted
        /// All six poses are done.
        case complete
    }

    /// Gravity at this place, m/s².
    package let gravity: Double

    private var average: StillAverage
    private var poses: [DevicePose: SIMD3<Double>] = [:]

    /// - Parameters:
    ///   - gravity: At this place, m/s²; the standard value is at most 0.3 % wrong.
    ///   - duration: Seconds of standing still for a pose.
    ///   - limit: How far a reading may be from the mean, m/s².
    package init(gravity: Double = 9.80665, duration: Double = 1.5, limit: Double = 0.4) {
        self.gravity = gravity.isFinite && gravity > 1 ? gravity : 9.80665
        average = StillAverage(limit: limit, duration: duration)
    }

    /// Takes a reading in m/s²; the time stamp in seconds.
    ///
    /// - Returns: The pose that was completed by this reading, if any. A pose that is done is measured again when the
    ///   device comes back to it; the later measurement counts.
    @discardableResult
    package mutating func update(_ acceleration: SIMD3<Double>, timestamp: Double) -> DevicePose? {
        guard acceleration.isFinite, acceleration.length < 1e3 else { return nil }
        let wasComplete = average.isComplete
        average.update(acceleration, timestamp: timestamp)
        guard average.isComplete, let pose = pose else { return nil }
        poses[pose] = average.mean
        return wasComplete ? nil : pose
    }

    /// What happens now, and so what to tell the user.
    package var state: State {
        if missingPoses.isEmpty { return .complete }
        guard average.count > 1, average.progress > 0.1 else { return .moving }
        guard let pose else { return .slanted }
        return poses[pose] == nil ? .measuring(pose, progress: average.progress) : .poseDone(pose)
    }

    /// The poses that are still needed.
    package var missingPoses: [DevicePose] { DevicePose.allCases.filter { poses[$0] == nil } }

    /// What to tell the user, as an English sentence without full stop.
    package var hint: String {
        switch state {
        case .measuring: "hold it still"
        case .complete: "done"
        case .slanted: "one of its axes must point straight up or down"
        case .moving, .poseDone: missingPoses.first?.hint ?? "done"
        }
    }

    /// The mean reading of a pose that is done, m/s².
    package func reading(in pose: DevicePose) -> SIMD3<Double>? { poses[pose] }

    /// The result once all six poses are done; nil before, and when the readings cannot be those of an accelerometer
    /// (scale wrong by more than a half).
    package var calibration: AccelerometerCalibration? {
        guard missingPoses.isEmpty else { return nil }
        var rows: [SIMD4<Double>] = []
        for axis in 0..<3 {
            guard let row = row(axis) else { return nil }
            rows.append(row)
        }
        var result = AccelerometerCalibration()
        let matrix = rows.map { SIMD3($0.x, $0.y, $0.z) }
        result.matrix = Matrix3(row0: matrix[0], row1: matrix[1], row2: matrix[2])
        let volume = result.matrix.determinant
        guard volume > 0.1, volume < 10 else { return nil }
        result.offset = -result.matrix.origin(of: SIMD3(rows[0].w, rows[1].w, rows[2].w)) / volume
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

    /// Forgets all poses.
    package mutating func reset() {
        average.restart()
        poses.removeAll(keepingCapacity: true)
    }

    private var pose: DevicePose? {
        let length = average.mean.length
        guard length > gravity / 2, length < gravity * 1.5 else { return nil }
        return DevicePose(acceleration: average.mean)
    }

    /// Three entries of the matrix and the shift, by weighted least squares.
    private func row(_ axis: Int) -> SIMD4<Double>? {
        var system = PositiveSystem(size: 4)
        var right = [0.0, 0, 0, 0]
        for (pose, reading) in poses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let target = pose.up[axis] * gravity
            let x = [reading.x / gravity, reading.y / gravity, reading.z / gravity, 1]
            // A table that slopes by a degree changes the axes across by 0.17 m/s², but the upright one by 0.0015 only.
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
        // Small angles: twice the half of the chord, without an arc sine.
        let lengths = a.length * b.length
        guard lengths > 0 else { return 0 }
        return Quaternion.cross(a, b).length / lengths
    }
}

/// What an accelerometer's readings have to go through: corrected = matrix · (measured - offset).
package struct AccelerometerCalibration: Sendable, Hashable {
    /// The matrix.
    package var matrix = Matrix3.identity
    /// What the sensor reads when nothing accelerates it, m/s².
    package var offset = SIMD3<Double>.zero
    /// Root mean square of how far the corrected lengths of the poses are from gravity, m/s².
    package var residual = 0.0
    /// The largest angle between a pose and the direction that it should have had, radians: how well the device stood.
    package var tilt = 0.0

    /// No correction.
    package init() {}

    /// The factor on each axis by itself.
    package var scale: SIMD3<Double> { SIMD3(matrix.row0.x, matrix.row1.y, matrix.row2.z) }

    /// A reading without the sensor's errors, m/s².
    package func apply(to measured: SIMD3<Double>) -> SIMD3<Double> { matrix * (measured - offset) }
}
