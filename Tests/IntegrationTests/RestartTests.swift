// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import GPSDSource
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "Restarts of gpsd", .enabled(if: Tools.gpsd != nil, Tools.gpsdMissing))
    struct RestartTests {
        static let schemes: [String] = {
            #if LibGPS
            return ["gpsd", "libgps"]
            #else
            return ["gpsd"]
            #endif
        }()

        /// Programs that print their callbacks, one for each client.
        static func programs(_ daemon: GPSDaemon) throws -> [ChildProcess] {
            try schemes.map { scheme in
                try ChildProcess(
                    .commands, ["stream"], environment: ["DEVICE_SERVICES_GPSD": daemon.address(scheme)])
            }
        }

        @Test("Fifty kills of gpsd report one loss each, deliver no stale fixes and leak nothing")
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
                    try #require(hasHeard, "loss \(run) was not reported")
                }
                try await daemon.start()
            }
            for program in programs {
                _ = await program.lines.wait { lines in
                    lines.contains { StreamLine($0).latitude.map { Int($0) } == runs + 1 }
                }
                let lines = program.lines.elements.map { StreamLine($0) }
                // Each interval between two losses contains locations of its own run only.
                let stretches = lines.split(omittingEmptySubsequences: false, whereSeparator: \.isLoss)
                #expect(stretches.count == runs + 1)
                for (number, stretch) in stretches.enumerated() {
                    #expect(!stretch.isEmpty, "no location in run \(number + 1)")
                    #expect(stretch.allSatisfy { $0.latitude.map { Int($0) } == number + 1 }, "run \(number + 1)")
                    #expect(stretch.allSatisfy { ($0.age ?? .infinity) < timeout }, "run \(number + 1)")
                }
                // The first runs load everything that is loaded lazily. Dispatch creates and destroys threads as
                // needed.
                let early = try #require(stretches.dropFirst(4).first?.last)
                let late = try #require(stretches.last?.last)
                // The last callback before a loss may find the connection already closed, but the final callback finds
                // it open.
                #expect(try #require(late.descriptors) <= #require(early.descriptors) + 5)
                #expect(try #require(late.threads) <= #require(early.threads) + 20)
                await program.kill()
            }
            await daemon.kill()
        }

        @Test("A gpsd that is unavailable at first is used when it starts")
        func waitsForGPSD() async throws {
            let daemon = try GPSDaemon()
            let receiver = FedReceiver(port: try #require(daemon.receiverPort))
            receiver.begin(run: 7)
            let programs = try RestartTests.programs(daemon)
            for program in programs {
                #expect(await program.lines.wait { $0.contains { StreamLine($0).isLoss } })
            }
            // Leaves time for further attempts, after 0.25 and 0.75 s, which must not be reported again.
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
            "A process suspended for five seconds receives the newest fix instead of a burst of old ones",
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
            // Sleeps, because this test checks behavior over time.
            try await Task.sleep(for: .seconds(5))
            let before = program.lines.count
            program.signal(SIGCONT)
            #expect(await program.lines.wait { $0.count >= before + 20 })
            let lines = program.lines.elements.dropFirst(before).map { StreamLine($0) }
            // At 20 reports per second a hundred accumulate. One may already be in delivery, and on a busy machine some
            // of the new reports are old when they arrive.
            #expect(lines.prefix(20).count { ($0.age ?? 0) > 1 } <= 5)
            #expect(lines.count { $0.isLoss } == 0)
            await program.kill()
            await daemon.kill()
        }

        @Test("A gpsd without a receiver is reported as lost once, and the client then sleeps", arguments: schemes)
        func noticesSilence(scheme: String) async throws {
            let daemon = try GPSDaemon(hasReceiver: false)
            try await daemon.start()
            var timing = GPSDTiming()
            timing.silenceTimeout = 0.3
            let recorder = try Recorder(daemon.address(scheme), everyReport: false, timing: timing)
            let thread = Journal<pid_t>()
            let observer = recorder.source.subscribe(PositionRequest()) { event in
                if case .lost = event, let current = ThreadUse.current { thread.append(current) }
            }
            recorder.manager.startUpdatingLocation()
            #expect(await recorder.events.wait { !$0.isEmpty })
            let identifier = try #require(thread.elements.first)
            let before = try ThreadUse(of: identifier)
            // Sleeps, because this test checks behavior over time. gpsd is polled only every 30 s.
            try await Task.sleep(for: .seconds(2))
            let after = try ThreadUse(of: identifier)
            // A busy loop would use a good part of the 200 ticks, or wake up thousands of times.
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
