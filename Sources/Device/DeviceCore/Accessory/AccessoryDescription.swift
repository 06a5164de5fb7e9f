// SPDX-License-Identifier: Apache-2.0

/// The properties of an attached accessory.
public struct AccessoryDescription: Sendable, Hashable, Identifiable {
    /// Identifies one attachment within the process. Counted from 1 and never reused.
    public typealias ID = Int

    /// The number of the attachment; 0 before a source has registered the accessory.
    public var id: ID
    /// Identifies the accessory across attachments: vendor, product and serial number, for example "1209:0002:WS-7731",
    /// or else the port, for example "port:1-2". Never the name of a device node.
    ///
    /// Some manufacturers assign the same serial number to all devices of a model. If two such devices are attached at
    /// the same time, the second one is identified by its port while it is attached. Declared accessories with the same
    /// identity are identified by the path of their file, for example "file:/etc/accessories/scale.json".
    public var identity: String
    /// The display name; empty if the accessory does not report one.
    public var name: String
    /// The manufacturer; empty if unknown.
    public var manufacturer: String
    /// The manufacturer's model name; empty if unknown.
    public var modelNumber: String
    /// The serial number; empty if the accessory has none.
    public var serialNumber: String
    /// The firmware revision, for example "2.10"; empty if unknown.
    public var firmwareRevision: String
    /// The hardware revision; empty if unknown.
    public var hardwareRevision: String
    /// The physical port in the kernel's notation: the bus and the chain of ports, for example "1-2.4". For an
    /// accessory that is not a USB device, the kernel's path or a name from the configuration.
    public var portPath: String
    /// The USB vendor ID; nil if the accessory is not a USB device.
    public var vendorID: UInt16?
    /// The USB product ID; nil if the accessory is not a USB device.
    public var productID: UInt16?
    /// The supported protocols, sorted by interface number, with unique names.
    public var protocols: [AccessoryProtocol]

    /// Creates a description.
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

    /// The identity based on the physical port.
    package var portIdentity: String { "port:\(portPath)" }

    /// Returns the protocol with a name, or nil if the accessory does not support it.
    public func accessoryProtocol(named name: String) -> AccessoryProtocol? { protocols.first { $0.name == name } }
}
