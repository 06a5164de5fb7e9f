// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import DeviceCore
import Foundation
import TestSupport
import Testing
import Trace
import UmockdevFormat

@testable import AccessorySimulator

@Suite("Accessories from files", .serialized)
struct AccessoryFileTests {
    static let dialogue: [(write: String, read: String)] = [
        ("ID?\r\n", "Weigh Scale WS-2024 2.10\r\n"), ("TARE\r\n", "OK\r\n"), ("SI\r\n", "S D     12.4 g\r\n"),
        ("S\r\n", "S S     12.5 g\r\n"),
    ]

    // The names and numbers in the files.
    @Test(
        "Descriptions become accessories by the same rules as live devices",
        arguments: [
            ("acm-plain", "Thermo Probe", "TP00042", ["com.example.thermoprobe"]),
            ("acm-interface-string", "Weigh Scale", "WS-7731", ["com.example.scale"]),
            (
                "ea-native-two-protocols", "Dual Bridge", "DB0001",
                ["com.example.bridge.data", "com.example.bridge.update"]
            ),
            ("composite-2acm-hid", "Lab Hub", "LH 9", ["com.example.lab.data", "com.example.lab.console"]),
        ])
    func descriptions(file: String, name: String, serial: String, protocols: [String]) throws {
        let description = try UmockdevDescription(path: Samples.path("\(file).umockdev"))
        let accessories = description.accessories { _, _ in EchoPeer() }
        #expect(accessories.map(\.description.name) == [name])
        #expect(accessories.map(\.description.serialNumber) == [serial])
        #expect(accessories.map(\.description.manufacturer) == ["Example Corp"])
        #expect(accessories.first?.endpoints.map(\.name) == protocols)
    }

    @Test(
        "A recorded scale answers and reports where a program departs from the recording",
        arguments: ["weigh-scale.umockdev", "weigh-scale.trace"])
    func scale(file: String) throws {
        for departs in [false, true] {
            let simulator = try AccessorySimulator(file: Samples.path(file))
            let folder = try simulator.start()
            let path = try socket(of: simulator, in: folder)
            let port = try #require(PlainPort(socket: path))
            for (number, step) in Self.dialogue.enumerated() {
                let wrong = departs && number == 1
                #expect(port.write(Array((wrong ? "BARE\r\n" : step.write).utf8)))
                #expect(String(decoding: port.read(step.read.utf8.count), as: UTF8.self) == step.read)
            }
            port.close()
            #expect(simulator.waitUntilPlayed(seconds: 60))
            #expect(simulator.hasPlayed)
            if file.hasSuffix(".trace") {
                #expect(simulator.attached.isEmpty)
            }
            simulator.stop()
            #expect(simulator.differences.count == (departs ? 1 : 0), "\(simulator.differences)")
            if departs {
                #expect(
                    simulator.differences.first?.hasSuffix("tep 3: received \"BARE\\r\\n\" instead of \"TARE\\r\\n\".")
                        == true,
                    "\(simulator.differences)")
            }
        }
    }

    @Test("A trace whose accessory is never opened still ends and reports the unopened session")
    func noClients() throws {
        var options = AccessorySimulatorOptions()
        options.speed = 100
        options.dialogueTimeout = .milliseconds(50)
        let simulator = try AccessorySimulator(file: Samples.path("weigh-scale.trace"), options: options)
        try simulator.start()
        #expect(simulator.waitUntilPlayed(seconds: 60))
        #expect(simulator.differences == ["Weigh Scale, com.example.scale, session 1: no program opened it."])
        simulator.stop()
    }

    @Test("Events with the same time are played in the order of the trace", arguments: 1...4)
    func sameTime(count: Int) throws {
        let attach = #"{"t":0,"attach":{"id":"1","name":"Probe","port":"1-6","protocols":["com.example.probe"]}}"#
        let detach = #"{"t":0,"detach":"1"}"#
        let simulator = try AccessorySimulator(trace: trace([attach, detach, attach, detach].prefix(count)))
        try simulator.start()
        #expect(simulator.waitUntilPlayed(seconds: 60))
        #expect(simulator.attached.count == count % 2)
        simulator.stop()
    }

    @Test("A simulator that is stopped during playback plays the whole trace after a restart")
    func restart() throws {
        let attach = #"{"t":0.2,"attach":{"id":"1","name":"Probe","port":"1-6","protocols":["com.example.probe"]}}"#
        let simulator = try AccessorySimulator(trace: trace([attach]))
        #expect(!simulator.hasPlayed)
        try simulator.start()
        simulator.stop()
        try simulator.start()
        #expect(simulator.waitUntilPlayed(seconds: 60))
        #expect(simulator.attached.count == 1)
        simulator.stop()
    }

    @Test("Problems in a trace are reported")
    func warnings() throws {
        let header = try #require(
            String(contentsOfFile: Samples.path("weigh-scale.trace"), encoding: .utf8)
                .split(separator: "\n").first)
        let attach = #""attach":{"id":"1","name":"Probe","port":"1-6","protocols":["com.example.probe"]}"#
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("probe.trace")
        let lines = [
            String(header), "{\"t\":0.1,\(attach)}", #"{"t":0.05,"open":"com.example.probe","accessory":"1"}"#,
            #"{"t":0.2,"in":"x","accessory":"2","protocol":"com.example.probe"}"#, "{\"t\":0.3,",
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        let simulator = try AccessorySimulator(file: file.path)
        #expect(
            simulator.differences == [
                #"the time is earlier than in the previous line; the previous time was used (line 3: "{\"t\":0.05,\"open\":\"com.example.probe\",\"accessory\":\"1\"}")."#,
                #"the accessory is not attached at this time, or does not offer the protocol; the event was skipped (line 4: "{\"t\":0.2,\"in\":\"x\",\"accessory\":\"2\",\"protocol\":\"com.example.probe\"}")."#,
                #"the trace ends in the middle of this line, which was skipped (line 5: "{\"t\":0.3,")."#,
            ])
        // Equal problems produce one message, so that the differences of a program still fit.
        try Data((lines.prefix(2) + Array(repeating: lines[3], count: 500)).joined(separator: "\n").utf8).write(
            to: file)
        let differences = try AccessorySimulator(file: file.path).differences
        #expect(differences.count == 1)
        #expect(differences.first?.contains("(500 times; first in line 3: ") == true)
    }

    @Test("An accessory without protocols is reported and leaves no files")
    func noProtocol() throws {
        let header = try #require(
            String(contentsOfFile: Samples.path("weigh-scale.trace"), encoding: .utf8)
                .split(separator: "\n").first)
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: parent) }
        let file = parent.appendingPathComponent("lamp.trace")
        let attach = #"{"t":0.0,"attach":{"id":"1","name":"Lamp","port":"1-6","protocols":[]}}"#
        try Data("\(header)\n\(attach)\n".utf8).write(to: file)
        var options = AccessorySimulatorOptions()
        options.folder = parent.path
        let simulator = try AccessorySimulator(file: file.path, options: options)
        try simulator.start()
        #expect(simulator.waitUntilPlayed(seconds: 60))
        simulator.stop()
        #expect(simulator.differences.first?.contains("Lamp offers no protocol") == true, "\(simulator.differences)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["lamp.trace"])
    }

    @Test("A declared accessory uses the peer that the closure returns")
    func declaration() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("probe.json")
        try Data(#"{"name":"Probe","protocols":{"com.example.probe":{"tty":"/dev/ttyS9"}}}"#.utf8).write(to: file)
        let simulator = try AccessorySimulator(file: file.path) { accessory, accessoryProtocol in
            LinePeer(greeting: [.text("\(accessory.name) \(accessoryProtocol.name)")]) { _ in [] }
        }
        let port = try #require(PlainPort(socket: try socket(of: simulator, in: try simulator.start())))
        #expect(String(decoding: port.read(23), as: UTF8.self) == "Probe com.example.probe")
        simulator.stop()
    }

    @Test(
        "A file without accessories is rejected, and the error names it",
        arguments: ["umockdev-sony-xperia-mini-pro.umockdev", "README.md", "missing"])
    func nothing(file: String) {
        let error = #expect(throws: DeviceError.self) { try AccessorySimulator(file: Samples.path(file)) }
        #expect(error?.message.contains(file) == true)
    }

    private func trace(_ lines: some Sequence<String>) throws -> TraceFile {
        let header = #"{"format":"device-services-trace","version":1}"#
        return try TraceFile(bytes: Array(([header] + lines).joined(separator: "\n").utf8) + [10], name: "probe")
    }

    /// Returns the socket path of the first announced accessory.
    private func socket(of simulator: AccessorySimulator, in folder: String) throws -> String {
        var name: String?
        let isThere = simulator.wait(seconds: 60) {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
            name = names?.first { $0.hasSuffix(".json") }
            return name != nil
        }
        #expect(isThere)
        let path = "\(folder)/\(try #require(name))"
        let (accessory, _) = DeclaredAccessory.read(
            json: Array(try Data(contentsOf: URL(fileURLWithPath: path))), path: path)
        return try #require(accessory?.endpoints.first).node.path
    }
}
