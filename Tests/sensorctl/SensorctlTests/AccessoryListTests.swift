// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import JSONBytes
import Testing

@testable import SensorTools

@Suite("Accessories in list and watch")
struct AccessoryListTests {
    private static let list: AccessoryList = {
        var scale = AccessoryDescription.scale(protocols: ["com.example.scale", "com.example.log"])
        scale.id = 3
        scale.protocols[1].origin = .interfaceString
        let cable = AccessoryCandidate(
            name: "FT232R", portPath: "1-4", vendorID: 0x0403, productID: 0x6001, interface: 0, node: "/dev/ttyUSB0",
            reason: "It has no protocol.")
        return AccessoryList(
            accessories: [scale], candidates: [cable],
            problems: [DeviceError(.notSupported, "Nothing can be watched.")])
    }()

    @Test("Each protocol is listed with its node and the origin of its name")
    func rows() {
        let rows = Self.list.rows(ink: TerminalStyle(isOn: false))
        let text = rows.map { "\($0.name)|\($0.value)|\($0.remark)" }
        #expect(
            text == [
                "Accessories|Weigh Scale  Example Corp  WS-7  serial WS-7731|1209:0001:WS-7731, port 1-2",
                "|  com.example.scale  /dev/ttyACM0|udev property EXTERNAL_ACCESSORY_PROTOCOLS",
                "|  com.example.log  /dev/ttyACM0|USB interface string",
                "Candidates|/dev/ttyUSB0  FT232R|port 1-4", "|  It has no protocol.|",
                "|Nothing can be watched.|",
            ])
        #expect(AccessoryList().rows(ink: TerminalStyle(isOn: false)).map(\.value) == ["none"])
    }

    @Test("A reason that several candidates share is printed once")
    func sharedReason() {
        func candidate(_ node: String, _ reason: String) -> AccessoryCandidate {
            AccessoryCandidate(
                name: "Port", portPath: "", vendorID: nil, productID: nil, interface: nil, node: node, reason: reason)
        }
        let list = AccessoryList(candidates: [
            candidate("/dev/ttyS0", "A"), candidate("/dev/ttyS1", "B"), candidate("/dev/ttyS2", "A"),
        ])
        #expect(
            list.rows(ink: TerminalStyle(isOn: false)).map(\.value) == [
                "none", "/dev/ttyS0  Port", "/dev/ttyS1  Port", "  B", "/dev/ttyS2  Port", "  A",
            ])
    }

    @Test("The JSON output has one object for each accessory, candidate port and problem")
    func json() throws {
        var writer = JSONWriter()
        Self.list.write(to: &writer)
        let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\n")
        let objects = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.compactMap { $0["kind"] as? String } == ["accessory", "accessoryCandidate", "problem"])
        let accessory = try #require(objects.first)
        #expect(accessory["id"] as? Int == 3)
        #expect(accessory["identity"] as? String == "1209:0001:WS-7731")
        #expect(accessory["vendor"] as? String == "1209")
        #expect(accessory["product"] as? String == "0001")
        #expect(accessory["firmware"] as? String == "2.10")
        let protocols = try #require(accessory["protocols"] as? [[String: Any]])
        #expect(protocols.compactMap { $0["origin"] as? String } == ["udevProperty", "interfaceString"])
        #expect(protocols.compactMap { $0["interface"] as? Int } == [0, 1])
        #expect(protocols.compactMap { $0["node"] as? String } == ["/dev/ttyACM0", "/dev/ttyACM0"])
        #expect(objects[1]["node"] as? String == "/dev/ttyUSB0")
        #expect(objects[1]["vendor"] as? String == "0403")
        #expect(objects[1]["reason"] as? String == "It has no protocol.")
    }

    private static func configuration(_ text: String) -> Configuration {
        Configuration.load(environment: ["DEVICE_SERVICES_CONFIG": "/settings.json"]) {
            _ throws(DeviceError) in Array(text.utf8)
        }
    }

    @Test(
        "A proposed setting is valid and yields a rule for the device or a declared accessory",
        arguments: ["/dev/ttyACM0", "/dev/hidraw0", "/dev/bus/usb/001/012"])
    func settings(node: String) throws {
        let usb = AccessoryCandidate(
            name: "Cable", portPath: "1-2", vendorID: 0x1209, productID: 0x0001, interface: 3, node: node, reason: "")
        let configuration = Self.configuration(usb.setting)
        #expect(configuration.problems.map(\.description) == [])
        let rule = try #require(configuration.accessoryRules.value.first)
        #expect(rule.vendorID == 0x1209)
        #expect(rule.productID == 0x0001)
        #expect(rule.interface == 3)
        #expect(rule.protocols == ["com.example.protocol"])
        #expect((rule.tty != nil) == node.contains("tty"))
        #expect((rule.hid != nil) == node.contains("hidraw"))
        #expect(usb.nodeDescription == (node.contains("bus") ? "\(node) interface 3" : node))

        let board = AccessoryCandidate(name: "", portPath: "", node: "/dev/ttyAMA0", reason: "")
        let declared = Self.configuration(board.setting)
        #expect(declared.problems.map(\.description) == [])
        #expect(declared.declaredAccessories.value.first?.endpoints.first?.node.path == "/dev/ttyAMA0")
    }
}
