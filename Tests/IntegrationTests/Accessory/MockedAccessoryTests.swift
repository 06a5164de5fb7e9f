// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "A program and a device that umockdev attaches and detaches",
        .enabled(if: Tools.hasLibUdev, Tools.libUdevMissing),
        .enabled(if: Tools.hasMockedUdev, Tools.mockedUdevMissing))
    struct MockedAccessoryTests {
        /// The way in which the device is attached again.
        enum Return: String {
            /// At the same path and node, like a device at the same port. umockdev cannot create a node twice, so its
            /// files are removed and restored with another pseudo-terminal behind the node.
            case samePlace
            /// At another port with another node. umockdev creates everything each time.
            case newPlace
            /// Like `newPlace`, while udevd appears to run.
            case newPlaceByUdevd
        }

        /// DEVICE_SERVICES_ROUNDS overrides the numbers of rounds below.
        private static let asked = ProcessInfo.processInfo.environment["DEVICE_SERVICES_ROUNDS"].flatMap { Int($0) }
        private static let length = 3000
        private static let greeting = String(repeating: "HELLO", count: 60)

        @Test(
            "Repeatedly attaching, communicating and detaching loses no bytes and leaks no resources",
            arguments: [Return.samePlace, .newPlace])
        func rounds(way: Return) async throws {
            try await plugInAndOut(way)
        }

        @Test(
            "Repeatedly attaching and detaching works the same while udevd appears to run",
            .enabled(if: Tools.isolation != nil, Tools.isolationMissing))
        func roundsByUdevd() async throws {
            try await plugInAndOut(.newPlaceByUdevd)
        }

        private func plugInAndOut(_ way: Return) async throws {
            // The default settle time would take most of a round.
            let configuration = try ConfigurationFile(
                way == .newPlace ? "{}" : #"{"accessories":{"settle":0.01}}"#)
            let board = try await RoundsBoard(greeting: Self.greeting, byUdevd: way == .newPlaceByUdevd, configuration)
            let rounds =
                Self.asked
                ?? (way == .samePlace ? Thoroughness.rounds(500, quick: 50) : Thoroughness.rounds(100, quick: 20))
            var early = AccessoryProgram.Use()
            for round in 1...rounds {
                let start = board.lines.count
                board.send("plug \(way == .samePlace ? 0 : round)")
                board.send("talk \(Self.length)")
                // In every fifth round the device is detached before the program has read everything.
                if round % 5 != 0 { board.send("emptied") }
                board.send("unplug \(round % 2 == 0 ? "terminal" : "message")")
                try await board.waitUntilDone()
                try #require(
                    await board.program.line(#""event":"disconnected""#, after: start) != nil,
                    "round \(round): \(board.program.said)")
                if round == rounds / 4 { early = board.use }
            }
            let lines = board.lines
            // Each round has one event of each kind in this order, and a new connection.
            for event in ["connected", "opened", "input ended", "disconnected"] {
                #expect(lines.count { $0.contains(#""event":"\#(event)""#) } == rounds, "\(event)")
            }
            let order = lines.compactMap { line in
                ["connected", "opened", "input ended", "disconnected"].first { line.contains(#""event":"\#($0)""#) }
            }
            let isInOrder = order.indices.allSatisfy { order[$0] == order[$0 % 4] }
            #expect(isInOrder)
            for id in 1...rounds {
                let received = lines.filter { $0.contains("\"id\":\(id),") }
                #expect(received.count == 2, "\(received)")
            }
            #expect(lines.count { $0.contains("input failed") || $0.contains("refused") } == 0)
            let ends = lines.filter { $0.contains("input ended") }
            for (index, line) in ends.enumerated() {
                #expect(line.contains(#""wrong":-1"#), "\(line)")
                if (index + 1) % 5 != 0 { #expect(line.contains("\"count\":\(Self.length),"), "\(line)") }
            }
            let late = board.use
            let used = "\(early) then \(late)"
            #expect(late.descriptors <= early.descriptors + 10, "\(used)")
            // Dispatch creates and destroys threads as needed.
            #expect(late.threads <= early.threads + 20, "\(used)")
            #expect(late.memory <= early.memory + (Thoroughness.isFull ? 16_384 : 4_096), "\(used)")
            let idleness = try await AccessoryProgram.idleness(of: board.identifier)
            #expect(idleness.isIdle, "\(idleness)")
            await board.end()
        }
    }
}
