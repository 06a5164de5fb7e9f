// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import AccessorySimulator
import DeviceCore
import Foundation
import TestSupport
import Testing
import UmockdevFormat

@Suite("umockdev descriptions")
struct UmockdevDescriptionTests {
    @Test(
        "A parsed description is written back byte for byte",
        arguments: [
            "acm-interface-string", "acm-plain", "composite-2acm-hid", "ea-native-two-protocols", "umockdev-fido2",
            "umockdev-sony-xperia-mini-pro", "usbserial-noserial-a", "usbserial-noserial-b", "weigh-scale",
        ])
    func roundTrip(name: String) throws {
        let bytes = try Samples.bytes("\(name).umockdev")
        let description = try UmockdevDescription(bytes: bytes, name: name)
        #expect(!description.devices.isEmpty)
        // Compares strings, because arrays of bytes are unreadable in a failure message.
        #expect(String(decoding: description.text, as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
    }

    @Test("Every kind of line is parsed")
    func kinds() throws {
        let description = try read(
            """
            P: /devices/a
            N: bus/usb/001/006=12FF
            S: serial/by-id/a b
            E: SUBSYSTEM=usb
            E: ID_MODEL_ENC=Weigh\\x20=Scale
            E: EMPTY=
            A: product=say \\"hi\\" \\\\ \\t\\v\\f\\b\\r\\001\\303\\244\\q\\n
            A: power/control=on
            H: descriptors=00ff0A
            L: driver=../../bus/drv

            """)
        // The values that umockdev-run 0.17.16 creates below /sys for the same lines.
        let expected: [UmockdevDevice.Entry] = [
            .node(name: "bus/usb/001/006", contents: [0x12, 0xFF]), .link("serial/by-id/a b"),
            .property(name: "SUBSYSTEM", value: "usb"),
            .property(name: "ID_MODEL_ENC", value: "Weigh\\x20=Scale"), .property(name: "EMPTY", value: ""),
            .attribute(
                name: "product", value: Array("say \"hi\" \\ \t\u{B}\u{C}\u{8}\r\u{1}\u{E4}q\n".utf8)),
            .attribute(name: "power/control", value: Array("on".utf8)),
            .binaryAttribute(name: "descriptors", value: [0, 0xFF, 0x0A]),
            .attributeLink(name: "driver", target: "../../bus/drv"),
        ]
        #expect(description.devices == [UmockdevDevice(path: "/devices/a", entries: expected)])
        let device = try #require(description.devices.first)
        #expect(device.node == "bus/usb/001/006")
        #expect(device.property("SUBSYSTEM") == "usb")
        #expect(device.attribute("descriptors") == [0, 0xFF, 0x0A])
        #expect(device.attribute("missing") == nil)
    }

    @Test("The number of lines per file is limited")
    func tooMany() throws {
        let maximum = UmockdevDescription.maximumEntries
        let text =
            Array("P: /devices/a\nE: SUBSYSTEM=usb\n".utf8)
            + [[UInt8]](repeating: Array("L: a=\n".utf8), count: maximum).joined()
        let error = #expect(throws: DeviceError.self) { try UmockdevDescription(bytes: text, name: "sample") }
        #expect(error?.message.hasPrefix("sample, line \(maximum + 2): ") == true, "\(error?.message ?? "none")")
    }

    @Test("Attributes are written with C escapes, and non-ASCII bytes with octal digits")
    func escapes() throws {
        let value = Array("\"\\\u{8}\t\n\u{B}\u{C}\r\u{1}\u{7F}\u{E4}~".utf8)
        let device = UmockdevDevice(
            path: "/devices/a",
            entries: [.property(name: "SUBSYSTEM", value: "x"), .attribute(name: "a", value: value)])
        let text = UmockdevDescription(devices: [device]).text
        #expect(
            String(decoding: text, as: UTF8.self)
                == "P: /devices/a\nE: SUBSYSTEM=x\nA: a=\\\"\\\\\\b\\t\\n\\v\\f\\r\\001\\177\\303\\244~\n\n")
        #expect(try UmockdevDescription(bytes: text, name: "x").devices == [device])
    }

    @Test(
        "A parse error names its line",
        arguments: [
            ("# words\n", 1), ("\nE: SUBSYSTEM=a\n", 2), ("P: /dev/a\n", 1), ("P: /devices/../a\n", 1),
            ("P: /devices/a//b\n", 1), ("P: /devices/a\nE: NAME=1\n", 2),
            ("P: /devices/a\nE: SUBSYSTEM=a\nE: SUBSYSTEM=b\n", 3), ("P: /devices/a\nP: /devices/b\n", 2),
            ("P: /devices/a\nE: SUBSYSTEM=a\n\nP: /devices/a\n", 4), ("P: /devices/a\nZ: what\n", 2),
            ("P: /devices/a\nA:no blank=1\n", 2), ("P: /devices/a\nA: name\n", 2), ("P: /devices/a\nA: =1\n", 2),
            ("P: /devices/a\nA: ../../x=1\n", 2), ("P: /devices/a\nA: /etc/passwd=1\n", 2),
            ("P: /devices/a\nA: a=1\\\n", 2), ("P: /devices/a\nH: a=012\n", 2), ("P: /devices/a\nH: a=0g\n", 2),
            ("P: /devices/a\nN: \n", 2), ("P: /devices/a\nN: ../null\n", 2), ("P: /devices/a\nS: /etc/a\n", 2),
            ("P: /devices/a\r\nE: SUBSYSTEM=a\r\n\r\n", 3), ("P: /devices/a\nE: A=\u{0}\n", 2), ("P\n", 1), ("P:\n", 1),
        ])
    func failures(text: String, line: Int) {
        let error = #expect(throws: DeviceError.self) { try read(text) }
        #expect(error?.code == .invalidTrace)
        #expect(error?.message.hasPrefix("sample, line \(line): ") == true, "\(error?.message ?? "none")")
    }

    @Test("An empty file has no devices, and the last line needs no line feed")
    func ends() throws {
        #expect(try read("").devices.isEmpty)
        #expect(try read("\n\n").devices.isEmpty)
        #expect(try read("P: /devices/a\nE: SUBSYSTEM=a").devices.count == 1)
    }

    @Test("A damaged file yields an error or devices that can be written and parsed again")
    func damage() throws {
        let bytes = try Samples.bytes("composite-2acm-hid.umockdev")
        var numbers = TestRandom()
        for _ in 0..<Thoroughness.rounds(2000, quick: 200) {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &numbers) where !damaged.isEmpty {
                let offset = Int.random(in: 0..<damaged.count, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: damaged[offset] = UInt8.random(in: 0...255, using: &numbers)
                case 1: damaged.remove(at: offset)
                default: damaged.removeLast(damaged.count - max(offset, 1))
                }
            }
            guard let description = try? UmockdevDescription(bytes: damaged, name: "x") else { continue }
            // A parsed description can be written and parsed again.
            #expect(try UmockdevDescription(bytes: description.text, name: "y") == description)
        }
    }

    @Test("Devices become the records that a udev monitor reports")
    func records() throws {
        let description = try UmockdevDescription(path: Samples.path("acm-interface-string.umockdev"))
        let records = description.records
        #expect(records.map(\.subsystem) == ["usb", "usb", "usb", "tty"])
        let device = try #require(records.first)
        #expect(device.path == "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2")
        #expect(device.type == "usb_device")
        #expect(device.node == "/dev/bus/usb/001/006")
        #expect(device.attributes["serial"] == "WS-7731")
        #expect(device.attributes["descriptors"]?.hasPrefix("12010002020000400912") == true)
        #expect(records.last?.node == "/dev/ttyACM1")
        #expect(records.last?.isInitialized == true)
        // The port belongs to an interface, which has the name, and to a device, which has the serial number.
        #expect(records.last?.usbInterface == "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0")
        #expect(records.last?.usbDevice == device.path)
        #expect(records.last?.attributes["interface"] == "com.example.scale")
        #expect(records.last?.attributes["serial"] == "WS-7731")
        #expect(device.usbDevice == device.path)
        #expect(device.usbInterface.isEmpty)
    }

    @discardableResult
    private func read(_ text: String) throws -> UmockdevDescription {
        try UmockdevDescription(bytes: Array(text.utf8), name: "sample")
    }
}

/// The udev samples of the project.
enum Samples {
    static let folder = Checkout.traces.appendingPathComponent("udev")

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
