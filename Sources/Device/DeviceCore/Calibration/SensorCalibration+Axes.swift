// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension SensorCalibration {
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
        let (first, second, third) = matrix
        let product = turn * MountMatrix(first, second, third) * back
        var turned = self
        turned.matrix = product.rows
        turned.offset = turn.apply(to: offset)
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
        let x = cross(b, c) / determinant
        let y = cross(c, a) / determinant
        let z = cross(a, b) / determinant
        return MountMatrix(SIMD3(x.x, y.x, z.x), SIMD3(x.y, y.y, z.y), SIMD3(x.z, y.z, z.z))
    }
}
