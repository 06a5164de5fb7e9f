// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import TestSupport
import Testing

extension IntegrationTests {
    @Suite(
        "iOS programs on a simulated board",
        .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing))
    struct MotionProgramTests {
        /// A line such as "gyro +0.0000 +0.0000 +1.5708 at 1234.567890".
        struct Shown {
            let name: String
            let value: SIMD3<Double>
            let time: Double

            init?(_ line: String) {
                let words = line.split(separator: " ")
                let numbers = words.dropFirst().compactMap { Double($0) }
                guard words.count == 6, words[4] == "at", numbers.count == 4 else { return nil }
                name = String(words[0])
                value = [numbers[0], numbers[1], numbers[2]]
                time = numbers[3]
            }
        }

        private static func run(_ app: String, port: UInt16) throws -> ChildProcess {
            try ChildProcess(.apps, [app], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:\(port)"])
        }

        private static func shown(_ process: ChildProcess, _ name: String) -> [Shown] {
            process.lines.elements.compactMap { Shown($0) }.filter { $0.name == name }
        }

        /// Waits for `count` lines with each of the names.
        private static func wait(_ process: ChildProcess, for names: [String], count: Int) async -> Bool {
            await process.lines.wait { lines in
                names.allSatisfy { name in lines.count { $0.hasPrefix("\(name) ") } >= count }
            }
        }

        /// A pose: the measured proper acceleration in IIO's convention (+9.80665 m/s² on the axis that points up), and
        /// the expected value in Apple's convention (gravity, in g).
        struct Pose: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let measured: SIMD3<Double>
            let shown: SIMD3<Double>
        }

        @Test(
            "CMMotionManager reports poses, rotations and fields in Apple's axes, signs and units",
            arguments: [
                Pose(testDescription: "face up", measured: [0, 0, 9.80665], shown: [0, 0, -1]),
                Pose(testDescription: "face down", measured: [0, 0, -9.80665], shown: [0, 0, 1]),
                Pose(testDescription: "upright", measured: [0, 9.80665, 0], shown: [0, -1, 0]),
                Pose(testDescription: "on its left side", measured: [9.80665, 0, 0], shown: [-1, 0, 0]),
            ])
        func showsPoses(pose: Pose) async throws {
            // 90°/s counterclockwise for a viewer of the screen, 20 µT forward and 43 µT into the screen.
            let samples = IIORestSource([
                .accelerometer: pose.measured, .gyroscope: [0, 0, .pi / 2], .magnetometer: [0, 0.2, -0.43],
            ])
            let server = IIODServer(context: SimulatedBoard.nineAxes(), samples: samples)
            let process = try MotionProgramTests.run("motion-manager", port: try server.start())
            let names = ["accelerometer", "gyro", "magnetometer"]
            try #require(await MotionProgramTests.wait(process, for: names, count: 5))
            let boot = ProcessInfo.processInfo.systemUptime
            for (name, value, precision) in [
                ("accelerometer", pose.shown, 1e-4), ("gyro", [0, 0, 1.5708], 1e-4),
                ("magnetometer", [0, 20, -43], 1e-3),
            ] as [(String, SIMD3<Double>, Double)] {
                let shown = MotionProgramTests.shown(process, name)
                for one in shown {
                    for axis in 0..<3 { #expect(abs(one.value[axis] - value[axis]) <= precision, "\(name)") }
                    // Seconds since boot.
                    #expect(abs(one.time - boot) < 60)
                }
                let times = shown.map(\.time)
                #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            }
            await process.kill()
            server.stop()
        }

        @Test("The gyroscope is right-handed: the field rotates opposite to the device by the same angle")
        func turnsRightHanded() async throws {
            var options = IIODServerOptions()
            options.end = .loop
            let server = IIODServer(
                context: SimulatedBoard.nineAxes(),
                samples: IIORecordedSource(try SimulatedBoard.tracks("spin-flat-90dps")), options: options)
            let process = try MotionProgramTests.run("motion-manager", port: try server.start())
            try #require(await MotionProgramTests.wait(process, for: ["gyro", "magnetometer"], count: 25))
            let fields = MotionProgramTests.shown(process, "magnetometer")
            let turns = MotionProgramTests.shown(process, "gyro")
            var compared = 0
            for (former, latter) in zip(fields, fields.dropFirst()) {
                let rates = turns.filter { $0.time > former.time && $0.time <= latter.time }.map(\.value.z)
                // The device does not rotate where the recording restarts and where it rests.
                guard rates.count >= 3, rates.allSatisfy({ $0 > 1 }) else { continue }
                let seconds = latter.time - former.time
                let turned = rates.reduce(0, +) / Double(rates.count) * seconds
                let angle = atan2(
                    former.value.x * latter.value.y - former.value.y * latter.value.x,
                    former.value.x * latter.value.x + former.value.y * latter.value.y)
                #expect(abs(angle + turned) < 0.05)
                compared += 1
            }
            #expect(compared >= 5)
            await process.kill()
            server.stop()
        }

        @Test("A program receives one error when its sensors are lost and resumes when they return")
        func reportsLosses() async throws {
            let server = IIODServer(
                context: SimulatedBoard.nineAxes(), samples: IIORestSource([.accelerometer: [0, 0, 9.80665]]))
            let process = try MotionProgramTests.run("motion-manager", port: try server.start())
            let names = ["accelerometer", "gyro", "magnetometer"]
            try #require(await MotionProgramTests.wait(process, for: names, count: 5))
            server.inject(IIODFault(.kill))
            for name in names {
                #expect(await process.lines.wait { $0.contains { $0.hasPrefix("\(name) failed: ") } })
            }
            server.inject(IIODFault(.restart))
            let before = process.lines.count
            #expect(
                await process.lines.wait { lines in
                    names.allSatisfy { name in lines.dropFirst(before).contains { $0.hasPrefix("\(name) +") } }
                })
            for name in names { #expect(process.lines.elements.count { $0.hasPrefix("\(name) failed: ") } == 1) }
            await process.kill()
            server.stop()
        }

        @Test(
            "The same program runs with mocked local sensors",
            .enabled(if: Tools.umockdevRun != nil, Tools.umockdevMissing))
        func runsOnLocalSensors() async throws {
            var samples = MockFeeder.Samples()
            // 16,399 × 0.000598 is 9.80660 m/s² on sensor x, which the mount matrix maps to device y: upright.
            samples.raw = { _ in [16_399, 0, 0] }
            let board = try await MockBoard("mpu6050-accel", samples: samples)
            let process = try ChildProcess(.apps, ["motion-manager"], environment: board.sourceEnvironment)
            try #require(await MotionProgramTests.wait(process, for: ["accelerometer"], count: 20))
            // The first reading is from the attributes: 100, -16384, 12.
            let shown = MotionProgramTests.shown(process, "accelerometer").dropFirst()
            for one in shown {
                #expect(abs(one.value.x) < 1e-4 && abs(one.value.y + 1) < 1e-4 && abs(one.value.z) < 1e-4)
            }
            #expect(process.lines.elements.contains("no gyro"))
            #expect(process.lines.elements.contains("no magnetometer"))
            await process.kill()
            await board.end()
        }

        @Test("Listings 8-8 and 8-9 read the headings of a rotating board and stop")
        func listingReadsHeadings() async throws {
            var options = IIODServerOptions()
            options.end = .loop
            let server = IIODServer(
                context: SimulatedBoard.nineAxes(),
                samples: IIORecordedSource(try SimulatedBoard.tracks("spin-flat-90dps")), options: options)
            let process = try MotionProgramTests.run("listing-8-8", port: try server.start())
            #expect(await process.wait() == .exited(0))
            _ = await process.lines.wait { $0.last == "stopped" }
            let lines = process.lines.elements
            #expect(lines.last == "stopped")
            let headings = lines.compactMap { line -> Double? in
                let words = line.split(separator: " ")
                return words.first == "heading" ? words.dropFirst().first.flatMap { Double($0) } : nil
            }
            #expect(headings.count == 100)
            // Counterclockwise steps of 5°, plus the movement until the next reading and any delay on a busy machine.
            let steps = zip(headings, headings.dropFirst()).map {
                ($0 - $1 + 360).truncatingRemainder(dividingBy: 360)
            }
            #expect(steps.count { $0 >= 4.9 && $0 < 120 } >= 90, "\(steps)")
            server.stop()
        }

        @Test("Listings 8-3 to 8-6 read and filter the accelerometer")
        func listingFilters() async throws {
            let server = IIODServer(
                context: SimulatedBoard.nineAxes(), samples: IIORestSource([.accelerometer: [0, 0, 9.80665]]))
            let process = try MotionProgramTests.run("listing-8-3", port: try server.start())
            #expect(await process.wait() == .exited(0))
            _ = await process.lines.wait { $0.last == "stopped" }
            let lines = process.lines.elements
            #expect(lines.first?.hasPrefix("interval ") == true)
            #expect(lines.last == "stopped")
            let readings = lines.filter { $0.hasPrefix("reading ") }
            #expect(readings.count == 100)
            for (index, line) in readings.enumerated() {
                // With a constant reading x the filters of the listings are geometric series: the low-pass part is x (1
                // - 0.9ⁿ), and the rest is x 0.9ⁿ. The high-pass filter fed back into itself is 0.9 x (1 - (-0.9)ⁿ) /
                // 1.9.
                let steps = Double(index + 1)
                let low = -(1 - pow(0.9, steps))
                let high = -pow(0.9, steps)
                let printed = -0.9 * (1 - pow(-0.9, steps)) / 1.9
                let numbers = line.split { $0 == " " || $0 == "," }.compactMap { Double($0) }
                let expected = [0, 0, -1, 0, 0, low, 0, 0, high, 0, 0, printed]
                #expect(numbers.count == 12)
                for (number, value) in zip(numbers, expected) { #expect(abs(number - value) < 0.0011, "\(line)") }
            }
            server.stop()
        }

        @Test(
            "Listings 3-13 and 3-14 detect a shake, cancel a longer one and ignore a device at rest")
        func listingHearsShakes() async throws {
            var options = IIODServerOptions()
            options.end = .loop
            // The device is shaken for 1.5 s from 2.0 s on. A shake is shorter than about one second.
            let long = try SimulatedBoard.tracks("shake")
            let short = try SimulatedBoard.tracks("shake", without: 2.8..<3.6)
            let rest = try SimulatedBoard.tracks("flat-face-up")
            var servers: [IIODServer] = []
            var processes: [ChildProcess] = []
            for tracks in [short, long, rest] {
                let server = IIODServer(
                    context: SimulatedBoard.nineAxes(), samples: IIORecordedSource(tracks), options: options)
                servers.append(server)
                processes.append(try MotionProgramTests.run("listing-3-13", port: try server.start()))
            }
            for process in processes.prefix(2) {
                #expect(await process.lines.wait { $0.count >= 3 })
            }
            #expect(Array(processes[0].lines.elements.prefix(3)) == ["first responder true", "began", "shaken"])
            #expect(Array(processes[1].lines.elements.prefix(3)) == ["first responder true", "began", "cancelled"])
            #expect(await processes[2].lines.wait { !$0.isEmpty })
            #expect(processes[2].lines.elements == ["first responder true"])
            for process in processes { await process.kill() }
            for server in servers { server.stop() }
        }
    }
}
