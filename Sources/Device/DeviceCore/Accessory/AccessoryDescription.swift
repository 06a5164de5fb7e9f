// SPDX-License-Identifier: Apache-2.0

/// What is known of an attached accessory.
public struct AccessoryDescription: Sendable, Hashable, Identifiable {
    /// Tells this attachment from all others of the process, before and after: counted from 1, never used again.
    public typealias ID = Int

    /// The number of this attachment; 0 before a source has taken the accessory in.
    public var id: ID
    /// What is the same when the same accessory is attached again: vendor, product and serial number, else the port, as
    /// in "1209:0002:WS-7731" or "port:1-2". Never the name of a node.
    ///
    /// Some makers give all devices of a model one serial number. Of two that are attached at a time the one that came
    /// second has its port instead, for as long as it is attached. Declared accessories that would have one identity each
    /// have the path of their file instead, as in "file:/etc/accessories/scale.json".
    public var identity: String
    /// For people; empty when the accessory does not say.
    public var name: String
    /// Who made it; empty when not known.
    public var manufacturer: String
    /// The maker's name for the kind of thing it is; empty when not known.
    public var modelNumber: String
    /// Tells it from others of its model; empty when it has none.
    public var serialNumber: String
    /// As in "2.10"; empty when not known.
    public var firmwareRevision: String
    /// Empty when not known.
    public var hardwareRevision: String
    /// Where it is plugged in, as the kernel counts: bus, then the ports down to it, as in "1-2.4"; for what is no USB
    /// device the kernel's path or a name from the configuration.
    public var portPath: String
    /// The USB vendor; nil for what is no USB device.
    public var vendorID: UInt16?
    /// The USB product; nil for what is no USB device.
    public var productID: UInt16?
    /// What it can be talked to with, by rising interface number; no name twice.
    public var protocols: [AccessoryProtocol]

    /// A description of those parts.
    public init(
        id: ID = 0, identity: String, name: String, manufacturer: String = "", modelNumber: String = "",
        serialNumber: String = "", firmwareRevision: String = "", hardwareRevision: String = "", portPath: String = "",
        vendorID: UInt16? = nil, productID: UInt16? = nil, protocols: [AccessoryProtocol] = []
    ) {
        self.id = id
        self.identity = identity
        self.name = name
        self.manufacturer = manufacturer
        self.modelNumber = modelNumber
        self.serialNumber = serialNumber
        self.firmwareRevision = firmwareRevision
        self.hardwareRevision = hardwareRevision
        self.portPath = portPath
        self.vendorID = vendorID
        self.productID = productID
        self.protocols = protocols
    }

    /// The identity by the place where it is plugged in.
    package var portIdentity: String { "port:\(portPath)" }

    /// The protocol of that name; nil when the accessory does not offer it.
    public func named(_ name: String) -> AccessoryProtocol? { protocols.first { $0.name == name } }
}
