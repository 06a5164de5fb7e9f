// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import IIOFormat
import Testing

extension IntegrationTests {
    @Suite(
        "Motion sensors through a simulated iiod", .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing))
    struct SimulatedServerTests {
        /// A board with raw values on its axes, and the results according to the kernel's documentation: (raw + offset)
        /// × scale, rotated by the mount matrix.
        struct Board: Sendable, CustomTestStringConvertible {
            struct Expected: Sendable {
                let kind: String
                let value: SIMD3<Double>
                var mode = "buffered"
                var origin = "none given"
            }

            let name: String
            /// The device whose raw values are set.
            var device = "iio:device0"
            var raw: [String: String] = [:]
            let expected: [Expected]

            var testDescription: String { name }
        }

        static let boards: [Board] = [
            // 16 bits, big-endian, six axes and a temperature in between. Scales 0.000598 and 0.001064724, and the
            // matrix 0, 1, 0; 1, 0, 0; 0, 0, -1: x' = y, y' = x, z' = -z.
            Board(
                name: "mpu6050",
                raw: [
                    "accel_x": "100", "accel_y": "-200", "accel_z": "1024",
                    "anglvel_x": "300", "anglvel_y": "-400", "anglvel_z": "500",
                ],
                expected: [
                    .init(
                        kind: "accelerometer", value: [-200 * 0.000598, 100 * 0.000598, -1024 * 0.000598],
                        origin: "in_accel_mount_matrix"),
                    .init(
                        kind: "gyroscope", value: [-400 * 0.001064724, 300 * 0.001064724, -500 * 0.001064724],
                        origin: "in_anglvel_mount_matrix"),
                ]),
            // 16 bits, little-endian, the gyroscope first, gaps between the indices, and a matrix for the device.
            Board(
                name: "bmi160",
                raw: [
                    "accel_x": "100", "accel_y": "-200", "accel_z": "1024",
                    "anglvel_x": "300", "anglvel_y": "-400", "anglvel_z": "500",
                ],
                expected: [
                    .init(
                        kind: "accelerometer", value: [100 * 0.000598, -200 * 0.000598, 1024 * 0.000598],
                        origin: "in_mount_matrix"),
                    .init(
                        kind: "gyroscope", value: [300 * 0.001065, -400 * 0.001065, 500 * 0.001065],
                        origin: "in_mount_matrix"),
                ]),
            // One device per sensor.
            Board(
                name: "lsm6dso", device: "iio:device1",
                raw: ["accel_x": "100", "accel_y": "-200", "accel_z": "1024"],
                expected: [
                    .init(
                        kind: "accelerometer", value: [100 * 0.000598, -200 * 0.000598, 1024 * 0.000598],
                        origin: "in_accel_mount_matrix"),
                    .init(kind: "gyroscope", value: [0, 0, 0], origin: "in_anglvel_mount_matrix"),
                ]),
            Board(
                name: "hid-accel-3d", raw: ["accel_x": "100", "accel_y": "-200", "accel_z": "1000"],
                expected: [.init(kind: "accelerometer", value: [100 * 0.009806, -200 * 0.009806, 1000 * 0.009806])]),
            // 12 bits, with the lower four of 16 unused.
            Board(
                name: "mma8452", raw: ["accel_x": "100", "accel_y": "-2048", "accel_z": "1024"],
                expected: [.init(kind: "accelerometer", value: [100 * 0.009577, -2048 * 0.009577, 1024 * 0.009577])]),
            Board(
                name: "msa311", raw: ["accel_x": "2047", "accel_y": "-200", "accel_z": "1024"],
                expected: [.init(kind: "accelerometer", value: [2047 * 0.00958, -200 * 0.00958, 1024 * 0.00958])]),
            // Two accelerometers, in the keyboard and in the lid with the display.
            Board(
                name: "cros-ec-two-accels", device: "iio:device1",
                raw: ["accel_x": "-7", "accel_y": "16000", "accel_z": "250"],
                expected: [.init(kind: "accelerometer", value: [-7 * 0.000598, 16_000 * 0.000598, 250 * 0.000598])]),
            // 20 bits of 32, big-endian, recorded with its values.
            Board(
                name: "adxl355.recorded",
                expected: [
                    .init(
                        kind: "accelerometer",
                        value: [-4641 * 0.000038245, -2198 * 0.000038245, 257_934 * 0.000038245])
                ]),
            // No buffers. The matrix is 0, -1, 0; 1, 0, 0; 0, 0, 1: x' = -y, y' = x.
            Board(
                name: "raw-only-accel-magn-baro", raw: ["accel_x": "100", "accel_y": "-200", "accel_z": "1024"],
                expected: [
                    .init(
                        kind: "accelerometer", value: [200 * 0.009577, 100 * 0.009577, 1024 * 0.009577],
                        mode: "polled", origin: "in_mount_matrix"),
                    .init(
                        kind: "magnetometer", value: [33 * 0.006, -70 * 0.006, -60 * 0.006], mode: "polled",
                        origin: "in_mount_matrix"),
                    .init(kind: "pressure", value: [101.325, 0, 0], mode: "polled", origin: ""),
                ]),
            // Elements of 32, 16 and 64 bits.
            Board(
                name: "odd-padding-imu",
                raw: ["accel_x": "100000000", "accel_y": "-200000000", "accel_z": "262144000"],
                expected: [.init(kind: "accelerometer", value: [3.7, -7.4, 9.699328])]),
        ]

        @Test("Readings of every kind of board are correct", arguments: boards)
        func readsEveryBoard(board: Board) async throws {
            var context = try SimulatedBoard.context(board.name)
            for (axis, raw) in board.raw {
                try context.set(raw, for: "\(board.device)/input/\(axis)/raw")
            }
            let server = IIODServer(context: SimulatedIIOContext(context))
            let kinds = board.expected.map(\.kind)
            let program = try MotionProgram(["--interval", "0.05"] + kinds, port: try server.start())
            for expected in board.expected {
                let text = #""kind":"\#(expected.kind)""#
                try #require(
                    await program.lines.wait { lines in
                        lines.count { MotionLine.is($0, "samples") && $0.contains(text) } >= 5
                    }, "\(expected.kind)")
                let readings = program.readings(expected.kind)
                for reading in readings {
                    for axis in 0..<3 {
                        #expect(abs(reading.value[axis] - expected.value[axis]) < 1e-9, "\(expected.kind)")
                    }
                    // Both clocks agree, and a reading cannot arrive before it is measured.
                    #expect(reading.time <= reading.arrival)
                    #expect(reading.arrival - reading.time < 60_000_000_000)
                }
                let times = readings.map(\.time)
                #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
                let sensor = try #require(try await program.sensors().first { $0.kind == expected.kind })
                #expect(sensor.mode == expected.mode)
                if !expected.origin.isEmpty { #expect(sensor.origin == expected.origin) }
                #expect(sensor.remarks == [])
            }
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("The accelerometer at the display is preferred, and the other is available by its name")
        func choosesTheDisplay() async throws {
            let server = IIODServer(context: SimulatedIIOContext(try SimulatedBoard.context("cros-ec-two-accels")))
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 3))
            #expect(try await program.sensors().map(\.label) == ["accel-display", "accel-base"])
            #expect(program.readings("accelerometer").allSatisfy { $0.value == [0, 16_400 * 0.000598, 0] })
            #expect(await program.end() == .exited(0))
            let base = "ip:127.0.0.1:\(try #require(server.port))/iio:device0/accel"
            let other = try MotionProgram(["--sensor", base, "accelerometer"], port: try server.start())
            try #require(await other.wait(for: "samples", count: 3))
            #expect(other.readings("accelerometer").allSatisfy { $0.value == [0, 0, 16_400 * 0.000598] })
            #expect(Set(other.all("samples").map(\.sensor)) == [base])
            #expect(await other.end() == .exited(0))
            server.stop()
        }

        @Test("No sample is lost or delivered twice, regardless of the batch size", arguments: [1, 16, 256])
        func losesNothing(samples: Int) async throws {
            // The reading increases by 0.01 m/s² with each sample. At 500 Hz, refills of one sample would require as
            // many requests, too many for any client on a busy machine.
            let period: Int64 = samples == 1 ? 10_000_000 : 2_000_000
            let count = 4000
            let track = IIOSampleTrack(
                kind: .accelerometer, times: (0..<count).map { Int64($0) * period },
                values: (0..<count).map { [Double($0) * 0.01, 1, 2] })
            let context = try SimulatedBoard.context("lsm6dso")
            var options = IIODServerOptions()
            options.end = .loop
            let server = IIODServer(
                context: SimulatedIIOContext(context), samples: IIORecordedSource([track]), options: options)
            // The kernel buffers at least half a second, so that no sample is lost for lack of processor time. iiod
            // supports at most 64 buffers.
            let program = try MotionProgram(
                [
                    "--interval", "0", "--samples", "\(samples)", "--buffers", "\(min(64, max(4, 1024 / samples)))",
                    "accelerometer",
                ], port: try server.start())
            let wanted = samples == 1 ? 300 : max(3, 600 / samples)
            try #require(await program.wait(for: "samples", count: wanted + 1))
            // Not more, because the 1959th sample, 19.59 m/s², is the maximum of the sensor. The first reading precedes
            // the capture.
            let batches = program.all("samples").prefix(wanted + 1).dropFirst()
            #expect(batches.allSatisfy { $0.values?.count == samples })
            let readings = batches.flatMap { line in
                zip(line.times ?? [], line.values ?? []).map {
                    MotionProgram.Reading(time: $0, arrival: line.arrival ?? 0, value: $1)
                }
            }
            let numbers = readings.map { Int(($0.value[0] / 0.01).rounded()) }
            let start = try #require(numbers.first)
            #expect(numbers == Array(start..<start + numbers.count))
            // The scale of 0.000598 is coarser than the values, which are accurate to half a step.
            for (number, reading) in zip(numbers, readings) {
                #expect(abs(reading.value[0] - Double(number) * 0.01) <= 0.000299 + 1e-9)
            }
            let steps = zip(readings, readings.dropFirst()).map { $1.time - $0.time }
            #expect(try #require(steps.min()) > 0)
            // The timestamps are the driver's, one period apart. A refill that shows that earlier refills were late is
            // shifted, and overlapping samples move closer together evenly.
            let first = samples == 1 ? steps.sorted()[steps.count / 2] : steps[0]
            #expect(abs(first - period) <= 1_000)
            var before: Int64?
            for refill in batches.compactMap(\.times) where refill.count > 1 {
                let steps = zip(refill, refill.dropFirst()).map { $1 - $0 }
                let step = steps[0]
                #expect((steps.max() ?? 0) - (steps.min() ?? 0) <= 1_000)
                // Samples are closer together only directly after the previous refill.
                let gap: Int64? = before.map { refill[0] - $0 }
                let isPressed = gap.map { abs($0 - step) <= 1_000 } ?? false
                let isRight = isPressed ? step <= period + 1_000 : abs(step - period) <= 1_000
                #expect(isRight, "\(step) ns apart, \(gap ?? 0) ns after the refill before")
                before = refill.last
            }
            let sensor = try #require(try await program.sensors().first { $0.kind == "accelerometer" })
            let rates = try #require(try await program.ask("rate", answer: "rates").rates)
            let rate = try #require(rates[sensor.id] ?? nil)
            // Late refills shift timestamps within the second over which the rate is measured.
            let times = program.all("samples").dropFirst().flatMap { $0.times ?? [] }
            let isEven = zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - period) <= 1_000 }
            #expect(abs(rate * Double(period) - 1e9) < (isEven ? 2e7 : 1e8))
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }
    }
}
