// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
    "sensorctl record of motion", .toolIsBuilt, .waiting,
    .enabled(if: Tool.readsSensors, "sensorctl was built without libiio"))
struct RecordMotionTests {
    /// Writes 400 readings at 100 Hz with a ramp on each axis, so that all readings differ.
    private static func ramp(_ path: String) throws -> [SIMD3<Double>] {
        let values = (0..<400).map { row -> SIMD3<Double> in
            let ramp = Double(row)
            return SIMD3<Double>(ramp / 1000, 9.80665 - ramp / 100, -ramp / 10_000)
        }
        var text = "t,ax,ay,az,gx,gy,gz\n"
        for (row, value) in values.enumerated() {
            text += "\(Double(row) / 100),\(value.x),\(value.y),\(value.z),\(value.z),\(value.x),0\n"
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return values
    }

    @Test("A recording of a board replays with the same values")
    func equality() throws {
        let folder = try TemporaryFolder()
        let original = folder.path + "/ramp.csv"
        let trace = folder.path + "/ramp.trace"
        let values = try Self.ramp(original)
        let result = try Tool.run([
            "simulate", "iio", original, "--", try #require(Tool.path), "record", trace, "--parts", "motion",
            "--interval", "0", "--duration", "5", "--json",
        ])
        #expect(result.status == 0)
        let events = try Tool.objects(result)
        #expect(events.compactMap { $0["event"] as? String } == ["started", "ended"])
        #expect(events.first?["source"] is NSNull)
        #expect((events.first?["motion"] as? String)?.hasPrefix("ip:127.0.0.1:") == true)

        // The trace contains values in IIO units.
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").dropFirst()
        let recorded = try lines.compactMap { line -> SIMD3<Double>? in
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (event?["accelerometer"] as? [Double]).map { SIMD3($0[0], $0[1], $0[2]) }
        }
        // The first reading may precede the opening of the buffer. After it, no reading is missing or repeated.
        let captured = Array(recorded.dropFirst())
        // The number of readings depends on how early the program is ready.
        try #require(captured.count > 20)
        let offset = try #require(values.firstIndex { distance($0, captured[0]) < 1e-9 })
        for (reading, value) in zip(captured, values[offset...]) { #expect(distance(reading, value) < 1e-9) }

        // The replay prints values in Core Motion's units.
        let replayed = try Tool.readings(trace, "accelerometer").dropFirst()
        #expect(replayed.count == captured.count)
        let before = try Tool.readings(original, "accelerometer")
        for (now, then) in zip(replayed, before[offset...]) { #expect(distance(now.vector, then.vector) < 1e-9) }
        let turns = try Tool.readings(trace, "gyro").dropFirst()
        #expect(turns.allSatisfy { $0.vector.z == 0 && $0.vector.y > 0 || $0.vector.y == 0 })
        #expect(zip(replayed, replayed.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })

        // The trace can be simulated as a board.
        let again = try Tool.run([
            "simulate", "iio", trace, "--", try #require(Tool.path), "watch", "accelerometer", "--count", "1",
            "--duration", "60", "--json",
        ])
        #expect(again.status == 0)
        #expect(distance(try MotionLine.all(again.lines).mean, before[0].vector) < 0.05)
    }

    @Test("The header contains the sensors with their mount matrices, and the IIO context")
    func header() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/poses.trace"
        let result = try Tool.run([
            "simulate", "iio", Tool.sixPoses, "--", try #require(Tool.path), "record", trace, "--parts",
            "motion,battery", "--duration", "3",
        ])
        #expect(result.status == 0)
        #expect(result.notes.contains("recording motion from ip:127.0.0.1:"))
        #expect(!result.notes.contains("gpsd://"))
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        let first = try #require(text.split(separator: "\n").first)
        let object = try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any]
        let sensors = try #require(object?["sensors"] as? [[String: Any]])
        #expect(sensors.compactMap { $0["name"] as? String } == ["mpu6050", "mpu6050", "ak8963", "bmp280"])
        #expect(sensors.first?["mountMatrix"] as? String == "0, 1, 0; 1, 0, 0; 0, 0, -1")
        let contexts = try #require(object?["contexts"] as? [String])
        #expect(contexts.count == 1)
        #expect(contexts.first?.contains("in_accel_mount_matrix") == true)
    }

    @Test("The loss and the return of a sensor are reported once each and written to the trace")
    func unplugged() throws {
        let folder = try TemporaryFolder()
        let trace = folder.path + "/gone.trace"
        let result = try Tool.run([
            "simulate", "iio", Tool.csv("flat-face-up"), "--loop", "--fault",
            "unplug(iio:device0)@1s,return(iio:device0)@3s", "--", try #require(Tool.path), "record", trace,
            "--parts", "motion", "--duration", "10", "--json",
        ])
        #expect(result.status == 0)
        let events = try Tool.objects(result)
        #expect(events.compactMap { $0["event"] as? String } == ["started", "lost", "regained", "ended"])
        #expect(events.compactMap { $0["sensor"] as? String }.allSatisfy { $0.hasSuffix("/iio:device0/accel") })
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        #expect(lines.count { $0.contains(",\"lost\":{") } == 1)
        #expect(lines.count { $0.contains(",\"regained\":true") } == 1)
        let replayed = try Tool.run(["replay", trace, "accelerometer", "--json"])
        #expect(replayed.lines.count { $0.hasPrefix(#"{"callback":"error""#) } == 1)
    }

    @Test("A recording without a sensor and without gpsd exits with status 69")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            ["record", folder.path + "/x.trace", "--parts", "motion", "--duration", "0.5"],
            environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1"])
        #expect(result.status == 69)
    }

    @Test("A full disk ends a recording with an error")
    func fullDisk() throws {
        let result = try Tool.run([
            "simulate", "iio", Tool.csv("flat-face-up"), "--", try #require(Tool.path), "record", "/dev/full",
            "--overwrite", "--parts", "motion", "--duration", "60",
        ])
        #expect([73, 74].contains(result.status))
    }
}
