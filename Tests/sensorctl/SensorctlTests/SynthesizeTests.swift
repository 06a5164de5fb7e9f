// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SyntheticMotion
import Testing
import Trace

@testable import sensorctl

@Suite("sensorctl synthesize", .toolIsBuilt, .waiting)
struct SynthesizeTests {
    private static let waypoints = Data("# a walk\n48.137,11.575,520,3\n48.1375,11.575,,,5\n48.1375,11.576\n".utf8)

    @Test("Waypoints are converted to a reproducible trace of the requested sensors")
    func waypoints() throws {
        let arguments = [
            "synthesize", "-", "-", "--imu", "mpu6050", "--rate", "50", "--fix-rate", "2", "--seed", "9", "--turns",
            "coordinated", "--start", "2026-05-01T12:00:00Z", "--barometer", "none",
        ]
        let result = try Tool.run(arguments, input: Self.waypoints)
        #expect(result.status == 0, "\(result.notes)")
        let trace = try TraceFile(bytes: Array(result.bytes), name: "synthetic")
        let header = try #require(trace.header)
        #expect(header.sensors.map(\.name) == ["mpu6050", "mpu6050", "ak8963"])
        // 2026-05-01T12:00:00Z, converted with date(1).
        #expect(header.start?.wallTime == WallTime(nanoseconds: 1_777_636_800_000_000_000))
        #expect(result.lines.count { $0.contains("\"TPV\"") } > 60)
        #expect(result.lines[0].contains("\"seed\":9"))
        #expect(result.lines[0].contains("\"turns\":\"coordinated\""))
        #expect(try Tool.run(arguments, input: Self.waypoints).bytes == result.bytes)
        let folder = try TemporaryFolder()
        let path = folder.path + "/walk.csv"
        try Self.waypoints.write(to: URL(fileURLWithPath: path))
        let output = folder.path + "/walk.trace"
        let written = try Tool.run(["synthesize", path, output] + arguments.dropFirst(3))
        #expect(written.status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == result.bytes)
        #expect(try Tool.run(["synthesize", path, output]).status == 73)
        #expect(try Tool.run(["synthesize", path, output, "--overwrite"]).status == 0)
        let replayed = try Tool.run(["replay", output, "location", "--json"])
        #expect(replayed.status == 0 && replayed.lines.count > 30)
    }

    @Test("A trace does not overwrite its own waypoints")
    func overwritesNoRoute() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/walk.csv"
        try Self.waypoints.write(to: URL(fileURLWithPath: path))
        for output in [path, folder.path + "/./walk.csv"] {
            try Tool.expect(["synthesize", path, output, "--overwrite"], 64, "is an input")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Self.waypoints)
    }

    @Test("A synthesis that ends early does not replace an existing trace")
    func endedEarly() throws {
        let folder = try TemporaryFolder()
        let (former, new) = (folder.path + "/former.trace", folder.path + "/new.trace")
        try Data("old".utf8).write(to: URL(fileURLWithPath: former))
        let waypoints = try WaypointList.read([UInt8](Self.waypoints), name: "walk")
        let synthesizer = try MotionSynthesizer(try MotionRoute(waypoints))
        let stop = StopRequest()
        stop.request(.signal)
        #expect(SynthesizeCommand.write(synthesizer, to: former, overwrite: true, until: stop) == .success)
        #expect(try Data(contentsOf: URL(fileURLWithPath: former)) == Data("old".utf8))
        #expect(SynthesizeCommand.write(synthesizer, to: new, overwrite: false, until: stop) == .success)
        // The new file contains the part that was synthesized.
        #expect(try TraceFile(path: new).header != nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["former.trace", "new.trace"])
    }

    @Test("A recorded drive is extended with synthetic sensor readings")
    func recording() throws {
        let result = try Tool.run(["synthesize", Tool.drive, "-", "--rate", "10"])
        #expect(result.status == 0, "\(result.notes)")
        #expect(result.lines.count { $0.contains("\"gyroscope\"") } > 3000)
        #expect(result.lines[0].contains("\"device-services-trace\""))
    }

    @Test("A GPX track is extended with synthetic sensor readings at its own times")
    func gpx() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/walk.gpx"
        let points = (0..<30).map { second in
            #"<trkpt lat="\#(48 + Double(second) * 1e-5)" lon="11"><ele>500</ele><time>2026-05-01T12:00:\#(second < 10 ? "0" : "")\#(second)Z</time></trkpt>"#
        }
        let text =
            #"<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\#(points.joined())</trkseg></trk></gpx>"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let result = try Tool.run(["synthesize", path, "-", "--rate", "20"])
        #expect(result.status == 0, "\(result.notes)")
        // 29 s at 20 Hz, plus the last reading.
        #expect(abs(result.lines.count { $0.contains("\"gyroscope\":[") } - 581) < 3)
        #expect(result.lines.contains { $0.contains("2026-05-01T12:00:20.000Z") && $0.contains("\"TPV\"") })
    }

    @Test("Invalid input is reported with the matching exit code")
    func errors() throws {
        for (arguments, status, part): ([String], Int32, String) in [
            (["-", "-", "--imu", "nonsense"], 64, "--imu"), (["-", "-", "--turns", "left"], 64, "--turns"),
            (["-", "-", "--rate", "0"], 64, "rate"), (["-", "-", "--placement", "1,2"], 64, "--placement"),
            (["-", "-", "--mount-matrix", "2,0,0;0,1,0;0,0,1"], 64, "rotation"),
            (["-", "-", "--start", "yesterday"], 64, "--start"), (["-", "-", "--speed", "1e9"], 64, "speed"),
            (["/nonexistent", "-"], 66, "/nonexistent"),
            ([Tool.traces + "/motion/six-poses.trace", "-"], 65, "no positions"),
            (["-", "/nonexistent/x.trace"], 73, "/nonexistent"),
        ] {
            let result = try Tool.run(["synthesize"] + arguments, input: Self.waypoints)
            #expect(result.status == status, "\(arguments): \(result.notes)")
            #expect(result.notes.contains(part), "\(arguments): \(result.notes)")
        }
        let bad = try Tool.run(["synthesize", "-", "-"], input: Data("48,11\n48,11,x\n".utf8))
        #expect(bad.status == 65)
        let pole = try Tool.run(["synthesize", "-", "-"], input: Data("48,11\n48,11,1,-5\n".utf8))
        #expect(pole.status == 65)
        #expect(pole.notes.contains("Waypoint 2"))
    }

    @Test(
        "A start time is a date with or without a time of day",
        arguments: [
            ("2026-01-01", 1_767_225_600), ("2026-05-01T12:00:00Z", 1_777_636_800), ("2026-13-01", nil),
            ("2026-01-01T12:00Z", 1_767_268_800),
            ("26-01-01", nil), ("", nil), ("T", nil), ("2026-01-01T", nil),
        ] as [(String, Int64?)])
    func start(text: String, seconds: Int64?) {
        #expect(StartTime(argument: text)?.time.nanoseconds == seconds.map { $0 * 1_000_000_000 })
    }
}
