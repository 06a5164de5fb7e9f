// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A device of a umockdev recording.
public struct UmockdevDevice: Sendable, Hashable {
    /// What a line of the file says of the device.
    public enum Entry: Sendable, Hashable {
        /// `N:` The node below /dev, and what can be read there; nil when the file does not say.
        case node(name: String, contents: [UInt8]?)
        /// `S:` A link to the node, below /dev.
        case link(String)
        /// `E:` A udev property.
        case property(name: String, value: String)
        /// `A:` An attribute of sysfs with its bytes, the line's end included.
        case attribute(name: String, value: [UInt8])
        /// `H:` An attribute whose bytes are no text.
        case binaryAttribute(name: String, value: [UInt8])
        /// `L:` An attribute that is a symbolic link, with its target.
        case attributeLink(name: String, target: String)
    }

    /// `P:` The path below /sys, as in "/devices/pci0000:00/0000:00:14.0/usb1/1-2".
    public var path: String
    /// What the other lines say, in their order.
    public var entries: [Entry]

    /// A device of those parts.
    public init(path: String, entries: [Entry] = []) {
        self.path = path
        self.entries = entries
    }

    /// The value of a udev property; nil when the file has none of that name.
    public func property(_ name: String) -> String? {
        for case .property(name, let value) in entries { return value }
        return nil
    }

    /// The bytes of an attribute; nil when the file has none of that name.
    public func attribute(_ name: String) -> [UInt8]? {
        for entry in entries {
            switch entry {
            case .attribute(name, let value), .binaryAttribute(name, let value): return value
            default: continue
            }
        }
        return nil
    }

    /// The node below /dev; nil when it has none.
    public var node: String? {
        for case .node(let name, _) in entries { return name }
        return nil
    }
}
