// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension IntegrationTests {
    @Suite(
        "Mocked local motion sensors", .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing),
        .enabled(if: Tools.umockdevRun != nil, Tools.umockdevMissing))
    struct LocalBackendTests {
        @Test(
            "Readings have the driver's values and timestamps, in device axes, at the requested rate",
            arguments: MockReading.Mounting.all)
        func readsWhatTheDriverGives(mounting: MockReading.Mounting) async throws {
            var samples = MockFeeder.Samples()
            // Oscillators deviate from their nominal rate.
            samples.pace = 0.97
            let board = try await MockBoard(mounting.description, samples: samples)
            let program = try MotionProgram(
                ["--interval", "0.005", "accelerometer"], environment: board.sourceEnvironment)
            // The rate is measured over one second. The reading before the capture belongs to the first second.
            try #require(await program.wait(for: "samples", count: Int(mounting.rate * 2.5)))
            let readings = program.readings("accelerometer")

            // Attribute values arrive first, because a sensor that reports only changes may deliver nothing else.
            let first = try #require(readings.first)
            let seed = mounting.turn([100, -16_384, 12] * MockReading.scale)
            for axis in 0..<3 { #expect(abs(first.value[axis] - seed[axis]) < 1e-9) }

            // After that every sample arrives once and in order, with its own timestamp instead of its arrival time.
            let numbers = readings.dropFirst().map { MockReading.number(of: $0.value, mounting) }
            let start = try #require(numbers.first ?? nil)
            #expect(numbers == Array(start..<start + numbers.count))
            let stamps = board.feeder.stamps
            for (number, reading) in zip(start..., readings.dropFirst()) {
                try #require(number < stamps.count)
                #expect(reading.time == stamps[number])
            }

            // The clock, the rate and the channels were set before the capture began.
            #expect(
                board.feeder.captures.elements == [
                    MockFeeder.Capture(clock: "boottime", rate: mounting.rate, channels: [true, true, true, true])
                ])
            let sensors = try await program.sensors().filter { $0.kind == "accelerometer" }
            #expect(sensors.map(\.origin) == [mounting.origin])
            #expect(sensors.map(\.name) == ["mpu6050"])
            #expect(sensors.map(\.label) == ["accel-display"])
            #expect(sensors.map(\.mode) == ["buffered"])
            #expect(sensors.map(\.clock) == ["boottime"])
            #expect(sensors.map(\.remarks) == [[]])
            let rates = try #require(try await program.ask("rate", answer: "rates").rates)
            let rate = try #require(rates[sensors[0].id] ?? nil)
            #expect(abs(rate - mounting.rate * 0.97) < mounting.rate * 0.01)

            // Without subscribers the capture ends, although the process continues.
            _ = try await program.ask("stop", answer: "stopped")
            #expect(await board.isIdle())
            #expect(try await program.isIdle())
            #expect(await program.end() == .exited(0))
            await board.end()
            #expect(!FileManager.default.fileExists(atPath: board.root))
        }

        @Test("A pressure sensor without a buffer is read from its attribute")
        func readsPressure() async throws {
            let board = try await MockBoard("mpu6050-accel-in_mount_matrix")
            let program = try MotionProgram(["--interval", "0.02", "pressure"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "samples", count: 3))
            try board.setAttribute("in_pressure_input", "99.25")
            try #require(await program.waitForMoreSamples(count: 3))
            let values = program.readings("pressure").map(\.value)
            #expect(values.first == [101.3, 0, 0])
            #expect(values.last == [99.25, 0, 0])
            #expect(try await program.sensors().filter { $0.kind == "pressure" }.map(\.mode) == ["polled"])
            #expect(board.feeder.captures.count == 0)
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("A sensor that falls silent is lost once and resumes when samples arrive again")
        func survivesSilence() async throws {
            let board = try await MockBoard("mpu6050-accel")
            // Makes direct reads of this sensor impossible.
            for axis in ["x", "y", "z"] { try board.removeAttribute("in_accel_\(axis)_raw") }
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "samples", count: 20))
            board.feeder.pause()
            try #require(await program.wait(for: "lost"))
            #expect(program.all("lost").map(\.code) == ["silent"])
            let before = try await program.ask("use")
            // Sleeps, because this test checks behavior over time. The capture is restarted repeatedly without further
            // reports.
            try await Task.sleep(for: .seconds(2))
            try await program.expectSleep(since: before)
            #expect(program.count("lost") == 1)
            #expect(program.count("regained") == 0)
            let last = try #require(program.readings("accelerometer").last)
            board.feeder.resume()
            try #require(await program.wait(for: "regained"))
            try #require(await program.waitForMoreSamples(count: 20))
            #expect(program.count("lost") == 1)
            #expect(program.count("regained") == 1)
            // No reading from before the silence is delivered again.
            let times = program.readings("accelerometer").map(\.time)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            let next = try #require(times.first { $0 > last.time })
            #expect(next - last.time > 2_000_000_000)
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("A sensor whose buffer stays silent is read axis by axis")
        func fallsBackToPolling() async throws {
            let board = try await MockBoard("mpu6050-accel")
            board.feeder.pause()
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            // The first reading precedes the capture. More readings arrive after the capture has been abandoned.
            try #require(await program.wait(for: "samples", count: 10))
            let expected = MockReading.Mounting.ofType.turn([100, -16_384, 12] * MockReading.scale)
            for reading in program.readings("accelerometer") {
                for axis in 0..<3 { #expect(abs(reading.value[axis] - expected[axis]) < 1e-9) }
            }
            #expect(program.count("lost") == 0)
            let sensor = try #require(try await program.sensors().first)
            #expect(sensor.mode == "polled")
            #expect(sensor.remarks.contains { $0.contains("polled one by one") })
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("An unplugged device is lost once each time and resumes when it is back")
        func survivesUnplugging() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "samples", count: 10))
            let first = try await program.ask("use")
            for round in 1...2 {
                try board.unplug()
                try #require(await program.wait(for: "lost", count: round))
                try board.replug()
                try #require(await program.wait(for: "regained", count: round))
                try #require(await program.waitForMoreSamples(count: 5))
            }
            #expect(program.all("lost").map(\.code) == Array(repeating: "connectionLost", count: 2))
            #expect(program.count("regained") == 2)
            #expect(Set(program.all("samples").map(\.sensor)).count == 1)
            try await program.expectNothingLeft(since: first)
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("Timestamps of a driver without the boot clock are converted to time since boot")
        func convertsSystemTime() async throws {
            let board = try await MockBoard("mpu6050-accel")
            try board.removeAttribute("current_timestamp_clock")
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "samples", count: 50))
            let offset = MockFeeder.offset(of: "boottime", from: "realtime")
            let readings = program.readings("accelerometer").dropFirst()
            let start = try #require(readings.first.flatMap { MockReading.number(of: $0.value, .ofType) })
            let stamps = board.feeder.stamps
            for (number, reading) in zip(start..., readings) {
                try #require(number < stamps.count)
                // On a busy machine two clocks cannot be read at exactly the same time.
                #expect(abs(reading.time - (stamps[number] + offset)) < 1_000_000_000)
            }
            #expect(board.feeder.captures.elements.map(\.clock) == [""])
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("A device that another process reads is busy, is not disturbed, and is used once it is free")
        func leavesOthersAlone() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let first = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await first.wait(for: "samples", count: 10))
            let second = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await second.wait(for: "lost"))
            #expect(second.all("lost").map(\.code) == ["busy"])
            #expect(second.all("lost").first?.message?.contains("/dev/iio:device0") == true)
            try #require(await first.waitForMoreSamples(count: 20))
            #expect(first.count("lost") == 0)
            #expect(board.feeder.captures.count == 1)
            _ = try await first.ask("stop", answer: "stopped")
            try #require(await second.wait(for: "regained"))
            try #require(await second.waitForMoreSamples(count: 10))
            #expect(second.count("lost") == 1)
            #expect(await first.end() == .exited(0))
            #expect(await second.end() == .exited(0))
            await board.end()
        }

        @Test("A device that returns with another number is the same sensor")
        func recognisesDevices() async throws {
            let board = try await MockBoard("mpu6050-accel")
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "samples", count: 10))
            try board.unplug()
            try #require(await program.wait(for: "lost"))
            try board.replug(as: "iio:device3")
            try #require(await program.wait(for: "regained"))
            try #require(await program.waitForMoreSamples(count: 5))
            #expect(Set(program.all("samples").map(\.sensor)) == ["local:/iio:device0/accel"])
            #expect(try await program.sensors().map(\.id) == ["local:/iio:device0/accel"])
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("A device without its trigger gets it back before the capture")
        func setsTheTrigger() async throws {
            let board = try await MockBoard("mpu6050-accel")
            try board.setAttribute("trigger/current_trigger", "")
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "samples", count: 10))
            #expect(board.attribute("trigger/current_trigger") == "mpu6050-dev0")
            #expect(await program.end() == .exited(0))
            await board.end()
        }

        @Test("A program waits silently on a board without sensors until one appears")
        func waitsForADevice() async throws {
            let board = try await MockBoard("mpu6050-accel")
            try board.unplug()
            let program = try MotionProgram(["accelerometer"], environment: board.sourceEnvironment)
            try #require(await program.wait(for: "ready"))
            #expect(try await program.sensors().isEmpty)
            try board.replug()
            try #require(await program.wait(for: "samples", count: 5))
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            await board.end()
        }
    }
}
