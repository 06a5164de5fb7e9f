// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

private let hasTools = ["iio_info", "iio_readdev"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
}

@Suite("sensorctl simulate iio", .toolIsBuilt, .waiting)
struct SimulateTests {
    private static func simulate(_ more: [String], input: Data? = nil) throws -> Tool.Result {
        try Tool.run(["simulate", "iio", Tool.csv("flat-face-up")] + more, input: input)
    }

    @Test("The exit code of the program is returned", arguments: [0, 7, 255])
    func exitCode(code: Int32) throws { #expect(try Self.simulate(["--", "sh", "-c", "exit \(code)"]).status == code) }

    @Test("A program ended by a signal results in 128 plus the signal number, as in a shell")
    func childSignal() throws { #expect(try Self.simulate(["--", "sh", "-c", "kill -9 $$"]).status == 137) }

    @Test("A path that is not a program results in status 127", arguments: ["/nonexistent/program", "/etc/passwd", ""])
    func noProgram(path: String) throws {
        let result = try Self.simulate(["--", path])
        #expect(result.status == 127)
        #expect(result.notes.contains("cannot be started"))
    }

    @Test("The program receives the address, its own arguments and standard input")
    func environment() throws {
        let result = try Self.simulate(
            ["--", "sh", "-c", #"echo "$DEVICE_SERVICES_IIO"; echo "$@"; cat"#, "sh", "--json", "-x"],
            input: Data("input\n".utf8))
        #expect(result.lines.count == 3)
        #expect(result.lines.first?.hasPrefix("ip:127.0.0.1:") == true)
        #expect(result.lines.dropFirst() == ["--json -x", "input"])
    }

    @Test(
        "Each server forwards signals to the program unchanged and returns its exit code",
        arguments: [
            ["iio", Tool.sixPoses], ["gpsd", Tool.drive], ["gpsd", Tool.drive, "--pty"],
            ["accessory", Tool.traces + "/udev/weigh-scale.trace"],
        ], ["INT", "TERM", "QUIT", "USR1"])
    func signal(server: [String], name: String) throws {
        let numbers = ["INT": SIGINT, "TERM": SIGTERM, "QUIT": SIGQUIT, "USR1": SIGUSR1]
        let tool = try RunningTool(
            ["simulate"] + server + [
                "--", "sh", "-c", "trap 'echo told; kill -9 $!; exit 3' \(name); echo ready; sleep 60 & wait",
            ])
        #expect(tool.nextLine() == "ready")
        tool.send(signal: try #require(numbers[name]))
        #expect(tool.nextLine() == "told")
        #expect(tool.status() == 3)
    }

    @Test("A program that ignores SIGTERM is killed")
    func deafProgram() throws {
        let result = try Self.simulate([
            "--duration", "0.5", "--", "sh", "-c", "trap '' TERM; while :; do sleep 0.2; done",
        ])
        #expect(result.status == 0)
    }

    @Test("The program does not inherit ignored signals")
    func dispositions() throws {
        // Bits 1, 2, 13 and 15 of the mask: SIGHUP, SIGINT, SIGPIPE and SIGTERM.
        let result = try Self.simulate(["--", "sed", "-n", "s/^SigIgn:\\t//p", "/proc/self/status"])
        let mask = try #require(UInt64(result.lines.first ?? "", radix: 16))
        #expect(mask & 0x5003 == 0)
    }

    @Test("`--duration` ends the simulation, with or without a program", arguments: [[], ["--", "sleep", "60"]])
    func duration(program: [String]) throws { #expect(try Self.simulate(["--duration", "0.5"] + program).status == 0) }

    @Test("With `--json`, the address is one object")
    func json() throws {
        let result = try Self.simulate(["--duration", "0.1", "--json"])
        let object = try #require(try Tool.objects(result).first)
        let port = try #require(object["port"] as? Int)
        #expect(object["event"] as? String == "listening")
        #expect(object["uri"] as? String == "ip:127.0.0.1:\(port)")
        #expect(result.lines.count == 1)
    }

    @Test("Without a program, the address is printed with a note on the end of the data")
    func announcement() throws {
        let result = try Self.simulate(["--duration", "0.1"])
        #expect(result.lines.count == 1)
        #expect(result.notes.contains("ends after 5.0 s; --loop repeats it"))
    }

    @Test("Invalid arguments result in status 64, unusable files in 65 or 66")
    func refusals() throws {
        for more in [
            ["--fault", "nonsense"], ["--fault", "unplug@1d"], ["--speed", "0"], ["--port", "70000"],
            ["--duration", "-1"], ["--json", "--", "true"],
        ] {
            let result = try Self.simulate(more)
            #expect(result.status == 64, "\(more)")
            #expect(!result.notes.isEmpty)
        }
        #expect(try Tool.run(["simulate", "iio", Tool.drive]).status == 65)
        #expect(try Tool.run(["simulate", "iio", "/nonexistent"]).status == 66)
        #expect(try Tool.run(["simulate"]).output.contains("iio"))
    }

    @Test("A port in use results in status 69")
    func takenPort() throws {
        let first = try RunningTool(["simulate", "iio", Tool.csv("shake"), "--json"])
        let line = try #require(first.nextLine())
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let port = try #require(object?["port"] as? Int)
        let second = try Self.simulate(["--port", "\(port)"])
        #expect(second.status == 69)
        #expect(second.notes.contains("port \(port)"))
        #expect(first.end() == 0)
    }

    @Test("`watch` prints each stream live", .enabled(if: Tool.readsSensors, "built without libiio"))
    func watch() throws {
        let tool = try #require(Tool.path)
        for (stream, expected) in [
            ("accelerometer", SIMD3<Double>(0, 0, -1)), ("gyro", [0, 0, 0]), ("magnetometer", [0, 20, -43]),
        ] {
            let result = try Self.simulate(
                ["--", tool, "watch", stream, "--count", "6", "--interval", "0.02", "--duration", "60", "--json"])
            #expect(result.status == 0)
            let readings = try MotionLine.all(result.lines)
            #expect(readings.count == 6)
            #expect(readings.allSatisfy { $0.callback == stream })
            // The mean of six noisy readings.
            #expect(distance(readings.mean, expected) < 0.02)
            #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        }
        let poses = ["simulate", "iio", Tool.sixPoses, "--speed", "4", "--", tool, "watch"]
        let orientation = try Tool.run(poses + ["orientation", "--count", "1", "--duration", "60", "--json"])
        #expect(try MotionLine.all(orientation.lines).first?.object["orientation"] as? String == "faceUp")
        let pressure = try Tool.run(poses + ["pressure", "--count", "1", "--duration", "60", "--json"])
        let value = try MotionLine.all(pressure.lines).first?.object["pressure"] as? Double
        #expect(abs((value ?? 0) - 101.325) < 0.01)
    }

    @Test("`watch` waits for a missing sensor and reports it", .enabled(if: Tool.readsSensors, "built without libiio"))
    func missingSensor() throws {
        let tool = try #require(Tool.path)
        let result = try Self.simulate(["--", tool, "watch", "pressure", "--count", "1", "--duration", "3", "--json"])
        #expect(result.status == 69)
        #expect(result.notes.contains("There is no barometer yet"))
        let unreachable = try Tool.run(
            ["watch", "gyro", "--count", "1", "--duration", "3"],
            environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1"])
        #expect(unreachable.status == 69)
        #expect(unreachable.notes.contains("ip:127.0.0.1:1 does not respond"))
    }

    @Test(
        "With `--loop`, clients are served one after another", .enabled(if: Tool.readsSensors, "built without libiio"))
    func twoTerminals() throws {
        let server = try RunningTool(["simulate", "iio", Tool.csv("flat-face-up"), "--loop", "--speed", "10"])
        let uri = try #require(server.nextLine())
        for _ in 0..<2 {
            let watched = try Tool.run(
                ["watch", "accelerometer", "--count", "3", "--duration", "60", "--json"],
                environment: ["DEVICE_SERVICES_IIO": uri])
            #expect(watched.status == 0)
            #expect(try MotionLine.all(watched.lines).count == 3)
        }
        #expect(server.end(SIGINT) == 0)
    }

    @Test(
        "`list` prints every sensor with its rates, its mount matrix and its source",
        .enabled(if: Tool.readsSensors, "built without libiio"))
    func list() throws {
        let tool = try #require(Tool.path)
        let result = try Tool.run(["simulate", "iio", Tool.sixPoses, "--", tool, "list", "--json"])
        let sensors = try Tool.objects(result).filter { $0["kind"] as? String == "sensor" }
        #expect(
            sensors.compactMap { $0["measures"] as? String } == [
                "accelerometer", "gyroscope", "magnetometer", "pressure",
            ]
        )
        #expect(sensors.compactMap { $0["name"] as? String } == ["mpu6050", "mpu6050", "ak8963", "bmp280"])
        #expect(sensors.compactMap { ($0["rates"] as? [Double])?.first } == [50, 50, 20, 5])
        #expect(sensors.prefix(3).allSatisfy { $0["mountMatrix"] as? String == "0, 1, 0; 1, 0, 0; 0, 0, -1" })
        #expect(sensors.allSatisfy { ($0["source"] as? String)?.hasPrefix("ip:127.0.0.1:") == true })
        #expect(sensors.first?["mountMatrixOrigin"] as? String == "in_accel_mount_matrix")
        let page = try Tool.run(["simulate", "iio", Tool.sixPoses, "--", tool, "list"]).output
        #expect(page.contains("accelerometer  mpu6050  buffered  50 Hz"))
        #expect(page.contains("environment variable DEVICE_SERVICES_IIO"))
        let empty = try Tool.run(["list"], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1"])
        #expect(empty.status == 0)
        #expect(empty.output.contains("none found"))
    }

    @Test("libiio's own tools read the server", .enabled(if: hasTools, "iio_info and iio_readdev are not installed"))
    func tools() throws {
        let line = """
            iio_info -u "$DEVICE_SERVICES_IIO" && iio_readdev -u "$DEVICE_SERVICES_IIO" -b 8 -s 16 ak8963 | od -An -td4 -v
            """
        let result = try Tool.run(["simulate", "iio", Tool.sixPoses, "--speed", "10", "--", "sh", "-c", line])
        #expect(result.status == 0)
        #expect(result.output.contains("iio:device0: mpu6050 (buffer capable)"))
        #expect(result.output.contains("mount_matrix value: 0, 1, 0; 1, 0, 0; 0, 0, -1"))
        // 16 scans of 24 bytes each: three 32-bit values, padding and a timestamp. The dump has 16 bytes per line.
        let dump = result.lines.suffix(24)
        #expect(dump.allSatisfy { $0.split(separator: " ").count == 4 })
    }
}
