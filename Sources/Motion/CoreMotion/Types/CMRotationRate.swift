// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A rate of rotation about the device's axes, in radians per second, by the right-hand rule.
///
/// A plain structure as on Apple's platforms: neither Equatable nor Codable, so that programs can make it so.
public struct CMRotationRate: Sendable {
    /// About the x axis: radians per second.
    public var x: Double
    /// About the y axis: radians per second.
    public var y: Double
    /// About the z axis: radians per second.
    public var z: Double

    /// Three zeros.
    public init() {
        self.init(x: 0, y: 0, z: 0)
    }

    /// A vector of those components.
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}
