// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import IIOFormat
import Testing

extension IntegrationTests {
    @Suite(
        "Faulty motion sensors",
        .enabled(if: Tools.hasLibIIO, Tools.libIIOMissing))
    struct FaultyBoardTests {
        private func server(_ name: String, _ change: (inout IIOContext) throws -> Void) throws -> IIODServer {
            var context = try SimulatedBoard.context(name)
            try change(&context)
            return IIODServer(context: SimulatedIIOContext(context))
        }

        @Test("An invalid scale yields one error that names it, and no readings", arguments: ["0", "nan", "bogus"])
        func refusesScales(scale: String) async throws {
            let server = try server("msa311") { context in
                for axis in ["x", "y", "z"] {
                    try context.set(scale, for: "iio:device0/input/accel_\(axis)/scale")
                }
            }
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "lost"))
            // Leaves time for a second error, which must not arrive.
            try await Task.sleep(for: .seconds(1))
            let lost = program.all("lost")
            #expect(lost.count == 1)
            #expect(lost.first?.code == "inputOutput")
            #expect(lost.first?.message?.contains("scale") == true)
            #expect(lost.first?.message?.contains("msa311-13") == true)
            #expect(lost.first?.message?.contains("\"\(scale)\"") == true)
            #expect(program.count("samples") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A singular mount matrix is ignored, and a remark reports it")
        func leavesOutSingularMatrices() async throws {
            let server = try server("mpu6050") { context in
                for axis in ["x", "y", "z"] {
                    let key = "iio:device0/input/accel_\(axis)/mount_matrix"
                    try context.set("1, 0, 0; 0, 1, 0; 0, 1, 0", for: key)
                }
            }
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 3))
            #expect(program.readings("accelerometer").allSatisfy { $0.value == [0, 0, 16_400 * 0.000598] })
            let sensor = try #require(try await program.sensors().first { $0.kind == "accelerometer" })
            #expect(sensor.matrix == "1, 0, 0; 0, 1, 0; 0, 0, 1")
            #expect(sensor.remarks.count == 1)
            #expect(sensor.remarks.first?.contains("singular") == true)
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("Channels of unknown types are ignored")
        func passesOverUnknownTypes() async throws {
            let server = try server("lsm6dso") { context in
                let format = try #require(IIODataFormat(bits: 24, storageBits: 32))
                var channel = IIOChannel(id: "deltaangl_x", scan: IIOScanElement(index: 7, format: format))
                channel.attributes = [IIOAttribute(name: "raw", filename: "in_deltaangl_x_raw", value: "5")]
                context.devices[1].channels.append(channel)
                context.devices[1].channels.append(IIOChannel(id: "futuretype0"))
                for axis in ["x", "y"] {
                    try context.set("250", for: "iio:device1/input/accel_\(axis)/raw")
                }
            }
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 5))
            let expected = [250 * 0.000598, 250 * 0.000598, 16_400 * 0.000598]
            for reading in program.readings("accelerometer") {
                for axis in 0..<3 { #expect(abs(reading.value[axis] - expected[axis]) < 1e-9) }
            }
            #expect(try await program.sensors().map(\.kind).sorted() == ["accelerometer", "gyroscope"])
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A sensor whose scans libiio does not pad correctly is read axis by axis")
        func refusesUnpaddedScans() async throws {
            // Three elements of s32, of which z has 16 bits, and no timestamp: the kernel's scan has 12 bytes, but
            // libiio 0.24 computes 10.
            let server = try server("odd-padding-imu") { context in
                let format = try #require(IIODataFormat(bits: 16, storageBits: 16))
                context.devices[0].channels.removeAll { $0.id == "timestamp" || $0.id == "temp0" }
                let z = try #require(context.devices[0].channels.firstIndex { $0.id == "accel_z" })
                context.devices[0].channels[z].scan = IIOScanElement(index: 2, format: format)
                for (axis, raw) in [("x", "100000000"), ("y", "-200000000"), ("z", "32000")] {
                    try context.set(raw, for: "iio:device0/input/accel_\(axis)/raw")
                }
            }
            let program = try MotionProgram(["--interval", "0.02", "accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 5))
            let expected = [3.7, -7.4, 32_000 * 0.000000037]
            for reading in program.readings("accelerometer") {
                for axis in 0..<3 { #expect(abs(reading.value[axis] - expected[axis]) < 1e-9) }
            }
            let sensor = try #require(try await program.sensors().first)
            // With libiio 0.26 and later the buffer is correct.
            if sensor.mode == "polled" { #expect(sensor.remarks.contains { $0.contains("padding") }) }
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A sensor that reports only changes may stay silent without being lost")
        func waitsForChanges() async throws {
            let server = try server("hid-accel-3d") { _ in }
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 5))
            server.inject(IIODFault(.stall))
            // Sleeps, because this test checks behavior over time. Other sensors are lost after little more than a
            // second.
            try await Task.sleep(for: .seconds(3))
            #expect(program.count("lost") == 0)
            server.inject(IIODFault(.resume))
            try #require(await program.waitForMoreSamples(count: 5))
            #expect(program.count("lost") == 0)
            // −1000 × 0.009806.
            #expect(program.readings("accelerometer").allSatisfy { abs($0.value[1] + 9.806) < 1e-9 })
            #expect(try await program.sensors().map(\.mode) == ["buffered"])
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A device with a missing trigger is read axis by axis, and a remark names the trigger")
        func saysWhichTriggerIsMissing() async throws {
            var context = SimulatedIIOContext(
                try {
                    var context = try SimulatedBoard.context("mpu6050")
                    context.devices[1].name = "somebody-elses"
                    return context
                }())
            context.devicesNeedingTrigger = ["iio:device0"]
            let server = IIODServer(context: context)
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "samples", count: 5))
            let sensor = try #require(try await program.sensors().first { $0.kind == "accelerometer" })
            #expect(sensor.mode == "polled")
            #expect(sensor.remarks.contains { $0.contains("mpu6050-dev0") && $0.contains("trigger") })
            #expect(program.count("lost") == 0)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A program on a board without devices sleeps and reports no loss")
        func waitsAtEmptyBoards() async throws {
            let server = IIODServer(context: SimulatedIIOContext(IIOContext(description: "empty")))
            let program = try MotionProgram(["accelerometer"], port: try server.start())
            try #require(await program.wait(for: "ready"))
            #expect(try await program.sensors().isEmpty)
            #expect(program.count("lost") == 0)
            let before = try await program.ask("use")
            // Sleeps, because this test checks behavior over time.
            try await Task.sleep(for: .seconds(2))
            try await program.expectSleep(since: before)
            #expect(await program.end() == .exited(0))
            server.stop()
        }

        @Test("A configured mount matrix overrides the driver's")
        func takesTheConfiguredMatrix() async throws {
            let file = try ConfigurationFile(
                #"{"motion":{"sensors":[{"sensor":"mpu6050","mountMatrix":"0, 0, 1; 1, 0, 0; 0, 1, 0"}]}}"#)
            let server = IIODServer(context: SimulatedIIOContext(try SimulatedBoard.context("mpu6050")))
            let program = try MotionProgram(
                ["accelerometer"], port: try server.start(), environment: ["DEVICE_SERVICES_CONFIG": file.path])
            try #require(await program.wait(for: "samples", count: 3))
            #expect(program.count("failure") == 0)
            // x' = z.
            #expect(program.readings("accelerometer").allSatisfy { $0.value == [16_400 * 0.000598, 0, 0] })
            #expect(await program.end() == .exited(0))
            server.stop()
        }
    }
}
