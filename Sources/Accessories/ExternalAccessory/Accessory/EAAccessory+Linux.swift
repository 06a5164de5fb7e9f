// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What Apple's API has no words for.
extension EAAccessory {
    /// Identifies the accessory when it is connected again: vendor, product and serial number, as in
    /// "1209:0002:WS-7731", else the port, as in "port:1-2". Empty for an accessory that never was connected.
    public var identity: String { record?.description.identity ?? "" }

    /// Where it is plugged in: bus, then the ports down to it, as in "1-2.4"; for other devices the kernel's path or
    /// the name that the configuration gives.
    public var portPath: String { record?.description.portPath ?? "" }

    /// The USB vendor; nil for other devices.
    public var vendorID: UInt16? { record?.description.vendorID }

    /// The USB product; nil for other devices.
    public var productID: UInt16? { record?.description.productID }

    /// The protocols, each with the origin of its name and what is opened for it.
    public var protocols: [AccessoryProtocol] { record?.description.protocols ?? [] }
}
