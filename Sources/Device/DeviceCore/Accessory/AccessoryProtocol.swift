// SPDX-License-Identifier: Apache-2.0

/// What is opened to talk to an accessory. The source that finds the accessory knows which kinds there are.
public protocol AccessoryNode: Sendable {
    /// The node in the file system, as in "/dev/ttyACM0".
    var path: String { get }

    /// True for the same node with the same settings.
    func isSame(as other: any AccessoryNode) -> Bool
}

extension AccessoryNode where Self: Equatable {
    /// True when both are equal.
    public func isSame(as other: any AccessoryNode) -> Bool { other as? Self == self }
}

/// One way to talk to an accessory.
public struct AccessoryProtocol: Sendable, Hashable {
    /// Where a protocol's name comes from; the first that says something counts.
    public enum Origin: String, Sendable, Hashable {
        /// The configuration of this machine, or a declared accessory.
        case configuration
        /// The udev property `EXTERNAL_ACCESSORY_PROTOCOLS`.
        case udevProperty
        /// The string of the USB interface: the accessory itself.
        case interfaceString
        /// A recording.
        case trace
    }

    /// In reverse DNS, as in "com.example.scale".
    public var name: String
    /// Where the name comes from.
    public var origin: Origin
    /// The USB interface; nil for what is no USB device.
    public var interface: UInt8?
    /// What is opened; nil where only a simulation knows.
    public var node: (any AccessoryNode)?

    /// A protocol of those parts.
    public init(name: String, origin: Origin, interface: UInt8? = nil, node: (any AccessoryNode)? = nil) {
        self.name = name
        self.origin = origin
        self.interface = interface
        self.node = node
    }

    /// True when all parts are the same.
    public static func == (one: AccessoryProtocol, other: AccessoryProtocol) -> Bool {
        guard one.name == other.name, one.origin == other.origin, one.interface == other.interface else { return false }
        guard let node = one.node, let others = other.node else { return one.node == nil && other.node == nil }
        return node.isSame(as: others)
    }

    /// Hashes the name, the interface and the path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(interface)
        hasher.combine(node?.path)
    }

    /// The longest name that is taken, in bytes.
    public static let maximumLength = 255

    /// True for a name in reverse DNS: letters, digits, ".", "-" and "_", at least one dot with something on both sides
    /// of it, at most ``maximumLength`` bytes.
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
