// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension IntegrationTests {
    @Suite(
        "Motion sensors through Debian's iiod", .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing),
        .enabled(if: Tools.umockdevRun != nil, Tools.umockdevMissing),
        .enabled(if: Tools.iiod != nil, Tools.iiodMissing))
    struct RealServerTests {
        @Test(
            "Readings match those of iio_readdev from the same stream",
            .enabled(if: Tools.iioReaddev != nil, Tools.iioUtilsMissing))
        func agreesWithReaddev() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let daemon = try IIODaemon(board)
            try await daemon.start()
            let program = try MotionProgram(["accelerometer"], port: daemon.port)
            try #require(await program.wait(for: "samples", count: 20))
            // iiod captures for the client that requests most samples at once and drops what other clients do not
            // fetch, so this client fetches single samples as well. od prints one line for each sample of 16 bytes.
            let command = """
                exec "$1" -u "ip:127.0.0.1:$2" -b 1 -s 80 iio:device0 2>/dev/null | od -An -v -tx1 -w16
                """
            let witness = try ChildProcess(
                "/bin/sh", ["-c", command, "sh", try #require(Tools.iioReaddev), "\(daemon.port)"])
            try #require(await witness.wait() == .exited(0))
            try #require(await program.waitForMoreSamples(count: 5))
            let rows = await witness.output().map { line in
                line.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            }
            #expect(rows.count == 80)

            // The number of a sample is in its x, which the matrix 0, 1, 0; 1, 0, 0; 0, 0, -1 maps to device y. Not
            // every sample reaches both programs: iiod restarts the capture for the second client, and a late client
            // loses some samples.
            var ours: [Int: MotionProgram.Reading] = [:]
            for reading in program.readings("accelerometer") {
                ours[Int((reading.value[1] / 0.000598).rounded())] = reading
            }
            var compared = 0
            for row in rows {
                try #require(row.count == 16)
                let raw = (0..<3).map { Int(Int16(bitPattern: UInt16(row[2 * $0]) << 8 | UInt16(row[2 * $0 + 1]))) }
                guard let reading = ours[raw[0]] else { continue }
                compared += 1
                // According to the kernel's documentation: (raw + offset) × scale, then the matrix.
                let expected = [Double(raw[1]) * 0.000598, Double(raw[0]) * 0.000598, -Double(raw[2]) * 0.000598]
                let stamp = row[8...].enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * $1.offset) }
                // The clock of another machine is converted by the least delay. Here both clocks are the same.
                let shift = reading.time - Int64(bitPattern: stamp)
                try #require((0..<3).allSatisfy { abs(reading.value[$0] - expected[$0]) < 1e-9 }, "sample \(raw[0])")
                try #require(shift >= 0 && shift < 60_000_000_000, "sample \(raw[0]) came \(shift) ns late")
            }
            #expect(compared >= 10)
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            await daemon.kill()
            await board.end()
        }

        @Test("Ten kills of the server report one loss each and leak nothing")
        func survivesKills() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let daemon = try IIODaemon(board)
            try await daemon.start()
            let program = try MotionProgram(["accelerometer"], port: daemon.port)
            try #require(await program.wait(for: "samples", count: 20))
            let first = try await program.ask("use")
            for round in 1...10 {
                await daemon.kill()
                try #require(await program.wait(for: "lost", count: round))
                try await daemon.start()
                try #require(await program.wait(for: "regained", count: round))
                try #require(await program.waitForMoreSamples(count: 5))
            }
            #expect(program.all("lost").map(\.code) == Array(repeating: "connectionLost", count: 10))
            #expect(program.count("regained") == 10)
            try await program.expectNothingLeft(since: first)
            #expect(await program.end() == .exited(0))
            await daemon.kill()
            await board.end()
        }

        @Test("A suspended server is reported as lost once, costs no processor time, and delivers samples when resumed")
        func survivesSuspension() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let daemon = try IIODaemon(board)
            try await daemon.start()
            let program = try MotionProgram(["accelerometer"], port: daemon.port)
            let other = try MotionProgram(["accelerometer"], port: daemon.port)
            try #require(await program.wait(for: "samples", count: 20))
            try #require(await other.wait(for: "samples", count: 20))
            daemon.signal(SIGSTOP)
            try #require(await program.wait(for: "lost"))
            try #require(await other.wait(for: "lost"))
            let before = try await program.ask("use")
            // libiio waits five seconds for a response, and assigns a later one to the next request.
            async let pause: Void = Task.sleep(for: .seconds(6))
            // A subscriber that cancels meanwhile is released when libiio returns.
            _ = try await other.ask("stop", answer: "stopped")
            #expect(try await other.isIdle())
            try await pause
            try await program.expectSleep(since: before)
            #expect(program.count("lost") == 1)
            daemon.signal(SIGCONT)
            try #require(await program.wait(for: "regained"))
            try #require(await program.waitForMoreSamples(count: 20))
            #expect(program.count("lost") == 1)
            #expect(program.count("regained") == 1)
            let sensors = try await program.sensors()
            #expect(sensors.map(\.mode) == ["buffered"])
            #expect(sensors.map(\.clock) == ["boottime"])
            #expect(board.attribute("current_timestamp_clock") == "boottime")
            #expect(await program.end() == .exited(0))
            #expect(await other.end() == .exited(0))
            await daemon.kill()
            await board.end()
        }

        @Test("A server that is unavailable at first is awaited silently and used when it starts")
        func waitsForTheServer() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let daemon = try IIODaemon(board)
            let program = try MotionProgram(["accelerometer"], port: daemon.port)
            try #require(await program.wait(for: "ready"))
            #expect(try await program.sensors().isEmpty)
            try await daemon.start()
            try #require(await program.wait(for: "samples", count: 5))
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            await daemon.kill()
            await board.end()
        }
    }
}
