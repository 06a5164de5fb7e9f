// SPDX-License-Identifier: Apache-2.0

/// An acceleration in device axes, in units of standard gravity (9.80665 m/s²). The sign is that of gravity: a device
/// that is lying face up measures (0, 0, -1).
///
/// As on Apple's platforms, the structure is neither Equatable nor Codable, so that apps can add these conformances.
public struct CMAcceleration: Sendable, AxisVector {
    /// The acceleration along the x axis, which points to the right, in units of gravity.
    public var x: Double
    /// The acceleration along the y axis, which points to the top edge, in units of gravity.
    public var y: Double
    /// The acceleration along the z axis, which points out of the screen, in units of gravity.
    public var z: Double

    /// Creates a vector of zeros.
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// Creates a vector from its components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A rotation rate about the device axes, in radians per second, following the right-hand rule.
///
/// As on Apple's platforms, the structure is neither Equatable nor Codable, so that apps can add these conformances.
public struct CMRotationRate: Sendable, AxisVector {
    /// The rate about the x axis, in radians per second.
    public var x: Double
    /// The rate about the y axis, in radians per second.
    public var y: Double
    /// The rate about the z axis, in radians per second.
    public var z: Double

    /// Creates a vector of zeros.
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// Creates a vector from its components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

protocol AxisVector {
    var x: Double { get }
    var y: Double { get }
    var z: Double { get }

    init(x: Double, y: Double, z: Double)
}

extension AxisVector {
    init(_ vector: SIMD3<Double>) { self.init(x: vector.x, y: vector.y, z: vector.z) }

    var numbers: [Double] { [x, y, z] }
    var text: String { "x \(x) y \(y) z \(z)" }
}

/// A magnetic field in device axes, in microtesla.
///
/// As on Apple's platforms, the structure is neither Equatable nor Codable, so that apps can add these conformances.
public struct CMMagneticField: Sendable, AxisVector {
    /// The field along the x axis, which points to the right, in microtesla.
    public var x: Double
    /// The field along the y axis, which points to the top edge, in microtesla.
    public var y: Double
    /// The field along the z axis, which points out of the screen, in microtesla.
    public var z: Double

    /// Creates a vector of zeros.
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// Creates a vector from its components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A magnetic field, excluding the device's own field, and the calibration accuracy.
public struct CMCalibratedMagneticField: Sendable {
    /// The field in device axes, in microtesla. While `accuracy` is `uncalibrated`, it is the raw reading. If no
    /// magnetometer is running, it is zero.
    public var field: CMMagneticField
    /// The accuracy with which the device's own field is known.
    public var accuracy: CMMagneticFieldCalibrationAccuracy

    /// Creates a zero field with the accuracy `low` (raw value 0), as in a zero-initialized C structure.
    public init() { self.init(field: CMMagneticField(), accuracy: .low) }

    /// Creates a field with the given accuracy.
    public init(field: CMMagneticField, accuracy: CMMagneticFieldCalibrationAccuracy) {
        (self.field, self.accuracy) = (field, accuracy)
    }
}

/// The accuracy with which the device's own magnetic field is known.
public enum CMMagneticFieldCalibrationAccuracy: Int32, Sendable {
    /// The device's own field is unknown, so the reading must not be used.
    case uncalibrated = -1
    /// Low accuracy.
    case low = 0
    /// Medium accuracy.
    case medium = 1
    /// High accuracy.
    case high = 2
}
