// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A collection of udev records from which accessories are derived. Opens no devices and reads no files.
///
/// The protocol names of each USB interface are taken from the first of these sources that has a valid name:
/// 1. the first matching rule of the configuration that contains protocols. An empty list means no protocols;
/// 2. the udev property `EXTERNAL_ACCESSORY_PROTOCOLS`, a list separated by commas, spaces or tabs. It is read from the
///    tty or hidraw device, then from the USB interface, then from the USB device if only one of its interfaces can be
///    opened;
/// 3. the interface string, if it is a name in reverse-DNS notation.
///
/// An interface is opened through its tty, or through its hidraw node if a rule contains the report length. An
/// interface of class 0xFF, subclass 0xF0 and protocol 0x01 is opened through the bulk endpoints of its alternate
/// setting 1. Serial ports and hidraw nodes that are not on USB require the udev property or a rule that contains their
/// port.
package struct AccessoryTree: Sendable {
    private let rules: [AccessoryRule]
    /// The records, by the path of the attached device and then by the record's path.
    private var roots: [String: [String: UdevRecord]] = [:]

    package static let attributes = [
        "idVendor", "idProduct", "manufacturer", "product", "serial", "bcdDevice", "descriptors", "interface",
        "bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol",
    ]
    package static let subsystems = ["usb", "tty", "hidraw"]

    package init(rules: [AccessoryRule] = []) { self.rules = rules }

    /// Adds a record or replaces the record with the same path. Returns the path of the attached device, or nil if the
    /// record cannot be part of an accessory.
    @discardableResult package mutating func insert(_ record: UdevRecord) -> String? {
        guard let place = USBTopologyPosition(record) else { return nil }
        roots[place.root, default: [:]][record.path] = record
        return place.root
    }

    /// Removes a record. Returns the path of the attached device, or nil if the record is unknown.
    @discardableResult
    package mutating func remove(_ record: UdevRecord) -> String? {
        guard let place = USBTopologyPosition(record), roots[place.root]?.removeValue(forKey: record.path) != nil
        else { return nil }
        if roots[place.root]?.isEmpty == true { roots[place.root] = nil }
        return place.root
    }

    package mutating func removeAll() { roots = [:] }

    package var devices: [String] { roots.keys.sorted() }

    /// Returns the accessory, candidates and warnings derived from an attached device.
    package func detection(at root: String) -> AccessoryDetection {
        guard let records = roots[root] else { return AccessoryDetection() }
        return AccessoryDetector(root: root, records: records, rules: rules).detect()
    }

    /// All accessories, ordered by the path of the device. Each has a unique identity.
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

/// The result of examining an attached device.
package struct AccessoryDetection: Sendable, Hashable {
    /// The accessory; nil if the device is not an accessory or its records are incomplete.
    package var description: AccessoryDescription?
    /// The parts of the device that lack a protocol or a setting.
    package var candidates: [AccessoryCandidate] = []
    package var warnings: [String] = []
    /// The accessory's nodes for which udevd has not run its rules. They may not exist yet.
    package var uninitializedNodes: Set<String> = []
    /// A value that changes if a different device is attached to the port or the same device is reattached.
    package internal(set) var attachmentToken = ""
}

extension AccessoryDescription {
    /// Returns the accessories among kernel devices, ordered by path, as a live source would publish them.
    package static func detect(in records: [UdevRecord], rules: [AccessoryRule] = []) -> [AccessoryDescription] {
        var tree = AccessoryTree(rules: rules)
        for record in records { tree.insert(record) }
        return tree.descriptions
    }
}
