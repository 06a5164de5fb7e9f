// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What is known of one sensor's errors: corrected = matrix · (measured - offset), in the sensor's own axes, before the
/// mount matrix.
///
/// In the unit of the sensor's kind: m/s², rad/s or gauss.
public struct SensorCalibration: Sendable, Hashable {
    /// What a sensor reads where there is nothing to read: a gyroscope's bias, an accelerometer's zero error, the field of
    /// the device itself at a magnetometer.
    public var offset = SIMD3<Double>.zero
    /// The rows of the matrix: scale and cross axis errors, soft iron. The identity for none.
    public var matrix: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        get { (row0, row1, row2) }
        set { (row0, row1, row2) = newValue }
    }
    private var row0 = SIMD3<Double>(1, 0, 0)
    private var row1 = SIMD3<Double>(0, 1, 0)
    private var row2 = SIMD3<Double>(0, 0, 1)
    /// The standard deviation of each component of the offset, in the sensor's unit; NaN when it is not known.
    public var sigma = Double.nan
    /// For a magnetometer how good it is: -1 not at all, 0 low, 1 medium, 2 high. 0 for others.
    public var quality = 0
    /// For a magnetometer what the fit leaves over, root mean square, as a part of the field's strength; for an
    /// accelerometer likewise as a part of gravity. NaN when it is not known.
    public var residual = Double.nan
    /// For a magnetometer the part of all directions in which the field has been seen, 0 ... 1. 0 for others.
    public var coverage = 0.0
    /// For a magnetometer the strength of the earth's field after correction, in gauss; NaN when it is not known.
    public var fieldStrength = Double.nan
    /// For a magnetometer the angle of the field below the horizon, in radians; NaN when it is not known.
    public var dip = Double.nan
    /// When it was made, by the system's clock.
    public var date = WallTime.epoch

    /// One that changes nothing.
    public init() {}

    /// A reading without the sensor's errors, in the sensor's own axes.
    public func apply(to measured: SIMD3<Double>) -> SIMD3<Double> {
        let v = measured - offset
        return SIMD3((row0 * v).sum(), (row1 * v).sum(), (row2 * v).sum())
    }
}
