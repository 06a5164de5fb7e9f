// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import GPSDSource
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "gpsd comes and goes", .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing))
    struct RestartTests {
        static let schemes: [String] = {
            #if LibGPS
            return ["gpsd", "libgps"]
            #else
            return ["gpsd"]
            #endif
        }()

        /// A program that prints its callbacks, one for each client.
        static func programs(_ daemon: GPSDaemon) throws -> [ChildProcess] {
            try schemes.map { scheme in
                try ChildProcess(
                    .commands, ["stream"], environment: ["DEVICE_SERVICES_GPSD": daemon.address(scheme)])
            }
        }

        @Test("Fifty times gpsd is killed and comes back: each loss is told once, nothing stale is new, nothing leaks")
        func survivesFiftyKills() async throws {
            let runs = Thoroughness.rounds(50, quick: 10)
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 1)
            try await daemon.start()
            let programs = try RestartTests.programs(daemon)
            for run in 1...runs {
                for program in programs {
                    let hasReturned = await program.lines.wait { lines in
                        lines.contains { StreamLine($0).latitude.map { Int($0) } == run }
                    }
                    try #require(hasReturned, "no location in run \(run)")
                }
                await daemon.kill()
                receiver.begin(run: run + 1)
                for program in programs {
                    let hasHeard = await program.lines.wait { lines in
                        lines.count { StreamLine($0).isLoss } >= run
                    }
                    try #require(hasHeard, "loss \(run) was not told")
                }
                try await daemon.start()
            }
            for program in programs {
                _ = await program.lines.wait { lines in
                    lines.contains { StreamLine($0).latitude.map { Int($0) } == runs + 1 }
                }
                let lines = program.lines.elements.map { StreamLine($0) }
                // One stretch of locations between two losses, each from its own run.
                let stretches = lines.split(omittingEmptySubsequences: false, whereSeparator: \.isLoss)
                #expect(stretches.count == runs + 1)
                for (number, stretch) in stretches.enumerated() {
                    #expect(!stretch.isEmpty, "no location in run \(number + 1)")
                    #expect(stretch.allSatisfy { $0.latitude.map { Int($0) } == number + 1 }, "run \(number + 1)")
                    #expect(stretch.allSatisfy { ($0.age ?? .infinity) < patience }, "run \(number + 1)")
                }
                // The first runs load what is loaded lazily. Dispatch lends and takes back threads as it likes.
                let early = try #require(stretches.dropFirst(4).first?.last)
                let late = try #require(stretches.last?.last)
                // The last callback before a loss may find the connection closed already, the very last finds it open.
                #expect(try #require(late.descriptors) <= #require(early.descriptors) + 5)
                #expect(try #require(late.threads) <= #require(early.threads) + 20)
                await program.kill()
            }
            await daemon.kill()
        }

        @Test("A gpsd that is absent at first is found when it comes")
        func waitsForGPSD() async throws {
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 7)
            let programs = try RestartTests.programs(daemon)
            for program in programs {
                #expect(await program.lines.wait { $0.contains { StreamLine($0).isLoss } })
            }
            // Time for more attempts, after a quarter and three quarters of a second, that must not be told again.
            try await Task.sleep(for: .seconds(1))
            try await daemon.start()
            for program in programs {
                let found = await program.lines.wait { $0.contains { StreamLine($0).latitude != nil } }
                #expect(found)
                let lines = program.lines.elements.map { StreamLine($0) }
                #expect(lines.count { $0.isLoss } == 1)
                #expect(lines.first?.isLoss == true)
                await program.kill()
            }
            await daemon.kill()
        }

        @Test(
            "A process that was stopped for five seconds hears the newest fix, not a burst of old ones",
            arguments: schemes)
        func skipsWhatPiledUp(scheme: String) async throws {
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 3)
            try await daemon.start()
            let program = try ChildProcess(
                .commands, ["stream"], environment: ["DEVICE_SERVICES_GPSD": daemon.address(scheme)])
            try #require(await program.lines.wait { $0.count >= 20 })
            program.signal(SIGSTOP)
            // The time that passes is what is tested.
            try await Task.sleep(for: .seconds(5))
            let before = program.lines.count
            program.signal(SIGCONT)
            #expect(await program.lines.wait { $0.count >= before + 20 })
            let lines = program.lines.elements.dropFirst(before).map { StreamLine($0) }
            // At 20 reports a second a hundred piled up. One may have been on its way to the delegate already, and on a busy
            // machine some of the new ones are old when they arrive.
            #expect(lines.prefix(20).count { ($0.age ?? 0) > 1 } <= 5)
            #expect(lines.count { $0.isLoss } == 0)
            await program.kill()
            await daemon.kill()
        }

        @Test("gpsd without a receiver: lost once, and the client sleeps", arguments: schemes)
        func noticesSilence(scheme: String) async throws {
            let daemon = try GPSDaemon(hasReceiver: false)
            try await daemon.start()
            var timing = GPSDTiming()
            timing.silence = 0.3
            let recorder = try Recorder(daemon.address(scheme), everyReport: false, timing: timing)
            let thread = Journal<pid_t>()
            let observer = recorder.source.subscribe(PositionRequest()) { event in
                if case .lost = event, let current = ThreadUse.current { thread.append(current) }
            }
            recorder.manager.startUpdatingLocation()
            #expect(await recorder.events.wait { !$0.isEmpty })
            let identifier = try #require(thread.elements.first)
            let before = try ThreadUse(of: identifier)
            // The time that passes is what is tested: gpsd is asked for a sign of life only every 30 seconds.
            try await Task.sleep(for: .seconds(2))
            let after = try ThreadUse(of: identifier)
            // A loop would use a good part of the 200 ticks, or wake up thousands of times.
            #expect(after.ticks <= before.ticks + 40)
            #expect(after.switches <= before.switches + 20)
            #expect(recorder.errors.map(\.code) == [.locationUnknown])
            #expect(recorder.locations.isEmpty)
            #expect(recorder.source.statistics.connections == 1)
            observer.cancel()
            recorder.manager.stopUpdatingLocation()
            await daemon.kill()
        }
    }
}
