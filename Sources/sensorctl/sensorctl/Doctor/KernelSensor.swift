// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the kernel's files say of one Industrial I/O device.
struct KernelSensor: Sendable, Hashable {
    /// "iio:device0"
    var id: String
    /// The driver's name; empty when it says none.
    var name: String
    /// True when there is a folder for captured channels.
    var hasBuffer: Bool
    /// True when the node in /dev exists.
    var hasNode: Bool
    /// True when this user may read and write the node.
    var canOpenNode: Bool
    /// The node's mode and group, such as "0600 root"; empty when there is no node.
    var nodeOwnership: String
    /// True when this user may write the files that set rate and buffer.
    var canWriteSettings: Bool
    /// The trigger that is set; empty for none, nil when the device takes none.
    var trigger: String?
    /// The rate that is set, as the driver writes it; nil when the device as a whole has none.
    var rate: String?
    /// True when somebody captures from it already.
    var isCapturing = false
}
