// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import SensorTools

@Suite("Selection of an accessory and a protocol")
struct AccessoryChoiceTests {
    private static let accessories: [AccessoryDescription] = {
        var scale = AccessoryDescription.scale()
        scale.id = 1
        var other = AccessoryDescription.scale(serial: "WS-8000", port: "1-3", node: "/dev/ttyACM1")
        other.id = 2
        var cable = AccessoryDescription.scale(serial: "", port: "1-4.1", name: "USB Serial", node: "/dev/ttyUSB0")
        cable.id = 7
        return [scale, other, cable]
    }()

    private static func chosen(_ text: String) -> AccessoryDescription.ID? {
        try? AccessorySelector.accessory(text, among: accessories).get().id
    }

    @Test(
        "An accessory is found by name, serial number, identity, port, node or ID, ignoring case",
        arguments: [
            ("WS-7731", 1), ("1209:0001:WS-7731", 1), ("1-2", 1), ("/dev/ttyACM0", 1), ("1", 1), ("2", 2),
            ("USB Serial", 7), ("usb serial", 7), ("port:1-4.1", 7), ("1-4.1", 7), ("7", 7), ("ws-8000", 2),
        ])
    func found(text: String, id: Int) { #expect(Self.chosen(text) == id) }

    @Test("A unique prefix selects an accessory")
    func prefix() {
        #expect(Self.chosen("usb") == 7)
        #expect(Self.chosen("1209:0001:WS-8") == 2)
        #expect(Self.chosen("weigh") == nil)
    }

    @Test("An ambiguous name lists the matching accessories with their distinguishing properties")
    func ambiguous() throws {
        guard
            case .failure(.ambiguous(let message)) = AccessorySelector.accessory("Weigh Scale", among: Self.accessories)
        else {
            Issue.record("It was chosen.")
            return
        }
        #expect(message.contains("1209:0001:WS-7731, port 1-2, id 1"))
        #expect(message.contains("1209:0001:WS-8000, port 1-3, id 2"))
        #expect(!message.contains("USB Serial"))
    }

    @Test("An unknown name fails and lists the available accessories", arguments: ["printer", "", "1-"])
    func missing(text: String) {
        guard case .failure(.missing(let message)) = AccessorySelector.accessory(text, among: Self.accessories) else {
            Issue.record("It was chosen.")
            return
        }
        #expect(message.contains("USB Serial"))
        let nothing = AccessorySelector.accessory(text, among: [])
        #expect(throws: AccessorySelector.Failure.self) { try nothing.get() }
    }

    @Test("An accessory's only protocol is the default; of several, a unique suffix selects one")
    func protocols() throws {
        let one = AccessoryDescription.scale()
        #expect(try AccessorySelector.protocolName(nil, of: one).get() == "com.example.scale")
        let two = AccessoryDescription.scale(protocols: ["com.example.scale", "com.example.log", "org.other.log"])
        #expect(try AccessorySelector.protocolName("scale", of: two).get() == "com.example.scale")
        #expect(try AccessorySelector.protocolName("Example.Log", of: two).get() == "com.example.log")
        guard case .failure(.ambiguous(let open)) = AccessorySelector.protocolName(nil, of: two),
            case .failure(.ambiguous(let both)) = AccessorySelector.protocolName("log", of: two),
            case .failure(.missing(let none)) = AccessorySelector.protocolName("le", of: two)
        else {
            Issue.record("One was chosen.")
            return
        }
        #expect(open.contains("com.example.scale, com.example.log, org.other.log"))
        #expect(both.contains("com.example.log and org.other.log"))
        #expect(none.contains("does not offer the protocol \"le\""))
    }

    @Test("The label of an accessory contains no control characters")
    func names() {
        var accessory = AccessoryDescription.scale()
        accessory.name = "\u{1B}[2JScale\u{7}"
        #expect(accessory.label == "\u{FFFD}[2JScale\u{FFFD}")
    }
}
