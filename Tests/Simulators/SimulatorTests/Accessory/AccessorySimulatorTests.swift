// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding

@testable import AccessorySimulator
import DeviceCore
import Foundation
import LoopbackServer
import TestSupport
import Testing
import Trace

@Suite("Ports of the accessory simulator", .serialized)
struct AccessorySimulatorTests {
    static let transports: [SimulatedTransport] = [.socket, .pseudoTerminal]

    @Test("An attached accessory is declared in the folder, and detaching removes the declaration")
    func announcement() throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        #expect(try simulator.start() == folder)
        var description = AccessoryDescription(identity: "x", name: "Weigh \"Scale\"")
        description.manufacturer = "Example Corp"
        description.serialNumber = "WS-7731"
        description.portPath = "1-2"
        let id = try simulator.attach(
            SimulatedAccessory(
                description,
                endpoints: [
                    .init(name: "com.example.scale", peer: EchoPeer()),
                    .init(name: "com.example.log", peer: EchoPeer()),
                ]))
        let declared = try #require(try declarations(folder).first)
        #expect(declared.name == "Weigh \"Scale\"")
        #expect(declared.manufacturer == "Example Corp")
        #expect(declared.serialNumber == "WS-7731")
        #expect(declared.portPath == "1-2")
        #expect(declared.endpoints.map(\.name).sorted() == ["com.example.log", "com.example.scale"])
        #expect(simulator.attached == [id])
        simulator.detach(id)
        #expect(simulator.attached == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        simulator.stop()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A restart uses a new folder, and stopping leaves no files")
    func restart() throws {
        let simulator = AccessorySimulator([accessory(EchoPeer())])
        let first = try simulator.start()
        simulator.stop()
        let second = try simulator.start()
        #expect(first != second)
        #expect(!FileManager.default.fileExists(atPath: first))
        #expect(try declarations(second).count == 1)
        simulator.stop()
        #expect(simulator.folder == nil)
        #expect(throws: DeviceError.self) { try simulator.attach(accessory(EchoPeer())) }
    }

    @Test("Files of a killed simulator are removed by the next one, and other files are kept")
    func abandoned() throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent(
            "left-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: parent) }
        let files = [
            // Left behind by a killed simulator.
            "accessories-aaaaaa": ["1.json", "1-0", "12.json.tmp", "12-10"],
            // Contains files that no simulator creates.
            "accessories-bbbbbb": ["1.json", "mine", "-1", "1-x", "1.jso"],
            // Possibly just created.
            "accessories-cccccc": [],
            "accessories-other": ["1.json"],
        ]
        for (name, entries) in files {
            let folder = parent.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for entry in entries { try Data("{}".utf8).write(to: folder.appendingPathComponent(entry)) }
        }
        var options = AccessorySimulatorOptions()
        options.folder = parent.path
        let other = AccessorySimulator([accessory(EchoPeer())], options: options)
        let alive = try other.start()
        let simulator = AccessorySimulator([accessory(EchoPeer())], options: options)
        let own = try simulator.start()
        #expect(try declarations(alive).count == 1)
        #expect(try declarations(own).count == 1)
        simulator.stop()
        other.stop()
        let remainingFiles = try FileManager.default.contentsOfDirectory(atPath: parent.path).sorted()
        #expect(remainingFiles == ["accessories-bbbbbb", "accessories-cccccc", "accessories-other"])
        let rest = try FileManager.default.contentsOfDirectory(atPath: parent.path + "/accessories-bbbbbb").sorted()
        #expect(rest == ["-1", "1-x", "1.jso", "mine"])
    }

    @Test("An accessory without protocols is rejected and leaves no files")
    func noProtocol() throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        let error = #expect(throws: DeviceError.self) {
            try simulator.attach(
                SimulatedAccessory(AccessoryDescription(identity: "x", name: "Lamp"), endpoints: []))
        }
        #expect(error?.message.contains("Lamp offers no protocol") == true)
        #expect(simulator.attached == [])
        simulator.stop()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("A folder that is missing or too long for a socket path is rejected with advice")
    func folders() throws {
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent(String(repeating: "x", count: 100))
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: parent) }
        for path in ["/nonexistent", parent.path] {
            var options = AccessorySimulatorOptions()
            options.folder = path
            let error = #expect(throws: DeviceError.self) { try AccessorySimulator(options: options).start() }
            #expect(error?.message.contains("Set TMPDIR") == true)
            #expect(error?.code == .inputOutput)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == [])
    }

    @Test("An echo peer answers in several sessions", arguments: transports)
    func echo(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        try simulator.start()
        let id = try simulator.attach(accessory(EchoPeer()), transport: transport)
        let message = (0..<100_000).map { PatternPeer.byte(at: $0) }
        for round in 0..<3 {
            let port = try open(simulator, round)
            for offset in stride(from: 0, to: message.count, by: 4000) {
                let part = Array(message[offset..<min(offset + 4000, message.count)])
                #expect(port.write(part))
                let isSame = port.read(part.count) == part
                #expect(isSame)
            }
        }
        simulator.detach(id)
        simulator.stop()
    }

    @Test("Bytes sent by a peer are read before the port hangs up", arguments: transports)
    func endOfPeer(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        try simulator.start()
        let id = try simulator.attach(accessory(PatternPeer(length: 300_000, hangsUp: false)), transport: transport)
        let port = try open(simulator)
        let first = port.read(299_000)
        // All bytes are sent, but not all are read, when the accessory is detached.
        #expect(simulator.wait(seconds: 60) { (simulator.traffic(of: id)?.bytesSent ?? 0) >= 300_000 })
        let detached = BinarySemaphore()
        Thread.detachNewThread {
            simulator.detach(id, .afterReading)
            detached.signal()
        }
        let rest = port.readAll()
        #expect(detached.wait(seconds: 60))
        let all = first + rest
        #expect(all.count == 300_000)
        let isSame = all == (0..<300_000).map { PatternPeer.byte(at: $0) }
        #expect(isSame)
        simulator.stop()
    }

    @Test("Bytes that a program writes before it closes the port reach the peer", arguments: transports)
    func sink(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        try simulator.start()
        let sink = SinkPeer()
        let received = BinarySemaphore()
        try simulator.attach(accessory(SignalingPeer(sink, received)), transport: transport)
        let message = (0..<200_000).map { PatternPeer.byte(at: $0) }
        let port = try open(simulator)
        #expect(port.write(message))
        port.close()
        while sink.count < 200_000 { try #require(received.wait(seconds: 60)) }
        #expect(sink.count == 200_000)
        #expect(sink.checksum == SinkPeer.checksum(of: message))
        simulator.stop()
    }

    @Test("A socket serves one program at a time, and the next one after it closes")
    func exclusive() throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        try simulator.attach(accessory(EchoPeer()))
        let path = try #require(try declarations(folder).first?.endpoints.first?.node.path)
        let first = try #require(PlainPort(socket: path))
        #expect(first.write([1]))
        #expect(first.read(1) == [1])
        #expect(PlainPort(socket: path) == nil)
        #expect(errno == EAGAIN)
        #expect(first.write([2]))
        #expect(first.read(1) == [2])
        first.close()
        let port = try #require(PlainPort(socket: path, waits: true))
        #expect(port.write([3]))
        #expect(port.read(1) == [3])
        simulator.stop()
    }

    @Test("A program that does not flush its terminal receives the data as well")
    func withoutFlush() throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        try simulator.attach(accessory(PatternPeer(length: 4)), transport: .pseudoTerminal)
        let path = try #require(try declarations(folder).first?.endpoints.first?.node.path)
        let port = try #require(PlainPort(terminal: path, flushes: false))
        #expect(port.read(4) == (0..<4).map { PatternPeer.byte(at: $0) })
        simulator.stop()
    }

    @Test("Unplugging an accessory immediately closes its port", arguments: transports)
    func unplugged(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        let id = try simulator.attach(accessory(PatternPeer()), transport: transport)
        let port = try open(simulator)
        #expect(port.read(1000).count == 1000)
        simulator.detach(id, .immediately)
        #expect(try declarations(folder).isEmpty)
        // The bytes in transit, then end of file.
        let rest = port.readAll()
        let isSame = rest == (0..<rest.count).map { PatternPeer.byte(at: Int64($0) + 1000) }
        #expect(isSame)
        #expect(!port.write([1]))
        simulator.stop()
    }

    @Test("An accessory can be unplugged while a program writes", arguments: transports)
    func unpluggedWhileWriting(transport: SimulatedTransport) throws {
        var faults = AccessoryFaults()
        faults.unplugsAfterReceiving = 10_000
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        try simulator.attach(
            SimulatedAccessory(name: "Probe", protocol: "com.example.probe", peer: SinkPeer(), faults: faults),
            transport: transport)
        let port = try open(simulator)
        let chunk = [UInt8](repeating: 7, count: 1000)
        var written = 0
        while port.write(chunk), written < 100_000_000 { written += chunk.count }
        #expect(written >= 9_000)
        #expect(simulator.wait(seconds: 60) { simulator.attached.isEmpty })
        #expect(try declarations(folder).isEmpty)
        simulator.stop()
    }

    @Test("A hanging device accepts no input and resumes later", arguments: transports)
    func inputPaused(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        try simulator.start()
        let sink = SinkPeer()
        let received = BinarySemaphore()
        let id = try simulator.attach(accessory(SignalingPeer(sink, received)), transport: transport)
        let port = try open(simulator)
        #expect(port.write([1]))
        while sink.count < 1 { try #require(received.wait(seconds: 60)) }
        simulator.setInputPaused(of: id)
        let acceptedCount = port.fill([UInt8](repeating: 9, count: 4096))
        #expect(acceptedCount > 0)
        // After two more commands the server has polled all its ports.
        for _ in 0..<2 { simulator.setInputPaused(of: id) }
        #expect(simulator.traffic(of: id)?.bytesReceived == 1)
        #expect(sink.count == 1)
        simulator.setInputPaused(of: id, false)
        while sink.count < Int64(acceptedCount + 1) { try #require(received.wait(seconds: 60)) }
        #expect(sink.count == Int64(acceptedCount + 1))
        simulator.stop()
    }

    @Test("Closing the port of a hanging device frees it for the next program", arguments: transports)
    func inputPausedAndClosed(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        try simulator.start()
        let id = try simulator.attach(accessory(PatternPeer()), transport: transport)
        let first = try open(simulator)
        #expect(first.read(1000).count == 1000)
        simulator.setInputPaused(of: id)
        first.close()
        #expect(simulator.wait(seconds: 60) { simulator.traffic(of: id)?.openSessions == 0 })
        let second = try open(simulator)
        #expect(second.read(1000) == (0..<1000).map { PatternPeer.byte(at: $0) })
        #expect(simulator.traffic(of: id)?.bytesReceived == 0)
        simulator.stop()
    }

    @Test("Commands to a stopped simulator complete immediately")
    func stopped() throws {
        let state = try SimulatorState()
        let early = BinarySemaphore()
        state.stop()
        SimulatorLoop(state: state).run()
        let late = BinarySemaphore()
        state.add(.detach(1, .afterReading, done: early))
        state.add(.setInputPaused(1, true, done: late))
        #expect(early.wait(seconds: 60))
        #expect(late.wait(seconds: 60))
    }

    @Test("A hang-up of the peer keeps its socket but removes its terminal")
    func hangUp() throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        let id = try simulator.attach(accessory(PatternPeer(length: 10, hangsUp: true)))
        for _ in 0..<2 { #expect(try open(simulator).readAll().count == 10) }
        simulator.detach(id)
        try simulator.attach(accessory(PatternPeer(length: 0, hangsUp: true)), transport: .pseudoTerminal)
        #expect(try open(simulator).readAll() == [])
        #expect(simulator.wait(seconds: 60) { simulator.attached.isEmpty })
        #expect(try declarations(folder).isEmpty)
        simulator.stop()
    }

    @Test("Attaching and detaching 1,000 accessories does not exhaust descriptors", arguments: transports)
    func concurrentClients(transport: SimulatedTransport) throws {
        let simulator = AccessorySimulator()
        let folder = try simulator.start()
        let passing = accessory(EchoPeer())
        for _ in 0..<997 { simulator.detach(try simulator.attach(passing, transport: transport), .immediately) }
        let stay = try (0..<3).map { _ in try simulator.attach(passing, transport: transport) }
        #expect(simulator.attached == stay)
        #expect(try declarations(folder).count == 3)
        for index in 0..<3 {
            let port = try open(simulator, index: index)
            #expect(port.write([5]))
            #expect(port.read(1) == [5])
        }
        simulator.stop()
    }

    // MARK: -

    private func accessory(_ peer: some AccessoryPeer) -> SimulatedAccessory {
        SimulatedAccessory(name: "Probe", protocol: "com.example.probe", peer: peer)
    }

    private func declarations(_ folder: String) throws -> [DeclaredAccessory] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted().map {
            let path = "\(folder)/\($0)"
            let (accessory, problems) = DeclaredAccessory.read(
                json: Array(try Data(contentsOf: URL(fileURLWithPath: path))), path: path)
            #expect(problems.isEmpty)
            return try #require(accessory)
        }
    }

    /// Opens the accessory's first protocol after the previous session has ended.
    private func open(_ simulator: AccessorySimulator, _ round: Int = 0, index: Int = 0) throws -> PlainPort {
        let folder = try #require(simulator.folder)
        let accessories = try declarations(folder)
        switch try #require(accessories[index].endpoints.first).node {
        case .socket(let path): return try #require(PlainPort(socket: path, waits: true), "\(errno)")
        case .tty(let path, _): return try #require(PlainPort(terminal: path))
        default: return try #require(nil)
        }
    }
}
