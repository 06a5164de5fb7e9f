// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// Additions to Apple's API.
extension EAAccessory {
    /// The identity of the accessory across connections: vendor ID, product ID and serial number, such as
    /// "1209:0002:WS-7731", or else the port, such as "port:1-2". Empty for an accessory that was never connected.
    public var identity: String { record?.description.identity ?? "" }

    /// The port: the USB bus and the port numbers, such as "1-2.4". For devices that are not on USB, the path in the
    /// kernel or the name in the configuration.
    public var portPath: String { record?.description.portPath ?? "" }

    /// The USB vendor ID; nil for devices that are not on USB.
    public var vendorID: UInt16? { record?.description.vendorID }

    /// The USB product ID; nil for devices that are not on USB.
    public var productID: UInt16? { record?.description.productID }

    /// The protocols, each with the origin of its name and the node to open.
    public var protocols: [AccessoryProtocol] { record?.description.protocols ?? [] }
}
