// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore

/// Reads the input as an accessory file, as a configuration of accessories, and as the descriptors and strings of a USB
/// device.
func fuzzAccessories(_ input: UnsafeBufferPointer<UInt8>) {
    let input = [UInt8](input)
    let (accessory, problems) = DeclaredAccessory.read(json: input, path: "/fuzz.json")
    precondition(accessory != nil || problems.count >= 1)
    if let accessory {
        // A parsed accessory is written so that it is parsed again as the same accessory.
        let again = DeclaredAccessory.read(json: accessory.json(), path: "/fuzz.json")
        precondition(again.accessory == accessory && again.problems.isEmpty)
    }
    describe(input)
}

private let digits = Array("0123456789abcdef".utf8)

private func describe(_ input: [UInt8]) {
    var hex: [UInt8] = []
    for byte in input { hex += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    let text = String(decoding: input, as: UTF8.self)
    let root = "/sys/devices/usb1/1-1"
    let records = [
        UdevRecord(
            path: root, subsystem: "usb", type: "usb_device", node: "/dev/bus/usb/001/002",
            properties: ["ID_VENDOR_ENC": text, "ID_VENDOR_ID": "1209", "ID_MODEL_ID": "0001"],
            attributes: [
                "descriptors": String(decoding: hex, as: UTF8.self), "product": text, "serial": text, "bcdDevice": text,
            ]),
        UdevRecord(
            path: root + "/1-1:1.0", subsystem: "usb", type: "usb_interface",
            attributes: [
                "bInterfaceClass": "ff", "bInterfaceSubClass": "f0", "bInterfaceProtocol": "01", "interface": "com.a",
            ]),
        UdevRecord(path: root + "/1-1:1.1", subsystem: "usb", type: "usb_interface", attributes: ["interface": text]),
        UdevRecord(
            path: root + "/1-1:1.1/tty/ttyACM0", subsystem: "tty", node: "/dev/ttyACM0",
            properties: ["EXTERNAL_ACCESSORY_PROTOCOLS": text]),
        UdevRecord(path: "/sys/" + text, subsystem: "tty", node: "/dev/ttyS9"),
    ]
    let accessories = AccessoryDescription.detect(in: records)
    for accessory in accessories {
        for shown in [accessory.name, accessory.manufacturer, accessory.serialNumber, accessory.firmwareRevision] {
            precondition(shown.utf8.count <= 520 && !shown.unicodeScalars.contains { $0.value < 0x20 })
        }
        for one in accessory.protocols { precondition(AccessoryProtocol.isValid(name: one.name)) }
    }
}
