// SPDX-License-Identifier: Apache-2.0

/// A magnetic field in the device's axes, in microtesla.
///
/// As on Apple's platforms, the structure is neither Equatable nor Codable, so that apps can add these conformances.
public struct CMMagneticField: Sendable {
    /// The x component, to the right, in microtesla.
    public var x: Double
    /// The y component, to the top edge, in microtesla.
    public var y: Double
    /// The z component, out of the screen, in microtesla.
    public var z: Double

    /// Creates a vector of zeros.
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// Creates a vector from its components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A magnetic field without the device's own field, and its calibration accuracy.
public struct CMCalibratedMagneticField: Sendable {
    /// The field in the device's axes, in microtesla: the sensor's raw reading while `accuracy` is `uncalibrated`, and
    /// zero if no magnetometer runs.
    public var field: CMMagneticField
    /// The accuracy with which the device's own field is known.
    public var accuracy: CMMagneticFieldCalibrationAccuracy

    /// Creates a field of zero with the accuracy `low`, whose raw value is 0 as in C.
    public init() { self.init(field: CMMagneticField(), accuracy: .low) }

    /// Creates a field with the given accuracy.
    public init(field: CMMagneticField, accuracy: CMMagneticFieldCalibrationAccuracy) {
        self.field = field
        self.accuracy = accuracy
    }
}

/// The accuracy with which the device's own magnetic field is known.
public enum CMMagneticFieldCalibrationAccuracy: Int32, Sendable {
    /// The device's own field is unknown. The reading must not be used.
    case uncalibrated = -1
    /// Low accuracy.
    case low = 0
    /// Medium accuracy.
    case medium = 1
    /// High accuracy.
    case high = 2
}
