// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// An accessory that no bus tells of: a serial port on the board, a pseudo-terminal, a socket.
public struct DeclaredAccessory: Sendable, Hashable {
    /// A protocol, and what is opened for it.
    public struct Endpoint: Sendable, Hashable {
        /// The protocol's name.
        public var name: String
        /// What is opened.
        public var node: ChannelNode

        /// A protocol at that node.
        public init(name: String, node: ChannelNode) {
            self.name = name
            self.node = node
        }
    }

    /// For people.
    public var name: String
    /// Who made it.
    public var manufacturer = ""
    /// The maker's name for the kind of thing it is.
    public var modelNumber = ""
    /// Tells it from others of its model.
    public var serialNumber = ""
    /// As in "2.10".
    public var firmwareRevision = ""
    /// The revision of the hardware.
    public var hardwareRevision = ""
    /// Where it is, in the words of whoever declared it; the name when nothing was said.
    public var portPath: String
    /// The protocols, each with its node.
    public var endpoints: [Endpoint]

    /// An accessory with those protocols.
    public init(name: String, portPath: String? = nil, endpoints: [Endpoint]) {
        self.name = name
        self.portPath = portPath ?? name
        self.endpoints = endpoints
    }

    /// What the source tells of it, unless another declared accessory has the same identity.
    public var description: AccessoryDescription {
        AccessoryDescription(
            identity: serialNumber.isEmpty ? "port:\(portPath)" : "declared:\(name):\(serialNumber)", name: name,
            manufacturer: manufacturer, modelNumber: modelNumber, serialNumber: serialNumber,
            firmwareRevision: firmwareRevision, hardwareRevision: hardwareRevision, portPath: portPath,
            protocols: endpoints.map { AccessoryProtocol(name: $0.name, origin: .configuration, node: $0.node) })
    }
}
