// SPDX-License-Identifier: Apache-2.0

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
