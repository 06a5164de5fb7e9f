// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Opens what an accessory is talked to through.
public enum ChannelOpener {
    /// Opens a node for this program alone; the error says why that cannot be, and what to do about it.
    public static func open(_ node: ChannelNode, clock: any DeviceClock) throws(DeviceError) -> any ByteChannel {
        throw DeviceError(.notSupported, "\(node.path) cannot be opened.")
    }
}
