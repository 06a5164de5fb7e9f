// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite(
    "sensorctl calibrate with a simulated board",
    .toolIsBuilt, .waiting,
    .enabled(if: Tool.readsSensors, "sensorctl was built without libiio"))
struct LiveCalibrationTests {
    /// Runs sensorctl on a simulated board that plays a recording.
    private static func onBoard(
        _ recording: String, _ simulation: [String], _ arguments: [String], home: String
    ) throws -> Tool.Result {
        try Tool.run(
            ["simulate", "iio", recording] + simulation + ["--", try #require(Tool.path)] + arguments,
            environment: ["HOME": home, "XDG_STATE_HOME": home + "/state"])
    }

    private static let resting = Tool.traces + "/broad/broad_03_undisturbed_slow_rotation_C.csv"

    @Test("A calibration is stored, shown, reported by `doctor` and deleted")
    func storing() throws {
        let folder = try TemporaryFolder()
        // All commands use one board, because a board on another port is another device.
        let board = try RunningTool(["simulate", "iio", Self.resting, "--speed", "4", "--loop"])
        let uri = try #require(board.nextLine())
        let environment = ["DEVICE_SERVICES_IIO": uri, "HOME": folder.path, "XDG_STATE_HOME": folder.path + "/state"]
        let found = try Tool.run(["calibrate", "gyro", "--json"], environment: environment)
        #expect(found.status == 0, "\(found.notes)")
        let object = try #require(try Tool.objects(found).first)
        let bias = try #require(object["bias"] as? [Double])
        #expect(distance(SIMD3(bias[0], bias[1], bias[2]), [0.0087, -0.0032, -0.0043]) < 2e-4)
        #expect((object["stored"] as? String)?.hasPrefix(folder.path) == true)
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        #expect(files.contains { $0.contains("gyroscope") && $0.hasSuffix(".json") })
        let output = try Tool.run(["calibrate", "--show", "--json"], environment: environment)
        let stored = try #require(try Tool.objects(output).first)
        #expect(stored["calibration"] as? String == "gyro")
        for (left, right) in zip(try #require(stored["bias"] as? [Double]), bias) { #expect(abs(left - right) < 1e-12) }
        #expect((stored["date"] as? String)?.hasSuffix("Z") == true)
        let doctor = try Tool.run(["doctor", "--seconds", "3"], environment: environment)
        // `doctor` reports the bias in °/s, `calibrate` in rad/s.
        let degrees = bias.map { String(format: "%.2f", $0 * 180 / .pi) }.joined(separator: " ")
        #expect(doctor.output.contains("gyroscope simulated_anglvel: bias \(degrees) °/s, calibrated just now."))
        // A recording contains the calibration.
        let trace = folder.path + "/rest.trace"
        let recorded = try Tool.run(
            ["record", trace, "--parts", "motion", "--duration", "3"], environment: environment)
        #expect(recorded.status == 0, "\(recorded.notes)")
        let header = try String(contentsOfFile: trace, encoding: .utf8).prefix { $0 != "\n" }
        #expect(header.contains("\"calibration\""))
        let forgot = try Tool.run(["calibrate", "gyro", "--forget"], environment: environment)
        #expect(forgot.status == 0)
        #expect(forgot.notes.contains("deleted one calibration"))
        let empty = try Tool.run(["calibrate", "--show"], environment: environment)
        #expect(empty.notes.contains("no calibration is stored"))
        #expect(empty.output.isEmpty)
        #expect(board.end() == 0)
    }

    @Test("Dry runs store nothing")
    func trial() throws {
        let folder = try TemporaryFolder()
        for option in ["--dry-run", "--no-store"] {
            let result = try Self.onBoard(
                Self.resting, ["--speed", "4"], ["calibrate", "gyro", option, "--json"], home: folder.path)
            #expect(result.status == 0)
            #expect(try Tool.objects(result).first?["stored"] is NSNull)
        }
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        #expect(!files.contains { $0.hasSuffix(".json") })
    }

    @Test("A stored calibration does not change a replay")
    func replays() throws {
        let folder = try TemporaryFolder()
        let environment = ["HOME": folder.path, "XDG_STATE_HOME": folder.path + "/state"]
        let arguments = ["replay", Tool.sixPoses, "device-motion", "--frame", "magnetic", "--json"]
        let before = try Tool.run(arguments, environment: environment)
        _ = try Self.onBoard(Self.resting, ["--speed", "4"], ["calibrate", "gyro"], home: folder.path)
        #expect(try Tool.run(arguments, environment: environment).output == before.output)
    }

    @Test("A step that exceeds the timeout fails with a reason")
    func timeout() throws {
        let folder = try TemporaryFolder()
        let result = try Self.onBoard(
            Tool.csv("spin-flat-90dps"), [], ["calibrate", "gyro", "--timeout", "5"], home: folder.path)
        #expect(result.status == 69)
        #expect(result.output.contains("Lay the device down and do not touch it."))
        #expect(result.notes.contains("gyro: The device did not lie still for 5 s in a row."))
    }

    @Test("A signal ends the calibration at once with status 0, and nothing is stored", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) throws {
        let folder = try TemporaryFolder()
        let server = try RunningTool(["simulate", "iio", Self.resting])
        let uri = try #require(server.nextLine())
        let tool = try RunningTool(
            ["calibrate", "gyro"],
            environment: ["DEVICE_SERVICES_IIO": uri, "HOME": folder.path, "XDG_STATE_HOME": folder.path + "/state"])
        #expect(tool.nextLine() == "Gyroscope: bias at rest")
        #expect(tool.nextLine() == "  Lay the device down and do not touch it.")
        tool.send(signal: number)
        while tool.nextLine() != nil {}
        #expect(tool.status() == 0)
        server.send(signal: SIGTERM)
        _ = server.status()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("`watch attitude` waits for a board that starts late, in every frame", arguments: ["arbitrary", "magnetic"])
    func lateBoard(frame: String) throws {
        let folder = try TemporaryFolder()
        let port = try FreePort.next()
        // The board starts after the tool has reported that it is waiting.
        let line = #"""
            export HOME="$1" XDG_STATE_HOME="$1/state" DEVICE_SERVICES_IIO="ip:127.0.0.1:$2"
            "$0" watch attitude --frame "$3" --count 5 --interval 0.05 --duration 120 --json 2>"$1/notes" &
            tool=$!
            for turn in {1..1200}; do grep -q ' yet; waiting' "$1/notes" && break; sleep 0.05; done
            "$0" simulate iio "$4" --loop --port "$2" >/dev/null 2>&1 &
            board=$!
            wait "$tool"
            status=$?
            kill "$board"
            wait "$board"
            exit "$status"
            """#
        let result = try Tool.shell(line, [folder.path, "\(port)", frame, Tool.csv("flat-face-up")])
        let notes = try String(contentsOfFile: folder.path + "/notes", encoding: .utf8)
        #expect(notes.contains("There is no "))
        #expect(result.status == 0, "\(notes)")
        let readings = try MotionLine.all(result.lines)
        #expect(readings.count == 5)
        #expect(readings.allSatisfy { $0.callback == "deviceMotion" })
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    }

    @Test("`watch` prints attitudes and headings")
    func watching() throws {
        let folder = try TemporaryFolder()
        for (stream, callback) in [("attitude", "deviceMotion"), ("heading", "heading")] {
            let result = try Self.onBoard(
                Tool.csv("flat-face-up"), ["--loop"],
                [
                    "watch", stream, "--frame", "magnetic", "--count", "5", "--interval", "0.05", "--duration", "60",
                    "--json",
                ], home: folder.path)
            #expect(result.status == 0, "\(result.notes)")
            let readings = try MotionLine.all(result.lines).filter { $0.callback == callback }
            #expect(readings.count == 5)
            #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        }
    }
}
