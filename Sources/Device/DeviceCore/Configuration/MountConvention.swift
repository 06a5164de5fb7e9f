// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the numbers of an accelerometer's mount matrix are meant for.
///
/// The kernel's documents define the accelerometer as +9.81 on the axis that points up, and a matrix as a rotation. The
/// matrices in systemd's hardware database, which were made for tablets with Windows sensors, count the other way in x and y.
public enum MountConvention: String, Sendable {
    /// The matrix turns a reading that is +9.81 on the axis that points up, as the kernel's documents say. The default
    /// for matrices of the driver and of a configuration file.
    case kernel
    /// The matrix yields readings that are -9.81 on the axis that points up, as sensors for Windows have them; the
    /// result is turned round once more.
    case windows
    /// The matrix is left out; the sensor's axes are the device's.
    case raw
}
