// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import Testing

@testable import DeviceCore

@Suite("Files that declare accessories")
struct DeclaredAccessoryTests {
    private static func read(_ text: String) -> (accessory: DeclaredAccessory?, problems: [DeviceError]) {
        DeclaredAccessory.read(json: [UInt8](text.utf8), path: "/run/accessories/scale.json")
    }

    @Test("Each value of a declared accessory is read from its file")
    func wholeFile() throws {
        let (accessory, problems) = Self.read(
            """
            {"name":"Weigh Scale","manufacturer":"Example Corp","model":"WS-7","serial":"WS-7731","firmware":"2.10",
             "hardware":"1","port":"bench-1","protocols":{
              "com.example.scale":{"tty":"/dev/ttyS1","speed":9600,"dtr":"leave","flowControl":"none"},
              "com.example.log":{"socket":"x.sock"},
              "com.example.hid":{"hidraw":"/dev/hidraw0","reportLength":64,"reportNumber":0}}}
            """)
        #expect(problems.isEmpty)
        let description = try #require(accessory).description
        #expect(description.identity == "declared:Weigh Scale:WS-7731")
        #expect(description.name == "Weigh Scale" && description.manufacturer == "Example Corp")
        #expect(description.modelNumber == "WS-7" && description.serialNumber == "WS-7731")
        #expect(description.firmwareRevision == "2.10" && description.hardwareRevision == "1")
        #expect(description.portPath == "bench-1")
        #expect(
            description.protocols.map { $0.node as? ChannelNode } == [
                .tty(path: "/dev/ttyS1", TTYSettings(speed: 9600, dtr: .leave)),
                .socket(path: "/run/accessories/x.sock"),
                .hidraw(path: "/dev/hidraw0", HIDFraming(reportLength: 64)),
            ])
        #expect(description.protocols.allSatisfy { $0.origin == .configuration })
    }

    @Test("A written file is read back unchanged")
    func roundTrip() {
        var accessory = DeclaredAccessory(
            name: "Größe \"1\"", portPath: "bench",
            endpoints: [
                .init(
                    name: "com.a",
                    node: .tty(path: "/dev/a b", TTYSettings(speed: 57_600, dtr: .leave, usesHardwareFlowControl: true))
                ),
                .init(name: "com.b", node: .hidraw(path: "/dev/h", HIDFraming(reportLength: 8, reportNumber: 2))),
                .init(name: "com.c", node: .socket(path: "/s")),
            ])
        accessory.manufacturer = "M"
        accessory.modelNumber = "N"
        accessory.serialNumber = "S"
        accessory.firmwareRevision = "1.00"
        accessory.hardwareRevision = "B"
        let again = DeclaredAccessory.read(json: accessory.json(), path: "/x.json")
        #expect(again.problems.isEmpty)
        #expect(again.accessory == accessory)
    }

    @Test("USB endpoints are not written to a file")
    func usb() {
        let endpoints = USBEndpoints(path: "/u", interface: 0, alternate: 1, input: 0x81, output: 2, packetLength: 512)
        let accessory = DeclaredAccessory(name: "A", endpoints: [.init(name: "com.a", node: .usb(endpoints))])
        #expect(String(decoding: accessory.json(), as: UTF8.self) == #"{"name":"A","port":"A","protocols":{}}"# + "\n")
    }

    @Test(
        "An invalid protocol is reported and skipped, and the other protocols are kept",
        arguments: [
            (#""com.a": 1"#, "protocols.com.a is not an object"),
            (#""com.a": {}"#, "requires exactly one of tty, socket"),
            (#""com.a": {"tty": "/a", "socket": "/b"}"#, "requires exactly one of tty, socket"),
            (#""com.a": {"tty": 1}"#, "protocols.com.a.tty is not a string"),
            (#""com.a": {"tty": "a\u0000b"}"#, "protocols.com.a.tty is not a valid path"),
            (#""com.a": {"tty": "/a", "speed": -1}"#, "protocols.com.a.speed is not a whole number"),
            (#""com.a": {"tty": "/a", "reportLength": 8}"#, "which require a hidraw"),
            (#""com.a": {"socket": "/a", "dtr": "leave"}"#, "which require a tty"),
            (#""com.a": {"hidraw": "/a"}"#, "requires a reportLength"),
            (#""nodot": {"socket": "/a"}"#, "is not the name of a protocol"),
            (#""com.good": {"socket": "/other"}"#, "is duplicated"),
        ])
    func mistakes(text: String, problem: String) {
        let (accessory, problems) = Self.read(
            #"{"name": "A", "protocols": {"com.good": {"socket": "/good"}, \#(text)}}"#)
        #expect(accessory?.endpoints == [.init(name: "com.good", node: .socket(path: "/good"))])
        #expect(problems.count == 1)
        let message = problems.first?.message ?? ""
        #expect(message.hasPrefix("/run/accessories/scale.json: ") && message.contains(problem), "\(message)")
    }

    @Test(
        "A file without a valid name or protocol yields one problem and no accessory",
        arguments: [
            "", "{", "[]", "1", #"{"name": "A"}"#, #"{"name": "A", "protocols": {}}"#,
            #"{"name": "A", "protocols": 3}"#,
            #"{"protocols": {"com.a": {"socket": "/s"}}}"#, #"{"name": "", "protocols": {"com.a": {"socket": "/s"}}}"#,
            #"{"name": 3, "protocols": {"com.a": {"socket": "/s"}}}"#, #"{"name": "A", "protocols": {"com.a": {}}}"#,
            #"{"name": "A", "protocols": {"com.a": {"socket": "/s"}}"#,
            #"{"name": "A", "protocols": {"com.a": {"socket": "/s"}}} x"#,
        ])
    func none(text: String) {
        let (accessory, problems) = Self.read(text)
        #expect(accessory == nil)
        #expect(problems.count == 1)
        #expect(problems.first?.message.contains("/run/accessories/scale.json") == true)
    }

    @Test("A truncated file yields one problem and no accessory")
    func beginnings() {
        let text = [UInt8](
            #"{"name":"A","port":"p","protocols":{"com.a":{"tty":"/t","speed":9600},"com.b":{"socket":"s"}}}"#.utf8)
        for length in 0..<text.count {
            let (accessory, problems) = DeclaredAccessory.read(json: [UInt8](text[..<length]), path: "f.json")
            #expect(accessory == nil)
            #expect(problems.count == 1)
        }
    }

    @Test("A file over the size limit is not read")
    func large() {
        let blank = [UInt8](repeating: UInt8(ascii: " "), count: DeclaredAccessory.maximumFileLength + 1)
        let (accessory, problems) = DeclaredAccessory.read(json: blank, path: "f.json")
        #expect(accessory == nil && problems.count == 1)
    }

    @Test("Keys and file names cannot inject terminal control characters into error messages")
    func escapes() {
        let path = "/tmp/\u{1b}[31mx.json"
        for text in [#"{"\u001b]0;title\u0007": 1}"#, #"{"protocols": {"com.a": {"\u001b[2J": 1}}}"#, "{"] {
            let problems = DeclaredAccessory.read(json: Array(text.utf8), path: path).problems
            #expect(!problems.isEmpty)
            #expect(!problems.contains { $0.message.unicodeScalars.contains { $0.value < 0x20 } })
        }
    }
}
