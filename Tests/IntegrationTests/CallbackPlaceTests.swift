// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "Executors of callbacks", .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing))
    struct CallbackPlaceTests {
        /// Runs a program against a gpsd with a moving receiver and returns its output.
        private func run(_ program: TestProgram, _ arguments: [String]) async throws -> [String] {
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 5)
            try await daemon.start()
            let process = try ChildProcess(
                program, arguments, environment: ["DEVICE_SERVICES_GPSD": daemon.address("gpsd")])
            let end = await process.wait()
            #expect(end == .exited(0))
            await process.kill()
            _ = await process.lines.wait { $0.last == "end" }
            await daemon.kill()
            return process.lines.elements
        }

        @Test(
            "Callbacks run on the manager's executor, one at a time, never inside start or after stop",
            arguments: [
                ("mainRunLoop", "main thread"), ("dispatchMain", "main queue"), ("mainQueue", "main queue"),
                ("thread", "thread"), ("task", "elsewhere"),
                ("queue", "elsewhere"), ("delegateQueue", "own queue"),
            ])
        func arriveInPlace(kind: String, place: String) async throws {
            let lines = try await run(.commands, ["callback-places", kind])
            // Undetermined at first, then granted by the start. One callback if both precede the first drain.
            let authorizations = lines.prefix { $0 == "authorization \(place)" }.count
            #expect((1...2).contains(authorizations))
            let locations = Array(repeating: "location \(place)", count: 5)
            #expect(Array(lines.dropFirst(authorizations)) == locations + ["end"])
        }

        @Test("An async main receives its callbacks on the main actor", arguments: [[], ["late"]])
        func arriveOnMainActor(arguments: [String]) async throws {
            let lines = try await run(.asyncMain, arguments)
            #expect(lines == ["authorization main"] + Array(repeating: "location main", count: 5) + ["end"])
        }
    }
}
