// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Whether the program may use a sensor.
///
/// On Linux the file permissions of the sensor decide: it is authorized where the sensor is there and can be read.
public enum CMAuthorizationStatus: Int, Sendable {
    /// Nobody has decided; on Linux, there is no such sensor.
    case notDetermined = 0
    /// The program may not use it, and its user cannot change that.
    case restricted = 1
    /// The use was refused.
    case denied = 2
    /// The program may use it.
    case authorized = 3
}
