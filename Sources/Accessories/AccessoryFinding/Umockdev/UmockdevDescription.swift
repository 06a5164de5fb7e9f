// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What umockdev's recordings of devices hold: devices as sysfs and udev show them.
///
/// The text format of `umockdev-record` 0.17. Reading is stricter than umockdev: what it would pass over or guess is an
/// error here, with the number of the line. ``text`` writes what `umockdev-record` would, so that a recording that is
/// read and written again stays the same, byte for byte.
public struct UmockdevDescription: Sendable, Hashable {
    /// The devices in the order of the file: children may come before their parents, as in recordings.
    public var devices: [UmockdevDevice]

    /// A description of those devices.
    public init(devices: [UmockdevDevice] = []) {
        self.devices = devices
    }

    /// The largest file that is read, in bytes.
    public static let maximumSize = 16 << 20
    /// The most devices of a file.
    public static let maximumDevices = 20_000
    /// The most lines about devices of a file, all devices together: small ones take far more memory than room in it.
    public static let maximumEntries = 500_000
}
