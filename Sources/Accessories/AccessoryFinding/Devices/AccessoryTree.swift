// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// Derives accessories from udev records. Opens no devices and reads no files.
///
/// The protocol names of a USB interface come from the first of the following sources that has a valid name:
/// 1. The first matching rule in the configuration that specifies protocols. An empty list removes all protocols.
/// 2. The udev property `EXTERNAL_ACCESSORY_PROTOCOLS`, a list separated by commas, spaces or tabs. The tty or hidraw
///    device's property takes precedence over the USB interface's. The USB device's property applies only if just one
///    of its interfaces can be opened.
/// 3. The interface string, if it is a reverse-DNS name.
///
/// A session opens the tty of an interface, or the hidraw node if a rule specifies the report length. If an interface
/// has class 0xFF, subclass 0xF0 and protocol 0x01, a session opens the bulk endpoints of alternate setting 1. Serial
/// ports and hidraw nodes that are not on USB require the udev property or a rule that specifies their port.
package struct AccessoryTree: Sendable {
    private let rules: [AccessoryRule]
    /// All records, keyed by the path of the attached device to which they belong, and then by their own path.
    private var roots: [String: [String: UdevRecord]] = [:]

    /// The sysfs attributes and the subsystems that a udev monitor must report.
    package static let attributes = [
        "idVendor", "idProduct", "manufacturer", "product", "serial", "bcdDevice", "descriptors", "interface",
        "bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol",
    ]
    package static let subsystems = ["usb", "tty", "hidraw"]

    package init(rules: [AccessoryRule] = []) { self.rules = rules }

    /// Adds a record. Returns the path of the attached device to which it belongs, or `nil` if the record cannot be
    /// part of an accessory.
    @discardableResult package mutating func insert(_ record: UdevRecord) -> String? {
        guard let position = USBTopologyPosition(record) else { return nil }
        roots[position.root, default: [:]][record.path] = record
        return position.root
    }

    /// Removes a record. Returns the path of the attached device to which it belonged, or `nil` if the record is
    /// unknown.
    @discardableResult package mutating func remove(_ record: UdevRecord) -> String? {
        guard let position = USBTopologyPosition(record), roots[position.root]?.removeValue(forKey: record.path) != nil
        else { return nil }
        if roots[position.root]?.isEmpty == true { roots[position.root] = nil }
        return position.root
    }

    package mutating func removeAll() { roots = [:] }

    package var devices: [String] { roots.keys.sorted() }

    package func detection(at root: String) -> AccessoryDetection {
        guard let records = roots[root] else { return AccessoryDetection() }
        return AccessoryDetector(root: root, records: records, rules: rules).detect()
    }

    /// All accessories, ordered by device path. Each has a unique identity.
    package var descriptions: [AccessoryDescription] {
        var identities: Set<String> = []
        return devices.compactMap { root in
            guard var description = detection(at: root).description else { return nil }
            if !identities.insert(description.identity).inserted {
                description.identity = description.portIdentity
                identities.insert(description.identity)
            }
            return description
        }
    }
}

package struct AccessoryDetection: Sendable, Hashable {
    /// The accessory, or `nil` if the device is not an accessory or if some of its records are missing.
    package var description: AccessoryDescription?
    /// The device's interfaces and nodes that lack a protocol or a setting.
    package var candidates: [AccessoryCandidate] = []
    package var warnings: [String] = []
    /// The accessory's nodes that udevd has not yet processed. Some of them may not exist yet.
    package var uninitializedNodes: Set<String> = []
    /// A value that changes each time a device is attached to the port, even if it is the same device.
    package internal(set) var attachmentToken = ""
}

extension AccessoryDescription {
    /// Detects accessories in a list of records. The result is ordered by device path and matches the list that a live
    /// source would publish.
    package static func detect(in records: [UdevRecord], rules: [AccessoryRule] = []) -> [AccessoryDescription] {
        var tree = AccessoryTree(rules: rules)
        for record in records { tree.insert(record) }
        return tree.descriptions
    }
}
