// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import SystemCalls
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "Motion sensors come and go", .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing))
    struct MotionLossTests {
        /// Ways in which a sensor goes and comes back.
        enum Way: String, CaseIterable, Sendable {
            case unplugging = "The device is unplugged"
            case killing = "The server is killed"
        }

        private static func server() throws -> IIODServer {
            IIODServer(
                context: SimulatedIIOContext(try SimulatedBoard.context("lsm6dso")),
                samples: IIORestSource([.accelerometer: [0, 0, 9.80665]]))
        }

        /// Lets the sensor go and come back that many times, and checks what the program hears and holds.
        private static func check(_ way: Way, rounds: Int) async throws {
            let server = try server()
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 10))
            var early: MotionLine?
            for round in 1...rounds {
                server.inject(IIODFault(way == .unplugging ? .unplug(ENODEV) : .kill))
                try #require(await program.wait(for: "lost", count: round), "loss \(round) was not told")
                server.inject(IIODFault(way == .unplugging ? .replug : .restart))
                try #require(await program.wait(for: "regained", count: round), "return \(round) was not told")
                try #require(await program.waitForMoreSamples(count: 2), "no samples after return \(round)")
                // The first rounds load what is loaded lazily.
                if round == 5 { early = try await program.ask("use") }
            }
            try await program.expectNothingLeft(since: try #require(early))
            // Lost, back, samples, lost …: nothing is told twice and nothing comes while it is lost.
            let events = program.lines.elements.compactMap { line in
                ["samples", "lost", "regained"].first { MotionLine.is(line, $0) }
            }
            let stretches = events.split(omittingEmptySubsequences: false) { $0 == "lost" }
            #expect(stretches.count == rounds + 1)
            for (number, stretch) in stretches.enumerated() {
                #expect(stretch.count { $0 == "regained" } == (number == 0 ? 0 : 1))
                #expect(number == 0 || stretch.first == "regained")
                #expect(stretch.last == "samples")
            }
            #expect(Set(program.all("lost").map(\.code)) == ["connectionLost"])
            let times = program.readings("accelerometer").map(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("Fifty times a sensor goes and comes back: each is told once, nothing leaks, the process lives")
        func survivesFiftyLosses() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Most of each round is the wait before the next attempt: both ways at once.
                for way in Way.allCases {
                    group.addTask { try await MotionLossTests.check(way, rounds: Thoroughness.rounds(50, quick: 10)) }
                }
                try await group.waitForAll()
            }
        }

        @Test("While a server is away the process sleeps")
        func sleepsWhileLost() async throws {
            let server = try MotionLossTests.server()
            let program = try MotionProgram(["accelerometer", "gyroscope"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 10))
            server.inject(IIODFault(.kill))
            try #require(await program.wait(for: "lost", count: 2))
            let before = try await program.ask("use")
            // The time that passes is what is tested.
            try await Task.sleep(for: .seconds(3))
            try await program.expectSleep(since: before)
            try await program.expectNothingLeft(since: before)
            #expect(program.count("lost") == 2)
            server.inject(IIODFault(.restart))
            // One for each sensor.
            try #require(await program.wait(for: "regained", count: 2))
            try #require(await program.waitForMoreSamples(count: 5))
            #expect(Set(program.all("lost").compactMap(\.kind)) == ["accelerometer", "gyroscope"])
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A capture that stalls on a living server is told as lost once; the sensor is then read axis by axis")
        func survivesStalls() async throws {
            let server = try MotionLossTests.server()
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 10))
            server.inject(IIODFault(.stall))
            let before = try await program.ask("use")
            try #require(await program.wait(for: "lost"))
            try await program.expectSleep(since: before)
            #expect(program.all("lost").map(\.code) == ["silent"])
            try #require(await program.wait(for: "regained"))
            try #require(await program.waitForMoreSamples(count: 10))
            let sensor = try #require(try await program.sensors().first { $0.kind == "accelerometer" })
            #expect(sensor.mode == "polled")
            #expect(sensor.remarks.contains { $0.contains("axis by axis") })
            #expect(program.count("lost") == 1)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A server that sends half of what it promises, or nonsense, does not harm the process")
        func survivesNonsense() async throws {
            let faults: [IIODFault.Action] = [
                .wrongLengths(4), .wrongLengths(-4), .partialChunks(1), .streamError(EIO),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for fault in faults { group.addTask { try await MotionLossTests.check(nonsense: fault) } }
                try await group.waitForAll()
            }
        }

        private static func check(nonsense fault: IIODFault.Action) async throws {
            let server = try MotionLossTests.server()
            let program = try MotionProgram(["--samples", "8", "accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 5))
            server.inject(IIODFault(fault))
            // Time for it to be met.
            try await Task.sleep(for: .milliseconds(300))
            for end in [IIODFault.Action.wrongLengths(0), .partialChunks(0), .drop] { server.inject(IIODFault(end)) }
            // Whatever has come of it, the sensor gives right readings in the end.
            let before = program.count("samples")
            try #require(await program.wait(for: "samples", count: before + 20), "\(fault)")
            let last = program.readings("accelerometer").suffix(10)
            #expect(last.allSatisfy { abs($0.value[2] - 9.80665) < 0.000299 + 1e-9 })
            #expect(program.count("regained") == program.count("lost"))
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A device that is busy is told as lost with the reason, and captured when it is free")
        func waitsForABusyDevice() async throws {
            let server = try MotionLossTests.server()
            server.inject(IIODFault(.refuseOpen(EBUSY)))
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "lost"))
            #expect(program.all("lost").map(\.code) == ["busy"])
            server.inject(IIODFault(.refuseOpen(nil)))
            try #require(await program.wait(for: "regained"))
            try #require(await program.waitForMoreSamples(count: 5))
            #expect(program.count("lost") == 1)
            #expect(try await program.sensors().first?.mode == "buffered")
            #expect(await program.end() == .exited(0))
            server.stop()
        }
    }
}
