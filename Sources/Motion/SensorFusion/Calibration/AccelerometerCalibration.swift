// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What an accelerometer's readings have to go through: corrected = matrix · (measured - offset).
public struct AccelerometerCalibration: Sendable, Hashable {
    /// The first row of the matrix.
    public var row0 = SIMD3<Double>(1, 0, 0)
    /// The second row.
    public var row1 = SIMD3<Double>(0, 1, 0)
    /// The third row.
    public var row2 = SIMD3<Double>(0, 0, 1)
    /// What the sensor reads when nothing accelerates it, m/s².
    public var offset = SIMD3<Double>.zero
    /// Root mean square of how far the corrected lengths of the poses are from gravity, m/s².
    public var residual = 0.0
    /// The largest angle between a pose and the direction that it should have had, radians: how well the device stood.
    public var tilt = 0.0

    /// No correction.
    public init() {}

    /// The factor on each axis by itself.
    public var scale: SIMD3<Double> { SIMD3(row0.x, row1.y, row2.z) }

    /// A reading without the sensor's errors, m/s².
    public func apply(to measured: SIMD3<Double>) -> SIMD3<Double> {
        let a = measured - offset
        return SIMD3((row0 * a).sum(), (row1 * a).sum(), (row2 * a).sum())
    }
}
