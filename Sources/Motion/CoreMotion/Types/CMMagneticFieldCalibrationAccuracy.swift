// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
