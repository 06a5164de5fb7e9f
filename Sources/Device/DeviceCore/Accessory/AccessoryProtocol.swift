// SPDX-License-Identifier: Apache-2.0

/// A device node that is opened to communicate with an accessory. The concrete type belongs to the source that found
/// the accessory.
public protocol AccessoryNode: Sendable {
    /// The path of the node, for example "/dev/ttyACM0".
    var path: String { get }

    /// True if the other value is the same node with the same settings.
    func isSame(as other: any AccessoryNode) -> Bool
}

extension AccessoryNode where Self: Equatable {
    /// True if both values are equal.
    public func isSame(as other: any AccessoryNode) -> Bool { other as? Self == self }
}

/// A protocol that an accessory supports.
public struct AccessoryProtocol: Sendable, Hashable {
    /// The origin of a protocol's name, in order of precedence.
    public enum Origin: String, Sendable, Hashable {
        /// The configuration of this machine, or a declared accessory.
        case configuration
        /// The udev property `EXTERNAL_ACCESSORY_PROTOCOLS`.
        case udevProperty
        /// The string descriptor of the USB interface, which the accessory provides.
        case interfaceString
        /// A trace.
        case trace
    }

    /// The name in reverse-DNS notation, for example "com.example.scale".
    public var name: String
    /// The origin of the name.
    public var origin: Origin
    /// The number of the USB interface; nil if the accessory is not a USB device.
    public var interface: UInt8?
    /// The node to open; nil for simulated accessories.
    public var node: (any AccessoryNode)?

    /// Creates a protocol.
    public init(name: String, origin: Origin, interface: UInt8? = nil, node: (any AccessoryNode)? = nil) {
        self.name = name
        self.origin = origin
        self.interface = interface
        self.node = node
    }

    /// True if all properties are equal.
    public static func == (one: AccessoryProtocol, other: AccessoryProtocol) -> Bool {
        guard one.name == other.name, one.origin == other.origin, one.interface == other.interface else { return false }
        guard let node = one.node, let others = other.node else { return one.node == nil && other.node == nil }
        return node.isSame(as: others)
    }

    /// Hashes the name, the interface and the path of the node.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(interface)
        hasher.combine(node?.path)
    }

    /// The maximum length of a name, in bytes.
    public static let maximumLength = 255

    /// True if the name is in reverse-DNS notation: at least two non-empty parts separated by ".", consisting of ASCII
    /// letters, digits, "-" and "_", and at most ``maximumLength`` bytes.
    public static func isValid(name: some StringProtocol) -> Bool {
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
