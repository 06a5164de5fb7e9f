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
        get { transform.rows }
        set { transform.rows = newValue }
    }
    private var transform = MountMatrix.identity
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
    /// For a magnetometer which ways of holding it the calibration was found from: the directions that pointed up, each of
    /// length 1. Empty when they are not known.
    public var heldUp: [SIMD3<Double>] = []
    /// When it was made, by the system's clock.
    public var date = WallTime.epoch

    /// One that changes nothing.
    public init() {}

    /// A reading without the sensor's errors, in the sensor's own axes.
    public func apply(to measured: SIMD3<Double>) -> SIMD3<Double> { transform.apply(to: measured - offset) }

    /// True when readings stay as they are.
    package var changesNothing: Bool { offset == .zero && transform.isIdentity }
}

extension SensorCalibration {
    /// What keeps it from being used for a sensor of that kind, in words; nil when nothing does.
    ///
    /// The bounds are far beyond what sensors that work need: an offset of 20 m/s², 2 rad/s or 20 gauss on an axis, a
    /// matrix with entries up to 4 that neither mirrors nor loses a direction.
    public func problem(for kind: SensorKind) -> String? {
        let (first, second, third) = matrix
        let entries = [offset / kind.offsetLimit * 4, first, second, third]
        // False for NaN too.
        let areBounded = entries.allSatisfy { abs($0.x) <= 4 && abs($0.y) <= 4 && abs($0.z) <= 4 }
        guard areBounded else { return "its numbers are not those of such a sensor" }
        guard transform.determinant > 0.05 else { return "its matrix mirrors or is singular" }
        guard sigma.isNaN || sigma >= 0, residual.isNaN || residual >= 0 else { return "an error in it is negative" }
        guard (-1...2).contains(quality), (0...1).contains(coverage) else { return "its quality is not one" }
        guard fieldStrength.isNaN || (fieldStrength > 0 && fieldStrength < 100) else {
            return "its field is none of the earth's"
        }
        guard dip.isNaN || abs(dip) <= 1.6 else { return "its dip is none" }
        return nil
    }

    /// The same calibration for readings that a mount matrix has turned into the device's axes; itself when the matrix
    /// cannot be inverted.
    public func inDeviceAxes(_ mount: MountMatrix) -> SensorCalibration {
        guard !mount.isIdentity, let inverse = mount.inverse else { return self }
        return turned(by: mount, back: inverse)
    }

    /// A calibration that was made of readings in the device's axes, for the sensor's own; itself when the matrix cannot
    /// be inverted.
    public func inSensorAxes(_ mount: MountMatrix) -> SensorCalibration {
        guard !mount.isIdentity, let inverse = mount.inverse else { return self }
        return turned(by: inverse, back: mount)
    }

    /// T·S·T⁻¹ and T·offset, for readings that T turns.
    private func turned(by turn: MountMatrix, back: MountMatrix) -> SensorCalibration {
        var turned = self
        turned.transform = turn * transform * back
        turned.offset = turn.apply(to: offset)
        turned.heldUp = heldUp.map(turn.apply)
        return turned
    }
}

extension MountMatrix {
    /// First the right one, then the left one.
    static func * (left: MountMatrix, right: MountMatrix) -> MountMatrix {
        let (a, b, c) = left.rows
        let (x, y, z) = right.rows
        func row(_ r: SIMD3<Double>) -> SIMD3<Double> { r.x * x + r.y * y + r.z * z }
        return MountMatrix(row(a), row(b), row(c))
    }

    /// The matrix that turns back; nil when there is none.
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
