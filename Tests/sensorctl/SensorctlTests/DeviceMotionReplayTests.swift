// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl replay of device motion", .toolIsBuilt, .waiting)
struct DeviceMotionReplayTests {
    private static func write(_ text: String, _ folder: TemporaryFolder, _ name: String = "inputs.csv") throws -> String
    {
        let path = folder.path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Returns the keys of a line's outermost object, in order.
    private static func keys(_ line: String) -> [String] {
        line.split(separator: "\"").enumerated().filter { index, part in
            index % 2 == 1 && part != "deviceMotion" && part != "heading" || index > 3 && part == "heading"
        }.map { String($1) }
    }

    @Test("A line has exactly the documented keys in order, and only finite numbers")
    func keys() throws {
        let result = try Tool.run([
            "replay", Tool.csv("flat-face-up"), "device-motion", "--frame", "magnetic", "--json",
        ])
        #expect(result.status == 0)
        #expect(result.lines.count == 500)
        for line in result.lines {
            #expect(
                Self.keys(line) == [
                    "callback", "timestamp", "quaternion", "gravity", "userAcceleration", "rotationRate",
                    "magneticField", "magneticAccuracy", "heading",
                ])
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["callback"] as? String == "deviceMotion")
            #expect((object["quaternion"] as? [Double])?.count == 4)
            for key in ["gravity", "userAcceleration", "rotationRate", "magneticField"] {
                #expect((object[key] as? [Double])?.count == 3, "\(key)")
            }
            #expect((-1...2).contains(object["magneticAccuracy"] as? Int ?? 9))
            #expect(object["heading"] is Double)
            #expect(!line.contains("null") && !line.contains("nan"))
        }
    }

    @Test("A device that lies flat with its top edge to the north has gravity along −z and a heading of 0°")
    func flat() throws {
        let motions = try Tool.readings(Tool.csv("flat-face-up"), "device-motion", ["--frame", "magnetic"])
        let last = try #require(motions.last)
        let gravity = try #require(last.object["gravity"] as? [Double])
        #expect(distance(SIMD3(gravity[0], gravity[1], gravity[2]), [0, 0, -1]) < 0.01)
        // The device's y points north. Its x points east, which is −y of the frame (west): a quarter turn clockwise
        // about z.
        let q = try #require(last.object["quaternion"] as? [Double])
        let half = 0.5.squareRoot()
        #expect(abs(abs(q[2] * -half + q[3] * half) - 1) < 1e-3)
        let heading = try #require(last.object["heading"] as? Double)
        #expect(min(heading, 360 - heading) < 1)
    }

    @Test("Gravity plus user acceleration is equal to the accelerometer's reading")
    func identity() throws {
        let motions = try Tool.readings(Tool.csv("shake"), "device-motion")
        let readings = try Tool.readings(Tool.csv("shake"), "accelerometer")
        let byTime = Dictionary(readings.map { ($0.timestamp, $0.vector) }) { first, _ in first }
        #expect(motions.count == readings.count)
        for motion in motions {
            let gravity = try #require(motion.object["gravity"] as? [Double])
            let user = try #require(motion.object["userAcceleration"] as? [Double])
            let reading = try #require(byTime[motion.timestamp])
            #expect(distance(SIMD3(gravity[0] + user[0], gravity[1] + user[1], gravity[2] + user[2]), reading) < 1e-12)
            #expect(abs(gravity.reduce(0) { $0 + $1 * $1 } - 1) < 1e-12)
        }
    }

    @Test("Replaying a file twice gives the same bytes in each frame, and `attitude` is an alias")
    func repetition() throws {
        for frame in ["arbitrary", "corrected", "magnetic"] {
            let first = try Tool.run(["replay", Tool.sixPoses, "device-motion", "--frame", frame, "--json"])
            let second = try Tool.run(["replay", Tool.sixPoses, "attitude", "--frame", frame, "--json"])
            #expect(!first.output.isEmpty)
            #expect(first.output == second.output)
            #expect(first.status == 0)
        }
    }

    @Test("Frames also have Core Motion's names, ignoring case")
    func frames() throws {
        let path = Tool.csv("spin-flat-90dps")
        for (name, alias) in [
            ("arbitrary", "xArbitraryZVertical"), ("corrected", "XARBITRARYCORRECTEDZVERTICAL"),
            ("magnetic", "xmagneticnorthzvertical"),
        ] {
            let short = try Tool.run(["replay", path, "device-motion", "--frame", name, "--json"])
            let long = try Tool.run(["replay", path, "device-motion", "--frame", alias, "--json"])
            #expect(short.output == long.output)
            #expect(short.lines.count == 800)
        }
        let byDefault = try Tool.run(["replay", path, "device-motion", "--json"])
        let arbitrary = try Tool.run(["replay", path, "device-motion", "--json", "--frame", "arbitrary"])
        #expect(byDefault.output == arbitrary.output)
        #expect(try Tool.run(["replay", path, "device-motion", "--frame", "up"]).status == 64)
    }

    @Test("A spin of 90°/s changes the yaw by that rate and the heading in the opposite direction")
    func spin() throws {
        let motions = try Tool.readings(Tool.csv("spin-flat-90dps"), "device-motion", ["--frame", "magnetic"])
        let yaws = try motions.map { motion in
            let q = try #require(motion.object["quaternion"] as? [Double])
            return 2 * atan2(q[2], q[3]) * 180 / .pi
        }
        // The second half, after the filter has settled.
        for index in stride(from: 300, to: 400, by: 10) {
            let turned = (yaws[index + 50] - yaws[index]).remainder(dividingBy: 360)
            let seconds = motions[index + 50].timestamp - motions[index].timestamp
            #expect(abs((turned - 90 * seconds).remainder(dividingBy: 360)) < 1)
            let headings = try [index, index + 50].map { try #require(motions[$0].object["heading"] as? Double) }
            #expect(abs((headings[1] - headings[0] + 90 * seconds).remainder(dividingBy: 360)) < 1)
        }
    }

    @Test("Timestamps keep all digits of the file")
    func timestamps() throws {
        let folder = try TemporaryFolder()
        let trial = try BroadTrial("broad_03_undisturbed_slow_rotation_C")
        let path = try Self.write(trial.table(of: 0..<1000), folder)
        let result = try Tool.run(["replay", path, "device-motion", "--frame", "magnetic", "--json"])
        #expect(result.lines.count == 1000)
        #expect(result.lines.first?.hasPrefix(#"{"callback":"deviceMotion","timestamp":0.0,"#) == true)
        #expect(result.lines[1].hasPrefix(#"{"callback":"deviceMotion","timestamp":0.0105,"#))
        #expect(result.lines.last?.hasPrefix(#"{"callback":"deviceMotion","timestamp":10.4895,"#) == true)
        for (index, motion) in try MotionLine.all(result.lines).enumerated() {
            #expect(motion.timestamp == Double(String(format: "%.6f", Double(index) * BroadTrial.interval)))
        }
        // The benchmark's own tables contain no times. Their rows are 10.5 ms apart.
        let raw = try Tool.readings(trial.path, "device-motion", ["--frame", "magnetic"])
        #expect(raw.count == trial.rows.count)
        #expect(raw[999].timestamp == 10.4895)
    }

    @Test("A table may start at any time, have gaps and lack a sensor in some rows")
    func sparseTable() throws {
        let folder = try TemporaryFolder()
        let trial = try BroadTrial("broad_03_undisturbed_slow_rotation_C")
        var lines = trial.table(of: 0..<600, from: 12.5).split(separator: "\n").map(String.init)
        // Every third row lacks the magnetic field and every fifth row the acceleration. Twenty rows are missing.
        for index in lines.indices.dropFirst() {
            var cells = lines[index].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if index % 3 == 0 { cells.replaceSubrange(7...9, with: ["", "", ""]) }
            if index % 5 == 0 { cells.replaceSubrange(4...6, with: ["", "", ""]) }
            lines[index] = cells.joined(separator: ",")
        }
        lines.removeSubrange(300..<320)
        let path = try Self.write(lines.joined(separator: "\n") + "\n", folder)
        let motions = try Tool.readings(path, "device-motion", ["--frame", "magnetic"])
        // One motion per gyroscope row after gravity is known.
        #expect(motions.count >= 575 && motions.count <= 580)
        #expect(motions.first.map { $0.timestamp >= 12.5 && $0.timestamp < 12.6 } == true)
        let times = Set(lines.dropFirst().compactMap { Double($0.prefix { $0 != "," }) })
        #expect(motions.allSatisfy { times.contains($0.timestamp) })
        for motion in motions {
            let gravity = try #require(motion.object["gravity"] as? [Double])
            // The board lies flat all the time.
            #expect(distance(SIMD3(gravity[0], gravity[1], gravity[2]), [0, 0, -1]) < 0.05)
        }
    }

    @Test("Timestamps of a native trace count from its start, like its own `t`")
    func nativeTrace() throws {
        let motions = try Tool.readings(Tool.sixPoses, "device-motion")
        // The trace starts 100 s after boot. Its gyroscope delivers 50 readings per second.
        #expect(motions.first.map { $0.timestamp < 0.2 } == true)
        #expect(motions.count >= 570)
        #expect(motions.allSatisfy { abs(($0.timestamp * 50).rounded() / 50 - $0.timestamp) < 1e-9 })
    }

    @Test("Motions are decimated to the requested interval and keep their attitudes")
    func interval() throws {
        let all = try Tool.readings(Tool.csv("spin-flat-90dps"), "device-motion")
        let some = try Tool.readings(Tool.csv("spin-flat-90dps"), "device-motion", ["--interval", "0.05"])
        #expect(abs(some.count * 5 - all.count) <= 10)
        let byTime = Dictionary(all.map { ($0.timestamp, $0) }) { first, _ in first }
        for motion in some {
            let same = try #require(byTime[motion.timestamp])
            #expect(motion.object["quaternion"] as? [Double] == same.object["quaternion"] as? [Double])
        }
    }

    @Test(
        "The attitude in the magnetic north frame is as accurate as the best published filter",
        arguments: [
            // The results of VQF 2.1 with its defaults on the same rows: total and inclination error in degrees.
            ("broad_03_undisturbed_slow_rotation_C", 1.964, 0.358),
            ("broad_15_undisturbed_fast_translation_A", 2.164, 0.416),
        ])
    func accuracy(name: String, total: Double, inclination: Double) throws {
        let trial = try BroadTrial(name)
        let motions = try Tool.readings(trial.path, "device-motion", ["--frame", "xMagneticNorthZVertical"])
        #expect(motions.count == trial.rows.count)
        let score = try trial.score(motions)
        #expect(score.total <= total + 0.3, "total \(score.total)")
        #expect(score.inclination <= inclination + 0.2, "inclination \(score.inclination)")
    }

    @Test("The text output contains the angles")
    func lines() throws {
        let result = try Tool.run(["replay", Tool.csv("flat-face-up"), "attitude"])
        let line = try #require(result.lines.last)
        let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("roll 0.0° pitch 0.0°") || words.contains("roll -0.0°") || words.contains("pitch -0.0°"))
        #expect(words.contains("user"))
        #expect(!line.contains("\u{1B}"))
    }

    @Test("A missing sensor is reported, and the exit status is 0")
    func missing() throws {
        let folder = try TemporaryFolder()
        let path = try Self.write("t,ax,ay,az\n0,0,0,9.8\n0.1,0,0,9.8\n", folder)
        let motion = try Tool.run(["replay", path, "device-motion", "--json"])
        #expect(motion.status == 0)
        #expect(motion.output.isEmpty)
        #expect(motion.notes.contains("no readings of a gyroscope; it contains accelerometer."))
        let noField = try Self.write("t,gx,gy,gz,ax,ay,az\n0,0,0,0,0,0,9.8\n0.01,0,0,0,0,0,9.8\n", folder, "two.csv")
        let magnetic = try Tool.run(["replay", noField, "device-motion", "--frame", "magnetic", "--json"])
        #expect(magnetic.status == 0)
        #expect(magnetic.lines.allSatisfy { $0.hasPrefix(#"{"callback":"deviceMotion""#) })
        #expect(magnetic.notes.contains("device-motion: "))
    }
}
