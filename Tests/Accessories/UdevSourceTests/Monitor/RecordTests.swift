// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Testing

@Suite("Device records")
struct RecordTests {
    @Test("A binary attribute is decoded to its bytes")
    func decodes() {
        let record = UdevRecord(path: "/sys/devices/x", subsystem: "usb", attributes: ["descriptors": "120100ff7FAb"])
        #expect(record.bytes(of: "descriptors") == [0x12, 0x01, 0x00, 0xFF, 0x7F, 0xAB])
    }

    @Test("An attribute that is not hexadecimal text has no bytes", arguments: ["1", "12 3", "0x12", "zz", "١٢"])
    func refuses(text: String) {
        let record = UdevRecord(path: "/sys/devices/x", subsystem: "usb", attributes: ["descriptors": text])
        #expect(record.bytes(of: "descriptors") == nil)
        #expect(record.bytes(of: "other") == nil)
    }
}
