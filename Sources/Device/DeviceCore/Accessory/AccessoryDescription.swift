// SPDX-License-Identifier: Apache-2.0

/// The properties of an attached accessory.
public struct AccessoryDescription: Sendable, Hashable, Identifiable {
    /// Identifies an accessory until it is detached. IDs start at 1 and are never reused within the process.
    public typealias ID = Int

    /// The ID, or 0 until a source has registered the accessory. An accessory is given a new ID each time it is
    /// attached.
    public var id: ID
    /// An identifier that stays the same when the accessory is reattached. It consists of the vendor ID, the product ID
    /// and the serial number, for example "1209:0002:WS-7731". Without a serial number, the identifier is based on the
    /// port, for example "port:1-2". A declared accessory with a serial number is identified by its name and serial
    /// number, for example "declared:scale:WS-7731".
    ///
    /// If two attached accessories have the same serial number, the second one is identified by its port. Declared
    /// accessories that would otherwise have the same identity are identified by their file paths, for example
    /// "file:/etc/accessories/scale.json".
    public var identity: String
    /// The display name. Empty if the accessory does not report one.
    public var name: String
    /// The manufacturer. Empty if unknown.
    public var manufacturer: String
    /// The manufacturer's model name. Empty if unknown.
    public var modelNumber: String
    /// The serial number. Empty if the accessory has none.
    public var serialNumber: String
    /// The firmware revision, for example "2.10". Empty if unknown.
    public var firmwareRevision: String
    /// The hardware revision. Empty if unknown.
    public var hardwareRevision: String
    /// The physical USB port in the kernel's notation: a bus number and a chain of port numbers, for example "1-2.4".
    /// If the accessory is not a USB device, its kernel device path or a name from the configuration.
    public var portPath: String
    /// The USB vendor ID, or nil if the accessory is not a USB device.
    public var vendorID: UInt16?
    /// The USB product ID, or nil if the accessory is not a USB device.
    public var productID: UInt16?
    /// The supported protocols. Accessory sources list each name only once, in order of interface number.
    public var protocols: [AccessoryProtocol]

    /// Creates a description.
    public init(
        id: ID = 0, identity: String, name: String, manufacturer: String = "", modelNumber: String = "",
        serialNumber: String = "", firmwareRevision: String = "", hardwareRevision: String = "", portPath: String = "",
        vendorID: UInt16? = nil, productID: UInt16? = nil, protocols: [AccessoryProtocol] = []
    ) {
        (self.id, self.identity, self.name) = (id, identity, name)
        (self.manufacturer, self.modelNumber, self.serialNumber) = (manufacturer, modelNumber, serialNumber)
        (self.firmwareRevision, self.hardwareRevision, self.portPath) = (firmwareRevision, hardwareRevision, portPath)
        (self.vendorID, self.productID, self.protocols) = (vendorID, productID, protocols)
    }

    package var portIdentity: String { "port:\(portPath)" }
    package func accessoryProtocol(named name: String) -> AccessoryProtocol? { protocols.first { $0.name == name } }
}

/// A device node used to access an accessory. Each accessory source defines its own type of node.
package protocol AccessoryNode: Sendable {
    var path: String { get }
    func isSame(as other: any AccessoryNode) -> Bool
}

extension AccessoryNode where Self: Equatable {
    package func isSame(as other: any AccessoryNode) -> Bool { other as? Self == self }
}

/// A protocol that an accessory supports.
public struct AccessoryProtocol: Sendable, Hashable {
    /// The possible origins of a protocol name, in order of precedence.
    public enum Origin: String, Sendable, Hashable {
        /// This machine's configuration or the accessory's declaration.
        case configuration
        /// The udev property `EXTERNAL_ACCESSORY_PROTOCOLS`.
        case udevProperty
        /// The USB interface's string descriptor, read from the accessory.
        case interfaceString
        /// A trace.
        case trace
    }

    /// The name in reverse-DNS notation, for example "com.example.scale".
    public var name: String
    /// The origin of the name.
    public var origin: Origin
    /// The USB interface number, or nil if the accessory is not a USB device.
    public var interface: UInt8?
    /// The device node to open, or nil if the accessory is simulated.
    package var node: (any AccessoryNode)?

    /// Creates a protocol.
    public init(name: String, origin: Origin, interface: UInt8? = nil) {
        self.init(name: name, origin: origin, interface: interface, node: nil)
    }

    package init(name: String, origin: Origin, interface: UInt8? = nil, node: (any AccessoryNode)?) {
        (self.name, self.origin, self.interface, self.node) = (name, origin, interface, node)
    }

    /// Returns true if all properties are equal.
    public static func == (one: AccessoryProtocol, other: AccessoryProtocol) -> Bool {
        guard one.name == other.name, one.origin == other.origin, one.interface == other.interface else { return false }
        guard let node = one.node, let others = other.node else { return one.node == nil && other.node == nil }
        return node.isSame(as: others)
    }

    /// Hashes the name, the interface and the node path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(interface)
        hasher.combine(node?.path)
    }

    /// The maximum length of a name, in bytes.
    package static let maximumLength = 255

    /// Returns true if the name is in reverse-DNS notation and at most ``maximumLength`` bytes long. It must consist of
    /// at least two parts separated by ".", each a non-empty sequence of ASCII letters, digits, "-" and "_".
    package static func isValid(name: some StringProtocol) -> Bool {
        let bytes = name.utf8
        guard bytes.count <= maximumLength, bytes.contains(UInt8(ascii: ".")) else { return false }
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy(isAllowed)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber) || character == "-" || character == "_"
    }
}
