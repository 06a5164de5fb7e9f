// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Additions to Apple's API.
extension EAAccessory {
    /// The accessory's identity, which stays the same when it is reconnected. For a USB accessory with a serial number,
    /// the identity consists of the vendor ID, the product ID and the serial number, such as "1209:0002:WS-7731".
    /// Without a serial number, it is the port, such as "port:1-2". Empty if the accessory was never connected.
    public var identity: String { record?.description.identity ?? "" }

    /// The USB bus and port numbers, such as "1-2.4". If the accessory is not on USB, the kernel path or the location
    /// given in the configuration.
    public var portPath: String { record?.description.portPath ?? "" }

    /// The USB vendor ID, or `nil` if the accessory is not on USB.
    public var vendorID: UInt16? { record?.description.vendorID }

    /// The USB product ID, or `nil` if the accessory is not on USB.
    public var productID: UInt16? { record?.description.productID }

    /// The protocols that the accessory offers, each with its device node and the source of its name.
    public var protocols: [AccessoryProtocol] { record?.description.protocols ?? [] }
}
