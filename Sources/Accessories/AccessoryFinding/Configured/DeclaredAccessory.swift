// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// An accessory that no bus can enumerate: an on-board serial port, a pseudo-terminal or a socket.
public struct DeclaredAccessory: Sendable, Hashable {
    /// A protocol and its node.
    public struct Endpoint: Sendable, Hashable {
        /// The name of the protocol.
        public var name: String
        /// The node that a session opens.
        public var node: ChannelNode

        /// Creates an endpoint.
        public init(name: String, node: ChannelNode) {
            self.name = name
            self.node = node
        }
    }

    /// The display name.
    public var name: String
    /// The name of the manufacturer; empty if unknown.
    public var manufacturer = ""
    /// The manufacturer's model number; empty if unknown.
    public var modelNumber = ""
    /// The serial number; empty if unknown.
    public var serialNumber = ""
    /// The firmware revision, such as "2.10"; empty if unknown.
    public var firmwareRevision = ""
    /// The hardware revision; empty if unknown.
    public var hardwareRevision = ""
    /// The location of the accessory as free text. The default is the name.
    public var portPath: String
    /// The protocols with their nodes.
    public var endpoints: [Endpoint]

    /// Creates an accessory. Without a `portPath`, the name is used.
    public init(name: String, portPath: String? = nil, endpoints: [Endpoint]) {
        self.name = name
        self.portPath = portPath ?? name
        self.endpoints = endpoints
    }

    /// The description that the source publishes, unless another declared accessory has the same identity.
    public var description: AccessoryDescription {
        AccessoryDescription(
            identity: serialNumber.isEmpty ? "port:\(portPath)" : "declared:\(name):\(serialNumber)", name: name,
            manufacturer: manufacturer, modelNumber: modelNumber, serialNumber: serialNumber,
            firmwareRevision: firmwareRevision, hardwareRevision: hardwareRevision, portPath: portPath,
            protocols: endpoints.map { AccessoryProtocol(name: $0.name, origin: .configuration, node: $0.node) })
    }
}
