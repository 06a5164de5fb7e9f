// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing
import Trace

extension IntegrationTests {
    @Suite("Programs that communicate with accessories")
    struct AccessoryProgramTests {
        static let transports: [SimulatedTransport] = [.socket, .pseudoTerminal]

        @Test("A program exchanges lines with a scale and is notified when it is detached", arguments: transports)
        func dialogue(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let program = try AccessoryProgram("com.example.scale", folder: try simulator.start())
            try #require(await program.line(#"{"event":"ready"}"#) != nil)
            let id = try simulator.attach(
                SimulatedAccessory(
                    name: "Weigh Scale", protocol: "com.example.scale",
                    peer: LinePeer { $0 == "S" ? [.text("S S     12.5 g\r\n")] : [.text("ES\r\n")] }),
                transport: transport)
            try #require(await program.line(#"{"event":"opened","name":"Weigh Scale"}"#) != nil, "\(program.said)")
            program.command("write S")
            try #require(await program.line(#"{"event":"read","text":"S S     12.5 g\r\n"}"#) != nil, "\(program.said)")
            program.command("write what?")
            try #require(await program.line(#""text":"ES\r\n""#) != nil, "\(program.said)")
            simulator.detach(id)
            try #require(await program.line(#""event":"disconnected""#) != nil, "\(program.said)")
            let lines = program.process.lines.elements
            #expect(lines.count { $0.contains("input ended") } == 1, "\(program.said)")
            #expect(lines.count { $0.contains("failed") } == 0, "\(program.said)")
            #expect(lines.last?.contains("disconnected") == true, "\(program.said)")
            await program.process.kill()
            simulator.stop()
        }

        @Test(
            "A recorded dialogue is replayed to a program that follows it",
            arguments: ["weigh-scale.umockdev", "weigh-scale.trace"])
        func recorded(file: String) async throws {
            let path = Tools.traces.deletingLastPathComponent().appendingPathComponent("udev/\(file)").path
            let simulator = try AccessorySimulator(file: path)
            let program = try AccessoryProgram("com.example.scale", folder: try simulator.start())
            try #require(await program.line(#""event":"opened""#) != nil, "\(program.said)")
            for (command, answer) in [("ID?", "2.10"), ("TARE", "OK"), ("SI", "12.4"), ("S", "12.5")] {
                program.command("write \(command)")
                try #require(await program.line(answer) != nil, "\(program.said)")
            }
            program.command("close")
            try #require(await program.line(#""event":"closed""#) != nil)
            #expect(await simulator.wait { $0.hasPlayed })
            #expect(simulator.differences == [])
            await program.process.kill()
            simulator.stop()
        }

        @Test(
            "A program finds umockdev's replay of the scale through libudev and has the same dialogue",
            .enabled(if: Tools.umockdevRun != nil, Tools.umockdevMissing),
            .enabled(if: Tools.hasLibUdev, "built without the trait LibUdev"))
        func umockdev() async throws {
            let folder = Tools.traces.deletingLastPathComponent().appendingPathComponent("udev").path
            // umockdev-run provides /dev/ttyACM5 to the program, so the machine needs no such device.
            let program = AccessoryProgram(
                process: try ChildProcess(
                    try #require(Tools.umockdevRun),
                    [
                        "-d", "\(folder)/weigh-scale.umockdev", "-s", "/dev/ttyACM5=\(folder)/weigh-scale.script", "--",
                    ] + TestProgram.apps.command("session", "com.example.scale"),
                    environment: ["DEVICE_SERVICES_CONFIG": try ConfigurationFile.empty.get().path]))
            try #require(await program.line(#"{"event":"opened","name":"Weigh Scale"}"#) != nil, "\(program.said)")
            for (command, answer) in [("ID?", "2.10"), ("TARE", "OK"), ("SI", "12.4"), ("S", "12.5")] {
                program.command("write \(command)")
                try #require(await program.line(answer) != nil, "\(program.said)")
            }
            program.command("quit")
            #expect(await program.process.wait() == .exited(0))
        }

        @Test(
            "Attaching, communicating and detaching many times loses no bytes and leaks no resources",
            arguments: transports)
        func rounds(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let program = try AccessoryProgram(
                "com.example.probe", ["--pattern", "--greeting", "HELLO"], folder: try simulator.start())
            try #require(await program.line(#"{"event":"ready"}"#) != nil)
            let length = 3000
            let hasSent = Mutex(0)
            let received = Mutex("")
            let pattern = (0..<length).map { PatternPeer.byte(at: Int64($0)) }
            let peer = ClosurePeer { event in
                switch event {
                case .received(let bytes):
                    let isWhole = received.withLock { received in
                        received += String(decoding: bytes, as: UTF8.self)
                        return received == "HELLO"
                    }
                    return isWhole ? [.send(pattern), .setTimer(after: .zero)] : []
                case .timerFired:
                    hasSent.withLock { $0 += 1 }
                    return []
                case .opened, .closed: return []
                }
            }
            var early = AccessoryProgram.Use()
            var place = 0
            let rounds = Thoroughness.rounds(1000, quick: 100)
            for round in 1...rounds {
                received.withLock { $0 = "" }
                let id = try simulator.attach(
                    SimulatedAccessory(name: "Probe", protocol: "com.example.probe", peer: peer), transport: transport)
                let isSent = await simulator.wait { _ in hasSent.withLock { $0 } == round }
                try #require(isSent, "round \(round): \(received.withLock { $0 }) \(program.said)")
                simulator.detach(id, .afterReading)
                place =
                    try #require(
                        await program.line(#""event":"disconnected""#, after: place), "round \(round): \(program.said)")
                    + 1
                if round == rounds / 10 { early = program.use }
            }
            let lines = program.process.lines.elements
            #expect(lines.count { $0.contains(#""event":"opened""#) } == rounds)
            #expect(lines.count { $0.contains(#""event":"connected""#) } == rounds)
            let whole = lines.filter {
                $0.contains(#""disconnected""#) && $0.contains(#""count":3000"#) && $0.contains(#""wrong":-1"#)
            }
            #expect(whole.count == rounds)
            #expect(whole.allSatisfy { $0.contains(#""isConnected":false"#) })
            // The order is the same, regardless of which event the kernel reports first.
            let order = lines.compactMap { line in ["input ended", "disconnected"].first { line.contains($0) } }
            #expect(order == (0..<rounds * 2).map { $0.isMultiple(of: 2) ? "input ended" : "disconnected" })
            let ends = lines.filter { $0.contains("input ended") }
            #expect(ends.count == rounds)
            // Every byte arrived in order, followed by the end.
            let isWhole = ends.allSatisfy { $0 == #"{"count":3000,"event":"input ended","wrong":-1}"# }
            #expect(isWhole, "\(ends.first { !$0.contains(#""count":3000"#) || !$0.contains("-1") } ?? "")")
            let late = program.use
            #expect(late.descriptors <= early.descriptors + 5)
            // Dispatch creates and destroys threads as needed.
            #expect(late.threads <= early.threads + 20)
            // A leak of one connection's buffers per round would be 100 MiB by now, or a tenth of that in a short run.
            #expect(late.memory <= early.memory + (Thoroughness.isFull ? 32_768 : 8_192))
            let wakeUps = late.wakeUps(since: early)
            #expect(wakeUps < rounds * 450, "\(wakeUps) wake-ups in \(rounds * 9 / 10) rounds")
            // The program no longer searches for the removed accessory.
            let idleness = try await program.idleness()
            #expect(idleness.isIdle, "\(idleness)")
            await program.process.kill()
            simulator.stop()
        }

        @Test("The idleness check detects a program that spins without sleeping")
        func spin() async throws {
            let spinning = try ChildProcess("/bin/sh", ["-c", "echo here; while :; do :; done"])
            try #require(await spinning.lines.wait { $0 == ["here"] })
            let early = AccessoryProgram.Use(of: spinning.identifier).ticks
            var isDetected = false
            // On a busy machine some time passes until the program has used the processor.
            for _ in 0..<30 where !isDetected {
                let idleness = try await AccessoryProgram.idleness(of: spinning.identifier, measurements: 1)
                isDetected = !idleness.isIdle
                #expect(idleness.wakeUps <= 10, "detected by wake-ups instead of ticks: \(idleness)")
            }
            #expect(isDetected)
            #expect(AccessoryProgram.Use(of: spinning.identifier).ticks > early)
            await spinning.kill()
        }

        @Test("A second program gets an error that the port is in use", arguments: transports)
        func taken(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let folder = try simulator.start()
            try simulator.attach(
                SimulatedAccessory(name: "Probe", protocol: "com.example.probe", peer: EchoPeer()), transport: transport
            )
            let first = try AccessoryProgram(folder: folder)
            try #require(await first.line(#""event":"opened""#) != nil, "\(first.said)")
            let second = try AccessoryProgram(folder: folder)
            let refused = try #require(await second.line(#""event":"refused""#), "\(second.said)")
            // The reason names the process that uses the port and gives advice, for sockets and for terminals.
            let reason = second.process.lines.elements[refused]
            #expect(reason.contains("is in use by "), "\(reason)")
            #expect(reason.contains(", process \(first.process.identifier). Close it there first."), "\(reason)")
            for number in 0..<20 {
                first.command("write still \(number)")
                try #require(await first.hasRead("still \(number)\\r\\n"), "\(first.said)")
            }
            let lines = first.process.lines.elements.filter { $0.contains(#""event":"read""#) }
            let text = lines.joined()
            #expect(!text.contains("refused"))
            // After the first program closes the port, the second one can open it.
            first.command("close")
            try #require(await first.line(#""event":"closed""#) != nil)
            var place = refused + 1
            for _ in 0..<1200 {
                second.command("open")
                guard let next = await second.line(#""event":"#, after: place) else { break }
                place = next + 1
                if second.process.lines.elements[next].contains("opened") { break }
                // The port is released shortly after the session is closed.
                try await Task.sleep(for: .milliseconds(50))
            }
            second.command("write mine")
            #expect(await second.hasRead("mine\\r\\n"), "\(second.said)")
            await first.process.kill()
            await second.process.kill()
            simulator.stop()
        }

        @Test("Opening an inaccessible or missing port is refused with a reason")
        func refused() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ports-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let program = try AccessoryProgram("com.example.probe", ["--manual"], folder: folder.path)
            try #require(await program.line(#"{"event":"ready"}"#) != nil)
            // open(2) fails on a socket file for every user.
            let socket = try PseudoNode(socket: "\(folder.path)/socket")
            // No driver has this major number. If mknod is not permitted, a file without permissions is used instead.
            let closed = "\(folder.path)/closed"
            if mknod(closed, mode_t(S_IFCHR | 0o600), dev_t(1023 << 8)) != 0 {
                try #require(FileManager.default.createFile(atPath: closed, contents: Data()))
                try #require(chmod(closed, 0) == 0)
            }
            for (number, path) in [socket.path, closed, "\(folder.path)/missing"].enumerated() {
                let file = folder.appendingPathComponent("\(number).json")
                let text = #"{"name":"Probe \#(number)","protocols":{"com.example.probe":{"tty":"\#(path)"}}}"#
                let start = program.process.lines.count
                try Data(text.utf8).write(to: file.appendingPathExtension("tmp"))
                try FileManager.default.moveItem(at: file.appendingPathExtension("tmp"), to: file)
                try #require(await program.line(#""event":"connected""#, after: start) != nil, "\(program.said)")
                program.command("open")
                let place = try #require(await program.line(#""event":"refused""#, after: start), "\(program.said)")
                #expect(program.process.lines.elements[place].contains(path), "\(program.said)")
                try FileManager.default.removeItem(at: file)
                try #require(await program.line(#""event":"disconnected""#, after: start) != nil, "\(program.said)")
            }
            await program.process.kill()
        }

        /// An entry of the file system that leads to no device.
        private final class PseudoNode {
            let path: String
            private let descriptor: Int32

            init(socket path: String) throws {
                self.path = path
                descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                // Binds through the folder's descriptor, because the path of a temporary folder may be longer than an
                // address.
                let url = URL(fileURLWithPath: path)
                let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                try #require(folder >= 0, "open the folder of \(path): \(errno)")
                defer { close(folder) }
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                let short = "/proc/self/fd/\(folder)/\(url.lastPathComponent)"
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
                let result = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                try #require(result == 0, "bind \(path): \(errno)")
            }

            deinit { close(descriptor) }
        }

        @Test("An accessory that detaches while it is being opened ends the session", arguments: transports)
        func gone(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let program = try AccessoryProgram(folder: try simulator.start())
            try #require(await program.line(#"{"event":"ready"}"#) != nil)
            var place = 0
            let rounds = Thoroughness.rounds(50, quick: 10)
            for round in 0..<rounds {
                // The program has listed its accessories and waits for the next one. An accessory found by a listing
                // can detach before its connection is announced, and then its disconnection is not announced either.
                program.command("list")
                place = try #require(await program.line(#""event":"list""#, after: place), "\(program.said)") + 1
                try simulator.attach(
                    SimulatedAccessory(
                        name: "Probe", protocol: "com.example.probe",
                        peer: ClosurePeer { $0 == .opened ? [.unplug] : [] }), transport: transport)
                place =
                    try #require(
                        await program.line(#""event":"disconnected""#, after: place), "round \(round): \(program.said)")
                    + 1
            }
            let lines = program.process.lines.elements
            #expect(lines.count { $0.contains(#""event":"connected""#) } == rounds)
            #expect(lines.count { $0.contains("input ended") || $0.contains("input failed") } <= rounds)
            await program.process.kill()
            simulator.stop()
        }

        @Test("A program sleeps while it waits for a silent device", arguments: transports)
        func silent(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let program = try AccessoryProgram(folder: try simulator.start())
            let id = try simulator.attach(
                SimulatedAccessory(name: "Probe", protocol: "com.example.probe", peer: SinkPeer()), transport: transport
            )
            try #require(await program.line(#""event":"opened""#) != nil, "\(program.said)")
            #expect(await simulator.wait { $0.traffic(of: id)?.openSessions == 1 })
            let idleness = try await program.idleness()
            #expect(idleness.isIdle, "\(idleness)")
            program.command("close")
            try #require(await program.line(#""event":"closed""#) != nil)
            #expect(await simulator.wait { $0.traffic(of: id)?.openSessions == 0 })
            program.command("open")
            try #require(await program.line(#""event":"opened""#, after: 3) != nil, "\(program.said)")
            simulator.detach(id)
            try #require(await program.line(#""event":"disconnected""#) != nil, "\(program.said)")
            await program.process.kill()
            simulator.stop()
        }

        @Test("Receiving megabytes of garbage needs a bounded amount of memory", arguments: transports)
        func garbage(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let program = try AccessoryProgram("com.example.probe", ["--pattern"], folder: try simulator.start())
            try #require(await program.line(#"{"event":"ready"}"#) != nil)
            let length = Thoroughness.rounds(100_000_000, quick: 10_000_000)
            let id = try simulator.attach(
                SimulatedAccessory(
                    name: "Probe", protocol: "com.example.probe", peer: PatternPeer(length: Int64(length))),
                transport: transport)
            try #require(await program.line(#""event":"opened""#) != nil, "\(program.said)")
            let early = program.use
            // While the program does not read, the accessory is blocked.
            program.command("pause")
            var sent: Int64 = -1
            while let now = simulator.traffic(of: id)?.bytesSent, now != sent {
                sent = now
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(sent < Int64(length))
            program.command("resume")
            var last: Int64 = 0
            while let now = simulator.traffic(of: id)?.bytesSent, now < length {
                // No time limit applies while bytes are still being transferred.
                try #require(await simulator.wait { ($0.traffic(of: id)?.bytesSent ?? 0) > last }, "\(last)")
                last = now
            }
            simulator.detach(id, .afterReading)
            // Bytes read from the port may not have been delivered yet, because this amount takes the program some
            // time.
            let place = try #require(await program.line(#""event":"disconnected""#), "\(program.said)")
            let line = program.process.lines.elements[place]
            #expect(line.contains("\"count\":\(length),") && line.contains(#""wrong":-1"#), "\(line)")
            #expect(program.use.peak <= early.peak + (Thoroughness.isFull ? 32_768 : 6_144))
            await program.process.kill()
            simulator.stop()
        }

        @Test("After 1,000 attachments the program lists the correct accessories", arguments: transports)
        func storm(transport: SimulatedTransport) async throws {
            let simulator = AccessorySimulator()
            let program = try AccessoryProgram("com.example.probe", ["--manual"], folder: try simulator.start())
            try #require(await program.line(#"{"event":"ready"}"#) != nil)
            let passing = SimulatedAccessory(name: "Passing", protocol: "com.example.probe", peer: EchoPeer())
            for _ in 0..<1000 { simulator.detach(try simulator.attach(passing, transport: transport), .immediately) }
            var stay: [AccessorySimulator.ID] = []
            for number in 0..<20 {
                stay.append(
                    try simulator.attach(
                        SimulatedAccessory(name: "Stays \(number)", protocol: "com.example.probe", peer: EchoPeer()),
                        transport: transport))
            }
            for id in stay.prefix(10) { simulator.detach(id, .immediately) }
            let names = (10..<20).map { #""Stays \#($0)""# }.joined(separator: ",")
            let expected = #"{"event":"list","names":[\#(names)]}"#
            func received(_ event: String) -> Int {
                program.process.lines.elements.count { $0.contains(#""event":"\#(event)""#) }
            }
            var isRight = false
            for _ in 0..<1200 where !isRight {
                let start = program.process.lines.count
                program.command("list")
                guard let place = await program.line(#""event":"list""#, after: start) else { break }
                // Every notification of a connection is followed by one of a disconnection, except for accessories
                // still attached. The list is ahead of notifications in transit.
                isRight =
                    program.process.lines.elements[place] == expected
                    && received("connected") == received("disconnected") + 10
                if !isRight { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(
                isRight, "\(received("connected")) were connected, \(received("disconnected")) gone; \(program.said)")
            await program.process.kill()
            simulator.stop()
        }
    }
}
