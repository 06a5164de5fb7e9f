// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A magnetic field in the device's axes, in microtesla.
///
/// A plain structure as on Apple's platforms: neither Equatable nor Codable, so that programs can make it so.
public struct CMMagneticField: Sendable {
    /// Along the x axis, to the right: microtesla.
    public var x: Double
    /// Along the y axis, to the top edge: microtesla.
    public var y: Double
    /// Along the z axis, out of the screen: microtesla.
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
