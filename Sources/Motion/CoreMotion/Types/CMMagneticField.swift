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
    public init() { self.init(x: 0, y: 0, z: 0) }

    /// A vector of those components.
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A magnetic field without the device's own magnetism, and how well that magnetism is known.
public struct CMCalibratedMagneticField: Sendable {
    /// The field in microtesla, in the device's axes. While `accuracy` is `uncalibrated`, what the sensor reads; zero where
    /// no magnetometer runs.
    public var field: CMMagneticField
    /// How well the bias is known.
    public var accuracy: CMMagneticFieldCalibrationAccuracy

    /// No field, with the accuracy that stands for the number 0 as in C: low.
    public init() { self.init(field: CMMagneticField(), accuracy: .low) }

    /// A field of that accuracy.
    public init(field: CMMagneticField, accuracy: CMMagneticFieldCalibrationAccuracy) {
        self.field = field
        self.accuracy = accuracy
    }
}

/// How well the bias of the device's own magnetism is known.
public enum CMMagneticFieldCalibrationAccuracy: Int32, Sendable {
    /// Not at all: the field is not to be used.
    case uncalibrated = -1
    /// Roughly.
    case low = 0
    /// Fairly.
    case medium = 1
    /// Well.
    case high = 2
}
