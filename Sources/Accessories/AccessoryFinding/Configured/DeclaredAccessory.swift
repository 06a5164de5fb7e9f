// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// An accessory that no bus can enumerate, such as an on-board serial port, a pseudo-terminal or a socket.
package struct DeclaredAccessory: Sendable, Hashable {
    package struct Endpoint: Sendable, Hashable {
        package var name: String
        package var node: ChannelNode

        package init(name: String, node: ChannelNode) {
            self.name = name
            self.node = node
        }
    }

    package var name: String
    package var manufacturer = ""
    package var modelNumber = ""
    package var serialNumber = ""
    /// The firmware revision, such as "2.10". Empty if unknown.
    package var firmwareRevision = ""
    package var hardwareRevision = ""
    /// A description of where the accessory is connected. Defaults to the name.
    package var portPath: String
    package var endpoints: [Endpoint]

    package init(name: String, portPath: String? = nil, endpoints: [Endpoint]) {
        (self.name, self.portPath, self.endpoints) = (name, portPath ?? name, endpoints)
    }

    /// The description to publish. If another declared accessory has the same identity, the source makes this identity
    /// unique.
    package var description: AccessoryDescription {
        AccessoryDescription(
            identity: serialNumber.isEmpty ? "port:\(portPath)" : "declared:\(name):\(serialNumber)", name: name,
            manufacturer: manufacturer, modelNumber: modelNumber, serialNumber: serialNumber,
            firmwareRevision: firmwareRevision, hardwareRevision: hardwareRevision, portPath: portPath,
            protocols: endpoints.map { AccessoryProtocol(name: $0.name, origin: .configuration, node: $0.node) })
    }
}
