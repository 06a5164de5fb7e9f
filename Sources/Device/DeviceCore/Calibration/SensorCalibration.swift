// SPDX-License-Identifier: Apache-2.0

/// The calibration of one sensor: corrected = matrix · (measured - offset), in the sensor's own axes, before the mount
/// matrix. Values are in the unit of the sensor's kind: m/s², rad/s or gauss.
public struct SensorCalibration: Sendable, Hashable {
    /// The sensor's reading at zero input: a gyroscope's bias, an accelerometer's zero offset, or the device's own
    /// magnetic field at the magnetometer (hard iron).
    public var offset = SIMD3<Double>.zero
    /// The rows of the correction matrix for scale, cross-axis and soft-iron errors. Defaults to the identity matrix.
    public var matrix: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
        get { transform.rows }
        set { transform.rows = newValue }
    }
    private var transform = MountMatrix.identity
    /// The standard deviation of each offset component, in the sensor's unit, or NaN if unknown.
    public var sigma = Double.nan
    /// The quality of a magnetometer calibration: -1 is unusable, 0 low, 1 medium, 2 high. Always 0 for other sensors.
    public var quality = 0
    /// The root mean square residual of the fit, or NaN if unknown, as a fraction of the field strength for a
    /// magnetometer or of gravity for an accelerometer.
    public var residual = Double.nan
    /// The fraction of all directions covered by the magnetometer's measurements, 0 to 1. Always 0 for other sensors.
    public var coverage = 0.0
    /// The strength of the earth's magnetic field, in gauss, or NaN if unknown. Used for magnetometers only.
    public var fieldStrength = Double.nan
    /// The angle of the magnetic field below the horizon, in radians, or NaN if unknown. Used for magnetometers only.
    public var dip = Double.nan
    /// The device orientations that a magnetometer calibration covers. Each element is the unit vector that pointed up
    /// in that orientation.
    public var upDirections: [SIMD3<Double>] = []
    /// The time of the calibration, according to the system clock.
    public var date = WallTime.epoch

    /// Creates an identity calibration, which leaves readings unchanged.
    public init() {}

    /// Corrects a reading. The reading and the result are in the sensor's own axes.
    public func apply(to measured: SIMD3<Double>) -> SIMD3<Double> { transform.apply(to: measured - offset) }

    package var isIdentity: Bool { offset == .zero && transform.isIdentity }
}

extension SensorCalibration {
    /// Returns the reason the calibration is unusable for sensors of this kind, or nil if it is usable.
    ///
    /// Each offset component may be at most 20 m/s², 2 rad/s or 20 gauss in magnitude, and each matrix element at most
    /// 4. Working sensors stay far below these limits. The matrix must be neither singular nor a reflection.
    package func problem(for kind: SensorKind) -> String? {
        let (first, second, third) = matrix
        let entries = [offset / kind.maximumOffset * 4, first, second, third]
        // These comparisons also reject NaN elements, because any comparison with NaN is false.
        let areBounded = entries.allSatisfy { abs($0.x) <= 4 && abs($0.y) <= 4 && abs($0.z) <= 4 }
        guard areBounded else { return "its values are out of range for a sensor of this kind" }
        guard transform.determinant > 0.05 else { return "its matrix contains a reflection or is singular" }
        // Unknown values are NaN. These comparisons accept them, because any comparison with NaN is false.
        if sigma < 0 || residual < 0 { return "its sigma or residual is negative" }
        guard (-1...2).contains(quality), (0...1).contains(coverage) else {
            return "its quality or coverage is out of range"
        }
        if fieldStrength <= 0 || fieldStrength >= 100 { return "its field strength is out of range" }
        // The limit is slightly more than a right angle.
        if abs(dip) > 1.6 { return "its dip is out of range" }
        return nil
    }

    /// Returns the calibration, converted from the sensor's axes to the device's axes. If the mount matrix has no
    /// inverse, returns it unchanged.
    package func convertedToDeviceAxes(by mount: MountMatrix) -> SensorCalibration {
        guard !mount.isIdentity, let inverse = mount.inverse else { return self }
        return rotated(by: mount, inverse: inverse)
    }

    /// Returns the calibration, converted from the device's axes to the sensor's axes. If the mount matrix has no
    /// inverse, returns it unchanged.
    package func convertedToSensorAxes(by mount: MountMatrix) -> SensorCalibration {
        guard !mount.isIdentity, let inverse = mount.inverse else { return self }
        return rotated(by: inverse, inverse: mount)
    }

    /// Returns the calibration that applies to readings rotated by a matrix T. The offset becomes T·offset, and the
    /// correction matrix S becomes T·S·T⁻¹.
    private func rotated(by rotation: MountMatrix, inverse: MountMatrix) -> SensorCalibration {
        var result = self
        result.transform = rotation * transform * inverse
        result.offset = rotation.apply(to: offset)
        result.upDirections = upDirections.map(rotation.apply)
        return result
    }
}

extension MountMatrix {
    /// Returns the product of two matrices, which applies the right-hand one first.
    static func * (left: MountMatrix, right: MountMatrix) -> MountMatrix {
        let (a, b, c) = left.rows
        let (x, y, z) = right.rows
        func row(_ r: SIMD3<Double>) -> SIMD3<Double> { r.x * x + r.y * y + r.z * z }
        return MountMatrix(row(a), row(b), row(c))
    }

    var inverse: MountMatrix? {
        let determinant = determinant
        guard determinant.isFinite, abs(determinant) > 1e-9 else { return nil }
        let (a, b, c) = rows
        func cross(_ u: SIMD3<Double>, _ v: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
        }
        // The columns of the inverse.
        let (x, y, z) = (cross(b, c) / determinant, cross(c, a) / determinant, cross(a, b) / determinant)
        return MountMatrix(SIMD3(x.x, y.x, z.x), SIMD3(x.y, y.y, z.y), SIMD3(x.z, y.z, z.z))
    }
}
