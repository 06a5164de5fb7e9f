// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How well a magnetometer's own magnetism is known, in rising order.
public enum MagneticQuality: Int, Sendable, Hashable, Comparable {
    /// Not at all: readings are used as they come.
    case uncalibrated = -1
    /// Roughly.
    case low = 0
    /// Well enough for a compass.
    case medium = 1
    /// As well as the sensor allows.
    case high = 2

    /// By how good it is.
    public static func < (left: MagneticQuality, right: MagneticQuality) -> Bool { left.rawValue < right.rawValue }
}
