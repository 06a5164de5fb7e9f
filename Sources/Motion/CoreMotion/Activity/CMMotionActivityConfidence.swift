// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How sure an activity is.
public enum CMMotionActivityConfidence: Int, Sendable {
    /// Hardly.
    case low = 0
    /// Fairly.
    case medium = 1
    /// Very.
    case high = 2
}
