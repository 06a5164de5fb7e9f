// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import SystemCalls
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "Loss and recovery of motion sensors", .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing))
    struct MotionLossTests {
        /// The ways in which a sensor is lost.
        enum Way: String, CaseIterable, Sendable {
            case unplugging = "The device is unplugged"
            case killing = "The server is killed"
        }

        private static func server() throws -> IIODServer {
            IIODServer(
                context: SimulatedIIOContext(try SimulatedBoard.context("lsm6dso")),
                samples: IIORestSource([.accelerometer: [0, 0, 9.80665]]))
        }

        /// Loses and recovers the sensor in each round, and checks the program's events and resources.
        private static func check(_ way: Way, rounds: Int) async throws {
            let server = try server()
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 10))
            var early: MotionLine?
            for round in 1...rounds {
                server.inject(IIODFault(way == .unplugging ? .unplug(ENODEV) : .kill))
                try #require(await program.wait(for: "lost", count: round), "loss \(round) was not reported")
                server.inject(IIODFault(way == .unplugging ? .reconnect : .restart))
                try #require(await program.wait(for: "regained", count: round), "return \(round) was not reported")
                try #require(await program.waitForMoreSamples(count: 2), "no samples after return \(round)")
                // The first rounds load everything that is loaded lazily.
                if round == 5 { early = try await program.ask("use") }
            }
            try await program.expectNothingLeft(since: try #require(early))
            // Lost, regained, samples, lost …: no event is repeated, and no samples arrive during a loss.
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

        @Test("Fifty losses and recoveries are reported once each and leak nothing")
        func survivesFiftyLosses() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Most of each round is the wait before the next attempt, so both ways run concurrently.
                for way in Way.allCases {
                    group.addTask { try await MotionLossTests.check(way, rounds: Thoroughness.rounds(50, quick: 10)) }
                }
                try await group.waitForAll()
            }
        }

        @Test("The process sleeps while the server is unavailable")
        func sleepsWhileLost() async throws {
            let server = try MotionLossTests.server()
            let program = try MotionProgram(["accelerometer", "gyroscope"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 10))
            server.inject(IIODFault(.kill))
            try #require(await program.wait(for: "lost", count: 2))
            let before = try await program.ask("use")
            // Sleeps, because this test checks behavior over time.
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

        @Test("A stalled capture on a running server is one loss, and the sensor is then read axis by axis")
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
            #expect(sensor.remarks.contains { $0.contains("polled one by one") })
            #expect(program.count("lost") == 1)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A server that sends partial or invalid data does not harm the process")
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
            // Leaves time for the fault to take effect.
            try await Task.sleep(for: .milliseconds(300))
            for end in [IIODFault.Action.wrongLengths(0), .partialChunks(0), .drop] { server.inject(IIODFault(end)) }
            // In any case the sensor delivers correct readings in the end.
            let before = program.count("samples")
            try #require(await program.wait(for: "samples", count: before + 20), "\(fault)")
            let last = program.readings("accelerometer").suffix(10)
            #expect(last.allSatisfy { abs($0.value[2] - 9.80665) < 0.000299 + 1e-9 })
            #expect(program.count("regained") == program.count("lost"))
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A busy device is lost with that reason and captured when it is free")
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
