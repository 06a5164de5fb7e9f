// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A magnetic field from which the device's own magnetism has been taken, and how well that is known.
public struct CMCalibratedMagneticField: Sendable {
    /// The field in microtesla, in the device's axes. While `accuracy` is `uncalibrated`, what the sensor reads; zero where
    /// no magnetometer runs.
    public var field: CMMagneticField
    /// How well the bias is known.
    public var accuracy: CMMagneticFieldCalibrationAccuracy

    /// No field, with the accuracy that stands for the number 0 as in C: low.
    public init() {
        self.init(field: CMMagneticField(), accuracy: .low)
    }

    /// A field of that accuracy.
    public init(field: CMMagneticField, accuracy: CMMagneticFieldCalibrationAccuracy) {
        self.field = field
        self.accuracy = accuracy
    }
}
