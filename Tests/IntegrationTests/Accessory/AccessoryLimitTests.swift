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
    @Suite("Programs without sufficient permissions or descriptors")
    struct AccessoryLimitTests {
        private static let name = "com.example.probe"

        private static func environment(_ folder: String) throws -> [String: String] {
            [
                "DEVICE_SERVICES_ACCESSORIES": folder, "DEVICE_SERVICES_CONFIG": try ConfigurationFile.empty.get().path,
            ]
        }

        /// Fails if the program uses the processor without work to do.
        private static func expectIdle(_ program: AccessoryProgram) async throws {
            let idleness = try await program.idleness()
            #expect(idleness.isIdle, "\(idleness)")
        }

        @Test(
            "An inaccessible port is refused with its mode and advice, and opens once it is accessible",
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
            // An owner other than root has the owner's permissions only.
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
                #expect(line.contains("This user may not open \(path) (mode 0"), "\(line)")
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
            "Without free descriptors a session is refused with a reason, and works once some are free",
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
                // Opens and closes a session, so that resources created with the first session exist.
                program.command("open")
                try #require(await program.line(#""event":"opened""#) != nil, "\(program.said)")
                program.command("close")
                try #require(await program.line(#""event":"closed""#) != nil, "\(program.said)")
                #expect(await simulator.wait { $0.traffic(of: 1)?.openSessions == 0 })
            }
            try #require(await Tools.exhaustDescriptors(from: program))
            for _ in 0..<2 {
                let start = program.process.lines.count
                program.command("open")
                let place = try #require(await program.line(#""event":"refused""#, after: start), "\(program.said)")
                let line = program.process.lines.elements[place]
                #expect(line.contains("No file descriptor is left") && line.contains("ulimit -n"), "\(line)")
            }
            // The declaration of this accessory cannot be read now.
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
            "Without inotify watches accessories still attach and detach, and one log line gives advice",
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
