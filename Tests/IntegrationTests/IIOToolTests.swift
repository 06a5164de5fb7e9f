// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import IIOFormat
import Testing

extension IntegrationTests {
    /// Tests Debian's libiio programs against the simulated iiod.
    @Suite(
        "libiio's programs with the simulated iiod",
        .enabled(if: IIOTools.areThere, IIOTools.missing))
    struct IIOToolTests {
        private static let milliseconds: [Int64] = (0..<2000).map { Int64($0) * 1_000_000 }

        /// The reading with this number, different on each axis.
        private static func reading(_ number: Int) -> SIMD3<Double> {
            SIMD3(Double(number) * 0.001, Double(number % 7), -9.80665)
        }

        private static func server(_ faults: String = "", pace: IIODServerOptions.Pace = .onDemand) throws
            -> IIODServer
        {
            var sensor = SensorDescription(id: "accel", kind: .accelerometer)
            sensor.name = "mpu6050"
            sensor.label = "accel-display"
            sensor.rates = .list([10, 50, 100, 1000])
            sensor.mountMatrix = MountMatrix([0, 1, 0], [1, 0, 0], [0, 0, -1])
            var options = IIODServerOptions()
            options.pace = pace
            options.timestampPolicy = .trace
            options.faults = try faults.isEmpty ? [] : IIODFault.list(faults)
            let track = IIOSampleTrack(
                kind: .accelerometer, times: milliseconds, values: milliseconds.indices.map(reading))
            return IIODServer(
                context: SimulatedIIOContext(sensors: [sensor]), samples: IIORecordedSource([track]), options: options)
        }

        /// Runs a program to its end. Returns its exit status in the shell, nil if it does not end, and its output.
        private func run(_ arguments: [String], output: String = "") async throws -> (Int?, [String]) {
            let script = "out=$1; shift; if [ $out ]; then \"$@\" 2>&1 > $out; else \"$@\" 2>&1; fi; echo ended $?"
            let child = try ChildProcess("/bin/sh", ["-c", script, "sh", output] + arguments)
            _ = await child.lines.wait { $0.last?.hasPrefix("ended ") == true }
            let lines = child.lines.elements
            return (lines.last.flatMap { $0.hasPrefix("ended ") ? Int($0.dropFirst(6)) : nil }, lines)
        }

        /// Runs iio_readdev. Returns its exit status, the scans that it writes and its messages.
        private func capture(
            _ port: UInt16, _ options: [String]
        ) async throws -> (status: Int?, bytes: [UInt8], words: String) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("scans-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let (status, lines) = try await run(
                [try #require(IIOTools.readdev), "-u", "ip:127.0.0.1:\(port)"] + options + ["mpu6050"],
                output: file.path)
            return (status, Array(try Data(contentsOf: file)), lines.joined(separator: "\n"))
        }

        @Test("iio_info prints the attributes as set")
        func info() async throws {
            let server = try Self.server()
            let port = try server.start()
            server.setValue("12.5", for: "iio:device0/sampling_frequency")
            let (status, lines) = try await run([try #require(IIOTools.info), "-u", "ip:127.0.0.1:\(port)"])
            #expect(status == 0)
            let text = lines.joined(separator: "\n")
            for part in [
                "iio:device0: mpu6050 (label: accel-display) (buffer capable)", "4 channels found",
                "accel_x:  (input, index: 0, format: le:S32/32>>0)",
                "timestamp:  (input, index: 3, format: le:S64/64>>0)",
                "scale value: 0.0000001", "mount_matrix value: 0, 1, 0; 1, 0, 0; 0, 0, -1", "raw value: -98066500",
                "sampling_frequency value: 12.5", "sampling_frequency_available value: 10 50 100 1000",
                "current_timestamp_clock value: realtime",
            ] {
                #expect(text.contains(part), "\(part) in \(text)")
            }
            // libiio 0.24 prints this error for every device without a trigger, also for real sensors.
            let errors = lines.filter { $0.contains("ERROR") && !$0.contains("checking for trigger") }
            #expect(errors.isEmpty)
        }

        @Test("iio_attr reads attributes and writes those that a driver would accept")
        func attributes() async throws {
            let server = try Self.server()
            let uri = "ip:127.0.0.1:\(try server.start())"
            let read = try await run([try #require(IIOTools.attr), "-u", uri, "-c", "mpu6050", "accel_y", "scale"])
            #expect(read.0 == 0)
            #expect(read.1.joined().contains("0.0000001"))
            _ = try await run([try #require(IIOTools.attr), "-u", uri, "-d", "mpu6050", "sampling_frequency", "50"])
            #expect(server.value(for: "iio:device0/sampling_frequency") == "50")
            _ = try await run([try #require(IIOTools.attr), "-u", uri, "-d", "mpu6050", "sampling_frequency", "60"])
            #expect(server.value(for: "iio:device0/sampling_frequency") == "50")
            _ = try await run([
                try #require(IIOTools.attr), "-u", uri, "-d", "mpu6050", "current_timestamp_clock", "boottime",
            ])
            #expect(server.value(for: "iio:device0/current_timestamp_clock") == "boottime")
            _ = try await run([try #require(IIOTools.attr), "-u", uri, "-c", "mpu6050", "accel_y", "raw", "5"])
            #expect(server.value(for: "iio:device0/input/accel_y/raw") == "0")
        }

        @Test(
            "iio_readdev returns the readings of the trace with buffers of every size",
            arguments: [(1, 20, ""), (16, 320, ""), (256, 1024, ""), (64, 640, "partial=5")])
        func scans(buffer: Int, samples: Int, faults: String) async throws {
            let server = try Self.server(faults)
            let (status, bytes, _) = try await capture(try server.start(), ["-b", "\(buffer)", "-s", "\(samples)"])
            #expect(status == 0)
            // Three axes of four bytes, four bytes of padding, and the timestamp.
            #expect(bytes.count == samples * 24)
            for number in 0..<min(samples, bytes.count / 24) {
                func integer(_ place: Int, _ count: Int) -> Int64 {
                    bytes[number * 24 + place..<number * 24 + place + count].reversed().reduce(0) {
                        $0 << 8 | Int64($1)
                    }
                }
                for axis in 0..<3 {
                    let raw = Int32(truncatingIfNeeded: integer(axis * 4, 4))
                    #expect(abs(Double(raw) * 1e-7 - Self.reading(number)[axis]) <= 0.5001e-7)
                }
                #expect(integer(16, 8) == Self.milliseconds[number])
            }
        }

        @Test("In real time iio_readdev takes as long as the trace")
        func paced() async throws {
            let server = try Self.server(pace: .realTime(speed: 1))
            let port = try server.start()
            let clock = ContinuousClock()
            let start = clock.now
            let (status, bytes, _) = try await capture(port, ["-b", "50", "-s", "500"])
            #expect(status == 0)
            #expect(bytes.count == 500 * 24)
            // The last of 500 samples is due after 499 ms.
            #expect(clock.now - start >= .milliseconds(499))
        }

        @Test("iio_readdev reports a device that is unplugged while streaming and a killed server")
        func faults() async throws {
            for fault in ["unplug@#1000", "kill@#1000"] {
                let server = try Self.server(fault)
                let port = try server.start()
                let (status, bytes, words) = try await capture(port, ["-b", "100", "-s", "1500"])
                // The program ends by itself. libiio 0.24 does not suppress SIGPIPE, so a killed server may kill the
                // program as well.
                #expect(status != nil, "\(fault)")
                #expect(words.contains("Unable to refill buffer") || status == 128 + Int(SIGPIPE), "\(fault): \(words)")
                #expect(bytes.count == 1000 * 24, "\(fault)")
            }
        }
    }
}
