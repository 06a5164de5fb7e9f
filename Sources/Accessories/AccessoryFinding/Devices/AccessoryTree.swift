// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import UdevRecords

/// Accessories out of what udev tells of devices. Pure: nothing is opened or read.
///
/// Names of protocols come from the first of these that gives a valid one, for each USB interface by itself:
/// 1. the first rule of the configuration that fits and names protocols, where an empty list means none;
/// 2. the udev property `EXTERNAL_ACCESSORY_PROTOCOLS`, names between commas or blanks: of the tty or hidraw, else of
///    the interface, else of the USB device when just one of its interfaces can be opened;
/// 3. the string of the interface, when it is a name in reverse DNS.
///
/// An interface is opened through its tty; through its hidraw where a rule says how long reports are; and, when it has
/// the class FF, subclass F0 and protocol 01, through the bulk endpoints of its alternate setting 1. Serial ports and
/// hidraws that USB did not bring need a rule that names their port, or the property.
package struct AccessoryTree: Sendable {
    private let rules: [AccessoryRule]
    /// Records by the device that is plugged in, then by path.
    private var roots: [String: [String: UdevRecord]] = [:]

    /// The attributes that have to be in records.
    package static let attributes = [
        "idVendor", "idProduct", "manufacturer", "product", "serial", "bcdDevice", "descriptors", "interface",
        "bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol",
    ]
    /// The subsystems that records have to come from.
    package static let subsystems = ["usb", "tty", "hidraw"]

    /// A tree without devices.
    package init(rules: [AccessoryRule] = []) {
        self.rules = rules
    }

    /// Takes a record in, or in the place of the one at its path. Returns the device that it belongs to; nil when no
    /// accessory can come of it.
    @discardableResult
    package mutating func put(_ record: UdevRecord) -> String? {
        guard let place = DevicePlace(record) else { return nil }
        roots[place.root, default: [:]][record.path] = record
        return place.root
    }

    /// Forgets a record. Returns the device that it belonged to; nil when it was not known.
    @discardableResult
    package mutating func remove(_ record: UdevRecord) -> String? {
        guard let place = DevicePlace(record), roots[place.root]?.removeValue(forKey: record.path) != nil
        else { return nil }
        if roots[place.root]?.isEmpty == true { roots[place.root] = nil }
        return place.root
    }

    /// Forgets all devices.
    package mutating func removeAll() {
        roots = [:]
    }

    /// The devices that are plugged in, by path.
    package var devices: [String] { roots.keys.sorted() }

    /// What is made of a device.
    package func survey(of root: String) -> AccessorySurvey {
        guard let records = roots[root] else { return AccessorySurvey() }
        return AccessorySurveyor(root: root, records: records, rules: rules).survey()
    }

    /// All accessories, by path. No two have the same identity.
    package var descriptions: [AccessoryDescription] {
        var identities: Set<String> = []
        return devices.compactMap { root in
            guard var description = survey(of: root).description else { return nil }
            if !identities.insert(description.identity).inserted {
                description.identity = description.portIdentity
                identities.insert(description.identity)
            }
            return description
        }
    }
}

/// What is made of one device that is plugged in.
package struct AccessorySurvey: Sendable, Hashable {
    /// The accessory; nil when the device is none, or not yet.
    package var description: AccessoryDescription?
    /// Parts of it that could be accessories and have no protocol.
    package var candidates: [AccessoryCandidate] = []
    /// What people who look after the machine should know.
    package var remarks: [String] = []
    /// Nodes of the accessory that no udevd has looked after: they may not be there yet.
    package var unattendedNodes: Set<String> = []
    /// Changes when the same port has got another device, or the same one again.
    package internal(set) var attachment = ""
}

extension AccessoryDescription {
    /// The accessories among devices of the kernel, by path: what a live source would tell of.
    package static func found(in records: [UdevRecord], rules: [AccessoryRule] = []) -> [AccessoryDescription] {
        var tree = AccessoryTree(rules: rules)
        for record in records { tree.put(record) }
        return tree.descriptions
    }
}
