// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion

/// A rotation as a 3×3 matrix.
public struct CMRotationMatrix: Sendable {
    /// The element in row 1, column 1.
    public var m11: Double
    /// The element in row 1, column 2.
    public var m12: Double
    /// The element in row 1, column 3.
    public var m13: Double
    /// The element in row 2, column 1.
    public var m21: Double
    /// The element in row 2, column 2.
    public var m22: Double
    /// The element in row 2, column 3.
    public var m23: Double
    /// The element in row 3, column 1.
    public var m31: Double
    /// The element in row 3, column 2.
    public var m32: Double
    /// The element in row 3, column 3.
    public var m33: Double

    /// Creates a matrix of zeros, which is not a valid rotation.
    public init() { self.init(m11: 0, m12: 0, m13: 0, m21: 0, m22: 0, m23: 0, m31: 0, m32: 0, m33: 0) }

    /// Creates a matrix from its elements.
    public init(
        m11: Double, m12: Double, m13: Double,
        m21: Double, m22: Double, m23: Double,
        m31: Double, m32: Double, m33: Double
    ) {
        (self.m11, self.m12, self.m13) = (m11, m12, m13)
        (self.m21, self.m22, self.m23) = (m21, m22, m23)
        (self.m31, self.m32, self.m33) = (m31, m32, m33)
    }
}

/// A rotation as a unit quaternion with the scalar part last.
public struct CMQuaternion: Sendable {
    /// The x component of the rotation axis, multiplied by the sine of half the angle.
    public var x: Double
    /// The y component of the rotation axis, multiplied by the sine of half the angle.
    public var y: Double
    /// The z component of the rotation axis, multiplied by the sine of half the angle.
    public var z: Double
    /// The cosine of half the angle.
    public var w: Double

    /// Creates a quaternion of zeros, which is not a valid rotation.
    public init() { self.init(x: 0, y: 0, z: 0, w: 0) }

    /// Creates a quaternion from its components.
    public init(x: Double, y: Double, z: Double, w: Double) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }
}

extension CMQuaternion {
    init(_ q: Quaternion) { self.init(x: q.x, y: q.y, z: q.z, w: q.w) }
}

/// A rotation from device axes to reference axes, stored as a unit quaternion. Its matrix is R =
/// Rz(yaw)·Rx(pitch)·Ry(roll). Core Motion's rotation matrix is the transpose of R.
struct Rotation {
    let quaternion: CMQuaternion

    static let identity = Rotation(unit: CMQuaternion(x: 0, y: 0, z: 0, w: 1))

    private init(unit quaternion: CMQuaternion) { self.quaternion = quaternion }

    /// Normalizes a quaternion of any length. The result is the identity if the length is zero, infinite or NaN.
    init(_ q: CMQuaternion) {
        let square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w
        // A quaternion that is already normalized remains unchanged.
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

    /// Returns this rotation followed by the inverse of the reference.
    func relative(to reference: Rotation) -> Rotation {
        func components(_ q: CMQuaternion) -> Quaternion { Quaternion(x: q.x, y: q.y, z: q.z, w: q.w) }
        return Rotation(CMQuaternion(components(reference.quaternion).conjugate * components(quaternion)))
    }

    /// The matrix M that converts a vector from reference axes to device axes: v(device) = M·v(reference).
    var matrix: CMRotationMatrix {
        let q = quaternion
        return CMRotationMatrix(
            m11: 1 - 2 * (q.y * q.y + q.z * q.z), m12: 2 * (q.x * q.y + q.w * q.z), m13: 2 * (q.x * q.z - q.w * q.y),
            m21: 2 * (q.x * q.y - q.w * q.z), m22: 1 - 2 * (q.x * q.x + q.z * q.z), m23: 2 * (q.y * q.z + q.w * q.x),
            m31: 2 * (q.x * q.z + q.w * q.y), m32: 2 * (q.y * q.z - q.w * q.x), m33: 1 - 2 * (q.x * q.x + q.y * q.y))
    }

    /// The angles in radians, computed from these elements of M: m13 = -cos pitch·sin roll, m23 = sin pitch, m33 = cos
    /// pitch·cos roll, m21 = -sin yaw·cos pitch and m22 = cos yaw·cos pitch.
    var angles: (roll: Double, pitch: Double, yaw: Double) {
        let m = matrix
        let cosine = Self.cosineOfPitch(m)
        let pitch = atan2(m.m23, cosine)
        return (cosine > Self.uprightCosine ? atan2(-m.m13, m.m33) : 0, pitch, yaw)
    }

    /// The yaw in radians.
    var yaw: Double {
        let m = matrix
        // If the device is upright, yaw and roll are rotations about the same axis, so the entire rotation is reported
        // as yaw.
        return Self.cosineOfPitch(m) > Self.uprightCosine ? atan2(-m.m21, m.m22) : atan2(m.m12, m.m11)
    }

    /// The device is considered upright if the cosine of its pitch is at most this value.
    private static let uprightCosine = 1e-8

    private static func cosineOfPitch(_ m: CMRotationMatrix) -> Double { (m.m13 * m.m13 + m.m33 * m.m33).squareRoot() }
}
