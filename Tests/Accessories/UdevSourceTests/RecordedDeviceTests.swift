// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import AccessoryFinding

@Suite("Accessories of recorded and described devices")
struct RecordedDeviceTests {
    private static func detection(_ name: String, rules: [AccessoryRule] = []) throws -> AccessoryDetection {
        var tree = AccessoryTree(rules: rules)
        for record in try UmockdevFile.records(name) { tree.insert(record) }
        return try #require(tree.devices.map { tree.detection(at: $0) }.first { $0 != AccessoryDetection() })
    }

    @Test("A serial device with a udev property offers its protocol")
    func property() throws {
        let description = try #require(try Self.detection("acm-plain").description)
        #expect(description.identity == "1209:0001:TP00042")
        #expect(description.name == "Thermo Probe" && description.manufacturer == "Example Corp")
        #expect(description.modelNumber == "Thermo Probe" && description.serialNumber == "TP00042")
        #expect(description.firmwareRevision == "1.00" && description.hardwareRevision == "")
        #expect(description.portPath == "1-1" && description.vendorID == 0x1209 && description.productID == 1)
        #expect(
            description.protocols == [
                AccessoryProtocol(
                    name: "com.example.thermoprobe", origin: .udevProperty, interface: 0,
                    node: ChannelNode.tty(path: "/dev/ttyACM0", TTYSettings()))
            ])
    }

    @Test("A serial device with an interface string offers its protocol")
    func interfaceString() throws {
        let description = try #require(try Self.detection("acm-interface-string").description)
        #expect(description.identity == "1209:0002:WS-7731" && description.firmwareRevision == "2.10")
        #expect(
            description.protocols == [
                AccessoryProtocol(
                    name: "com.example.scale", origin: .interfaceString, interface: 0,
                    node: ChannelNode.tty(path: "/dev/ttyACM1", TTYSettings()))
            ])
    }

    @Test("Two vendor interfaces are opened through the endpoints of alternate setting 1")
    func endpoints() throws {
        // The endpoint descriptors of the description are hexadecimal: 07 05 81 02 00 02 00 is endpoint 0x81, bulk, 512
        // bytes.
        let description = try #require(try Self.detection("ea-native-two-protocols").description)
        func node(_ interface: UInt8, _ input: UInt8, _ output: UInt8) -> ChannelNode {
            .usb(
                USBEndpoints(
                    path: "/dev/bus/usb/001/007", interface: interface, alternate: 1, input: input, output: output,
                    packetLength: 512))
        }
        #expect(
            description.protocols == [
                AccessoryProtocol(
                    name: "com.example.bridge.data", origin: .interfaceString, interface: 0, node: node(0, 0x81, 1)),
                AccessoryProtocol(
                    name: "com.example.bridge.update", origin: .interfaceString, interface: 1, node: node(1, 0x82, 2)),
            ])
    }

    @Test("A composite device offers the protocols of its serial ports, and its HID interface requires a rule")
    func composite() throws {
        let detection = try Self.detection("composite-2acm-hid")
        let description = try #require(detection.description)
        #expect(description.protocols.map(\.name) == ["com.example.lab.data", "com.example.lab.console"])
        #expect(description.protocols.map(\.interface) == [0, 2])
        // The serial number as spelled by the device, not by udev.
        #expect(description.identity == "1209:0004:LH 9" && description.firmwareRevision == "3.05")
        #expect(detection.candidates.map(\.node) == ["/dev/hidraw0"])
        #expect(detection.candidates.first?.reason.contains("reportLength") == true)
        var rule = AccessoryRule()
        rule.interface = 4
        rule.hid = HIDFraming(reportLength: 64)
        let framed = try Self.detection("composite-2acm-hid", rules: [rule])
        #expect(
            (framed.description?.protocols.last?.node as? ChannelNode)
                == .hidraw(path: "/dev/hidraw0", HIDFraming(reportLength: 64)))
        #expect(framed.description?.protocols.last?.name == "com.example.lab.keys")
        #expect(framed.candidates.isEmpty)
    }

    @Test("Two cables without serial numbers are distinguished by their ports")
    func sameIdentity() throws {
        var rule = AccessoryRule()
        rule.vendorID = 0x1209
        rule.productID = 5
        rule.protocols = ["com.example.bench"]
        rule.tty = TTYSettings(speed: 9600)
        let first = try #require(try Self.detection("usbserial-noserial-a", rules: [rule]).description)
        let second = try #require(try Self.detection("usbserial-noserial-b", rules: [rule]).description)
        #expect(first.identity == "port:1-5.1" && second.identity == "port:1-5.2")
        #expect(first.name == "UART Cable" && first.firmwareRevision == "6.00")
        #expect((second.protocols.first?.node as? ChannelNode) == .tty(path: "/dev/ttyUSB1", TTYSettings(speed: 9600)))
        #expect(second.protocols.first?.origin == .configuration)
        let none = try Self.detection("usbserial-noserial-a")
        #expect(none.description == nil)
        #expect(none.candidates.map(\.node) == ["/dev/ttyUSB0"])
        #expect(none.candidates.first?.portPath == "1-5.1")
    }

    @Test("A security key is only a candidate, and a phone is neither an accessory nor a candidate")
    func recordings() throws {
        var tree = AccessoryTree()
        for record in try UmockdevFile.records("umockdev-fido2") { tree.insert(record) }
        #expect(tree.descriptions.isEmpty)
        #expect(tree.devices.flatMap { tree.detection(at: $0).candidates }.map(\.node) == ["/dev/hidraw5"])
        tree.removeAll()
        for record in try UmockdevFile.records("umockdev-sony-xperia-mini-pro") { tree.insert(record) }
        #expect(tree.descriptions.isEmpty)
        #expect(tree.devices.flatMap { tree.detection(at: $0).candidates }.isEmpty)
    }

    @Test(
        "The order of arrival does not affect the result",
        arguments: [
            "acm-plain", "acm-interface-string", "ea-native-two-protocols", "composite-2acm-hid",
            "usbserial-noserial-a", "umockdev-fido2",
        ])
    func order(name: String) throws {
        let records = try UmockdevFile.records(name)
        var forward = AccessoryTree()
        var backward = AccessoryTree()
        for record in records { forward.insert(record) }
        for record in records.reversed() { backward.insert(record) }
        #expect(forward.devices == backward.devices)
        for device in forward.devices { #expect(forward.detection(at: device) == backward.detection(at: device)) }
        for record in records { forward.remove(record) }
        #expect(forward.devices.isEmpty)
    }
}
