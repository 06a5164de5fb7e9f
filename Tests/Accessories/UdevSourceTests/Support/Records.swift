// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// Device records for tests.
enum Records {
    static let root = "/sys/devices/platform/usb1/1-2"

    static func device(
        _ root: String = Records.root, attributes: [String: String] = [:], properties: [String: String] = [:],
        number: Int = 5
    ) -> UdevRecord {
        UdevRecord(
            path: root, subsystem: "usb", type: "usb_device", node: "/dev/bus/usb/001/00\(number)",
            properties: ["DEVNUM": "00\(number)"].merging(properties) { $1 },
            attributes: ["idVendor": "1209", "idProduct": "0007", "serial": "S1"].merging(attributes) { $1 })
    }

    static func interface(
        _ number: Int, of root: String = Records.root, string: String? = nil, classes: String = "02 02 01",
        properties: [String: String] = [:]
    ) -> UdevRecord {
        let parts = classes.split(separator: " ").map(String.init)
        var attributes = [
            "bInterfaceClass": parts[0], "bInterfaceSubClass": parts[1], "bInterfaceProtocol": parts[2],
        ]
        attributes["interface"] = string
        return UdevRecord(
            path: "\(root)/\(root.split(separator: "/").last ?? ""):1.\(number)", subsystem: "usb",
            type: "usb_interface", properties: properties, attributes: attributes)
    }

    static func tty(
        _ interface: UdevRecord, _ name: String, properties: [String: String] = [:], isInitialized: Bool = true
    ) -> UdevRecord {
        UdevRecord(
            path: "\(interface.path)/tty/\(name)", subsystem: "tty", node: "/dev/\(name)", isInitialized: isInitialized,
            properties: properties)
    }

    /// Returns a device with one serial port whose interface has this string.
    static func plain(_ string: String? = nil, properties: [String: String] = [:]) -> [UdevRecord] {
        let interface = interface(0, string: string)
        return [device(), interface, tty(interface, "ttyACM0", properties: properties)]
    }

    /// Returns the identities of all accessories.
    static func identities(_ records: [UdevRecord]) -> [String] {
        var tree = AccessoryTree()
        for record in records { tree.insert(record) }
        return tree.descriptions.map(\.identity)
    }

    static func detection(_ records: [UdevRecord], rules: [AccessoryRule] = [], of root: String? = nil)
        -> AccessoryDetection
    {
        var tree = AccessoryTree(rules: rules)
        for record in records { tree.insert(record) }
        return tree.detection(at: root ?? tree.devices.first ?? "")
    }
}
