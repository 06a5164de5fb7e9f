// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The mathematics of attitudes.
///
/// A rotation turns vectors from the device's axes into those of the reference: R = Rz(yaw)·Rx(pitch)·Ry(roll). It is
/// kept as a unit quaternion; Core Motion's rotation matrix is the transpose of R.
struct Rotation {
    /// A unit quaternion.
    let quaternion: CMQuaternion

    /// The device's axes are those of the reference.
    static let identity = Rotation(unit: CMQuaternion(x: 0, y: 0, z: 0, w: 1))

    private init(unit quaternion: CMQuaternion) { self.quaternion = quaternion }

    /// The rotation of a quaternion of any length; identity when that has no direction.
    init(_ q: CMQuaternion) {
        let square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w
        // One that has the length 1 already keeps every bit.
        if abs(square - 1) < 1e-14 {
            quaternion = q
            return
        }
        let length = square.squareRoot()
        guard length.isFinite, length > 0 else {
            self = .identity
            return
        }
        quaternion = CMQuaternion(x: q.x / length, y: q.y / length, z: q.z / length, w: q.w / length)
    }

    /// First this rotation, then the inverse of the reference: what remains when the reference counts as none.
    func relative(to reference: Rotation) -> Rotation {
        // The Hamilton product of the reference's conjugate and this.
        let a = reference.quaternion
        let b = quaternion
        return Rotation(
            CMQuaternion(
                x: a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
                y: a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x,
                z: a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w,
                w: a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z))
    }

    /// From the axes of the reference to the device's: v(device) = M·v(reference).
    var matrix: CMRotationMatrix {
        let q = quaternion
        return CMRotationMatrix(
            m11: 1 - 2 * (q.y * q.y + q.z * q.z), m12: 2 * (q.x * q.y + q.w * q.z), m13: 2 * (q.x * q.z - q.w * q.y),
            m21: 2 * (q.x * q.y - q.w * q.z), m22: 1 - 2 * (q.x * q.x + q.z * q.z), m23: 2 * (q.y * q.z + q.w * q.x),
            m31: 2 * (q.x * q.z + q.w * q.y), m32: 2 * (q.y * q.z - q.w * q.x), m33: 1 - 2 * (q.x * q.x + q.y * q.y))
    }

    /// The angles in radians.
    ///
    /// With R = Rz(yaw)·Rx(pitch)·Ry(roll) the matrix M has m13 = -cos pitch·sin roll, m23 = sin pitch,
    /// m33 = cos pitch·cos roll, m21 = -sin yaw·cos pitch and m22 = cos yaw·cos pitch.
    var angles: (roll: Double, pitch: Double, yaw: Double) {
        let m = matrix
        let cosine = Self.cosineOfPitch(m)
        let pitch = atan2(m.m23, cosine)
        return (cosine > Self.upright ? atan2(-m.m13, m.m33) : 0, pitch, yaw)
    }

    /// The yaw of ``angles`` alone, which many ask for.
    var yaw: Double {
        let m = matrix
        // When the device stands upright, yaw and roll turn about one axis, and all of it counts as yaw.
        return Self.cosineOfPitch(m) > Self.upright ? atan2(-m.m21, m.m22) : atan2(m.m12, m.m11)
    }

    /// The cosine of a pitch at which the device stands upright.
    private static let upright = 1e-8

    private static func cosineOfPitch(_ m: CMRotationMatrix) -> Double {
        (m.m13 * m.m13 + m.m33 * m.m33).squareRoot()
    }
}
