// SPDX-License-Identifier: Apache-2.0

/// An acceleration in the device's axes, in units of standard gravity (9.80665 m/s²), with the sign of gravity.
///
/// A device that lies with its face up reads (0, 0, -1); one that falls freely reads zero.
///
/// A plain structure as on Apple's platforms: neither Equatable nor Codable, so that programs can make it so.
public struct CMAcceleration: Sendable {
    /// Along the x axis, to the right: units of gravity.
    public var x: Double
    /// Along the y axis, to the top edge: units of gravity.
    public var y: Double
    /// Along the z axis, out of the screen: units of gravity.
    public var z: Double

    /// Three zeros.
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// A vector of those components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

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
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// A vector of those components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// Three numbers in the device's axes.
protocol AxisVector {
    var x: Double { get }
    var y: Double { get }
    var z: Double { get }

    init(x: Double, y: Double, z: Double)
}

extension AxisVector {
    init(_ vector: SIMD3<Double>) { self.init(x: vector.x, y: vector.y, z: vector.z) }

    /// For archives.
    var numbers: [Double] { [x, y, z] }
    /// For descriptions.
    var text: String { "x \(x) y \(y) z \(z)" }
}

extension CMAcceleration: AxisVector {}
extension CMRotationRate: AxisVector {}
extension CMMagneticField: AxisVector {}
