// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl calibrate", .toolIsBuilt, .waiting)
struct CalibrateTests {
    private static let slowRotation = Tool.traces + "/broad/broad_03_undisturbed_slow_rotation_C.csv"

    private static func objects(_ arguments: [String]) throws -> [[String: Any]] {
        let result = try Tool.run(["calibrate"] + arguments + ["--json"])
        try #require(result.status == 0, "\(result.notes)")
        return try Tool.objects(result)
    }

    @Test("The gyroscope's bias is computed from the rest at the beginning of a recording")
    func gyroscope() throws {
        let object = try #require(try Self.objects(["gyro", "--trace", Self.slowRotation]).first)
        #expect(object["calibration"] as? String == "gyro")
        #expect(object["sensor"] as? String == "gyroscope")
        #expect(object["stored"] is NSNull)
        // The expected bias is the mean of the first 470 rows (4.9 s).
        let trial = try BroadTrial("broad_03_undisturbed_slow_rotation_C")
        var mean = SIMD3<Double>.zero
        for row in trial.rows.prefix(470) { mean += SIMD3(row.values[0], row.values[1], row.values[2]) / 470 }
        let bias = try #require(object["bias"] as? [Double])
        #expect(distance(SIMD3(bias[0], bias[1], bias[2]), mean) < 2e-5)
    }

    @Test("Six poses of a recording determine the mount matrix, printed for hwdb and the configuration")
    func mount() throws {
        let object = try #require(try Self.objects(["mount", "--trace", Tool.sixPoses]).first)
        #expect(object["mountMatrix"] as? String == "0, 1, 0; 1, 0, 0; 0, 0, -1")
        #expect((object["hwdb"] as? String)?.hasSuffix("\n ACCEL_MOUNT_MATRIX=0, -1, 0; -1, 0, 0; 0, 0, -1") == true)
        let page = try Tool.run(["calibrate", "mount", "--trace", Tool.sixPoses])
        #expect(page.status == 0)
        #expect(page.lines.first == "Mount: orientation of the sensor in the device")
        #expect(page.output.contains("The rows for x and y have the opposite sign, because"))
        #expect(page.lines.contains { $0.hasSuffix(" ACCEL_MOUNT_MATRIX=0, -1, 0; -1, 0, 0; 0, 0, -1") })
        #expect(
            page.lines.contains {
                $0.hasSuffix(
                    #"{"motion":{"sensors":[{"sensor":"mpu6050","mountMatrix":"0, 1, 0; 1, 0, 0; 0, 0, -1"}]}}"#)
            })
        #expect(!page.output.contains("\u{1B}"))
    }

    @Test("A good accelerometer has an offset near zero and a scale near one")
    func accelerometer() throws {
        let object = try #require(try Self.objects(["accelerometer", "--trace", Tool.sixPoses]).first)
        let offset = try #require(object["offset"] as? [Double])
        let matrix = try #require(object["matrix"] as? [[Double]])
        let scale = [matrix[0][0], matrix[1][1], matrix[2][2]]
        #expect(distance(SIMD3(offset[0], offset[1], offset[2]), .zero) < 0.02)
        #expect(distance(SIMD3(scale[0], scale[1], scale[2]), [1, 1, 1]) < 0.003)
    }

    @Test("A magnetometer next to a magnet is calibrated from the recording of a rotation")
    func magnetometer() throws {
        let folder = try TemporaryFolder()
        let trial = try BroadTrial("broad_03_undisturbed_slow_rotation_C")
        var rows = trial.rows
        // A hard-iron field of 30, −20 and 10 µT.
        for index in rows.indices {
            for (axis, field) in [30.0, -20, 10].enumerated() { rows[index].values[6 + axis] += field }
        }
        let path = folder.path + "/magnet.csv"
        try Data(BroadTrial(path: path, rows: rows).table(of: 0..<rows.count).utf8).write(
            to: URL(fileURLWithPath: path))
        let object = try #require(try Self.objects(["magnetometer", "--trace", path]).first)
        let hard = try #require(object["hardIron"] as? [Double])
        // In gauss. The sensor's own offset is a few tenths of a microtesla.
        #expect(distance(SIMD3(hard[0], hard[1], hard[2]), [0.3, -0.2, 0.1]) < 0.02)
        #expect(["medium", "high"].contains(object["quality"] as? String))
        #expect((object["coverage"] as? Double ?? 0) > 0.3)
        #expect(abs((object["fieldStrength"] as? Double ?? 0) - 0.443) < 0.03)
    }

    @Test("With `--output`, results are also written to a file, and nothing is stored")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/result.jsonl"
        let result = try Tool.run(
            ["calibrate", "gyro", "--trace", Self.slowRotation, "--output", path, "--json"],
            environment: ["HOME": folder.path, "XDG_STATE_HOME": folder.path + "/state"])
        #expect(result.status == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == result.output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["result.jsonl"])
        // Results contain no positions, so the file has the same permissions as the user's other files.
        let mine = folder.path + "/mine"
        try Data().write(to: URL(fileURLWithPath: mine))
        let modes = try [path, mine].map {
            try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
        }
        #expect(modes[0] == modes[1])
        let refused = try Tool.run(["calibrate", "gyro", "--trace", Self.slowRotation, "--output", "/nonexistent/x"])
        #expect(refused.status == 73)
    }

    @Test("A failed calibration exits with 69 and a reason, invalid arguments with 64, bad files with 65 or 66")
    func failures() throws {
        let short = try Tool.run(["calibrate", "gyro", "--trace", Tool.sixPoses])
        #expect(short.status == 69)
        #expect(short.notes.contains("gyro: The device did not lie still for 5 s in a row."))
        let still = try Tool.run(["calibrate", "magnetometer", "--trace", Tool.csv("flat-face-up")])
        #expect(still.status == 69)
        #expect(still.notes.contains("magnetometer: The readings cover"))
        let drive = try Tool.run(["calibrate", "magnetometer", "--trace", Tool.drive])
        #expect(drive.status == 69)
        #expect(drive.notes.contains("contains no readings of a magnetometer"))
        let nothing = try Tool.run(["calibrate"], environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1"])
        #expect(nothing.status == 69)
        #expect(nothing.notes.contains("sensorctl doctor"))
        for arguments in [
            ["compass"], ["--show", "--forget"], ["mount", "--forget"], ["--timeout", "0"], ["--show", "--trace", "x"],
        ] {
            #expect(try Tool.run(["calibrate"] + arguments).status == 64, "\(arguments)")
        }
        #expect(try Tool.run(["calibrate", "--trace", "/nonexistent"]).status == 66)
        #expect(try Tool.run(["calibrate", "--trace", Tool.path ?? ""]).status == 65)
    }
}
