// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A rotation as a unit quaternion, the scalar part last.
public struct CMQuaternion: Sendable {
    /// The x axis times the sine of half the angle.
    public var x: Double
    /// The y axis times the sine of half the angle.
    public var y: Double
    /// The z axis times the sine of half the angle.
    public var z: Double
    /// The cosine of half the angle.
    public var w: Double

    /// Four zeros, which is no rotation yet.
    public init() {
        self.init(x: 0, y: 0, z: 0, w: 0)
    }

    /// A quaternion of those components.
    public init(x: Double, y: Double, z: Double, w: Double) {
        self.x = x
        self.y = y
        self.z = z
        self.w = w
    }
}
