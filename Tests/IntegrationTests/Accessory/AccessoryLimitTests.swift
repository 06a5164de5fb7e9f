// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import AccessorySimulator
import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing
import Trace

extension IntegrationTests {
    @Suite("Programs whose rights or descriptors do not suffice")
    struct AccessoryLimitTests {
        private static let name = "com.example.probe"

        private static func environment(_ folder: String) throws -> [String: String] {
            [
                "DEVICE_SERVICES_ACCESSORIES": folder, "DEVICE_SERVICES_CONFIG": try ConfigurationFile.empty.get().path,
            ]
        }

        /// Fails when the program is busy with nothing to do.
        private static func expectIdle(_ program: AccessoryProgram) async throws {
            let idleness = try await program.idleness()
            #expect(idleness.isIdle, "\(idleness)")
        }

        @Test(
            "A port that belongs to others is refused with its mode and what to do, and opened once that was done",
            .enabled(if: Tools.asAnybody != nil, Tools.setprivMissing))
        func forbidden() async throws {
            let prefix = try #require(Tools.asAnybody)
            let simulator = AccessorySimulator()
            let folder = try simulator.start()
            try simulator.attach(
                SimulatedAccessory(name: "Probe", protocol: Self.name, peer: EchoPeer()), transport: .pseudoTerminal)
            let file = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/1.json"))
            let declared = try #require(DeclaredAccessory.read(json: [UInt8](file), path: "1.json").accessory)
            let path = try #require(declared.endpoints.first?.node.path)
            #expect(chmod(folder, 0o755) == 0)
            // Who owns it has the owner's rights only.
            #expect(chmod(path, Tools.isRoot ? 0o600 : 0) == 0)
            let command = try prefix + TestProgram.apps.command("session", Self.name, "--manual")
            let program = AccessoryProgram(
                process: try ChildProcess(
                    command[0], Array(command[1...]), environment: try Self.environment(folder)))
            try #require(await program.line(#"{"event":"ready"}"#) != nil, "\(program.said)")
            for _ in 0..<2 {
                let start = program.process.lines.count
                program.command("open")
                let place = try #require(await program.line(#""event":"refused""#, after: start), "\(program.said)")
                let line = program.process.lines.elements[place]
                #expect(line.contains("\(path) may not be opened by this user: its mode is 0"), "\(line)")
                #expect(line.contains("udev rule"), "\(line)")
            }
            try await Self.expectIdle(program)
            #expect(chmod(path, 0o666) == 0)
            program.command("open")
            #expect(await program.line(#""event":"opened""#) != nil, "\(program.said)")
            program.command("quit")
            #expect(await program.process.wait() == .exited(0))
            simulator.stop()
        }

        @Test(
            "Without a descriptor left a session is refused in words, and all goes on once there are some",
            .enabled(if: Tools.prlimit != nil, Tools.prlimitMissing), arguments: [false, true])
        func descriptors(hasOpened: Bool) async throws {
            let simulator = AccessorySimulator()
            let folder = try simulator.start()
            try simulator.attach(
                SimulatedAccessory(name: "Probe", protocol: Self.name, peer: EchoPeer()), transport: .socket)
            let program = try AccessoryProgram(Self.name, ["--manual"], folder: folder)
            program.command("list")
            try #require(await program.line(#""event":"list""#) != nil, "\(program.said)")
            if hasOpened {
                // What is made once, with the first session, is there then.
                program.command("open")
                try #require(await program.line(#""event":"opened""#) != nil, "\(program.said)")
                program.command("close")
                try #require(await program.line(#""event":"closed""#) != nil, "\(program.said)")
                #expect(await simulator.wait { $0.traffic(of: 1)?.openSessions == 0 })
            }
            try #require(await Tools.takeDescriptors(from: program))
            for _ in 0..<2 {
                let start = program.process.lines.count
                program.command("open")
                let place = try #require(await program.line(#""event":"refused""#, after: start), "\(program.said)")
                let line = program.process.lines.elements[place]
                #expect(line.contains("No file descriptor is left") && line.contains("ulimit -n"), "\(line)")
            }
            // Its file cannot be read now.
            try simulator.attach(
                SimulatedAccessory(name: "Other", protocol: "com.example.other", peer: EchoPeer()), transport: .socket)
            try await Self.expectIdle(program)
            try #require(Tools.setDescriptorLimit(program, "1024"))
            #expect(await program.line(#""event":"connected""#) != nil, "\(program.said)")
            let start = program.process.lines.count
            program.command("open")
            #expect(await program.line(#""event":"opened""#, after: start) != nil, "\(program.said)")
            program.command("write still here")
            #expect(await program.line(#"still here\r\n"#, after: start) != nil, "\(program.said)")
            program.command("quit")
            #expect(await program.process.wait() == .exited(0))
            simulator.stop()
        }

        @Test(
            "Without a watch of inotify accessories come and go all the same, and one line of the log says what to do",
            .enabled(if: Tools.withoutInotify != nil, Tools.inotifyLimitMissing))
        func watches() async throws {
            let prefix = try #require(Tools.withoutInotify)
            let simulator = AccessorySimulator()
            let command =
                try prefix + TestProgram.apps.command("session", Self.name, "--manual")
            let program = AccessoryProgram(
                process: try ChildProcess(
                    command[0], Array(command[1...]), environment: try Self.environment(try simulator.start())))
            try #require(await program.line(#"{"event":"ready"}"#) != nil, "\(program.said)")
            var place = 0
            for _ in 0..<2 {
                let id = try simulator.attach(
                    SimulatedAccessory(name: "Probe", protocol: Self.name, peer: EchoPeer()), transport: .socket)
                place = try #require(await program.line(#""event":"connected""#, after: place), "\(program.said)")
                simulator.detach(id)
                place = try #require(await program.line(#""event":"disconnected""#, after: place), "\(program.said)")
            }
            #expect(
                program.process.lines.elements.count { $0.contains("fs.inotify.max_user_watches") } == 1,
                "\(program.said)")
            program.command("quit")
            #expect(await program.process.wait() == .exited(0))
            simulator.stop()
        }
    }
}
