// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl replay --expect", .toolIsBuilt, .waiting)
struct ReplayExpectationTests {
    private static let poses = Tool.traces + "/motion/six-poses.trace"

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(
        "A replay matches the expectations made from it, which equal its printed output",
        arguments: ["location", "device-motion", "accelerometer", "orientation"])
    func same(stream: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/expected"
        let trace = stream == "location" ? Tool.drive : Self.poses
        let made = try Tool.run(["replay", trace, stream, "--expect", path, "--update-expected"])
        #expect(made.status == 0)
        #expect(made.output.isEmpty)
        let printed = try Tool.run(["replay", trace, stream, "--json"]).lines
        // Errors are notes in the output, and callbacks in the expectations.
        let expected = try Self.lines(path).dropFirst().filter { !$0.contains(#""callback":"error""#) }
        #expect(!printed.isEmpty)
        #expect(printed.filter { !$0.contains(#""callback":"error""#) } == Array(expected))
        let compared = try Tool.run(["replay", trace, stream, "--expect", path])
        #expect(compared.status == 0, "\(compared.output)\(compared.notes)")
        #expect(compared.output.isEmpty)
        #expect(compared.notes.contains("as expected"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["expected"])
    }

    @Test("A changed scale of an axis is detected and named")
    func findsScaledAxis() throws {
        let folder = try TemporaryFolder()
        let (path, broken) = (folder.path + "/expected", folder.path + "/broken.trace")
        #expect(
            try Tool.run(["replay", Self.poses, "accelerometer", "--expect", path, "--update-expected"]).status == 0)
        // Scales the sensor's y axis by 1.2 from line 500 on. The mount matrix maps it to the device's x axis.
        var lines = try Self.lines(Self.poses)
        for index in lines.indices where index > 500 && lines[index].contains("\"accelerometer\":[") {
            let parts = lines[index].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            var scaled = parts
            scaled[2] = String(try #require(Double(parts[2])) * 1.2)
            lines[index] = scaled.joined(separator: ",")
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: broken, atomically: true, encoding: .utf8)
        let result = try Tool.run(["replay", broken, "accelerometer", "--expect", path])
        #expect(result.status == 1)
        #expect(result.output.contains("differs in x\n"), "\(result.output)")
        #expect(result.output.contains("previous callbacks, as expected:\n    {\"callback\":\"accelerometer\""))
        let json = try Tool.run(["replay", broken, "accelerometer", "--expect", path, "--json"])
        #expect(json.status == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: json.bytes) as? [String: Any])
        #expect(object["field"] as? String == "x")
        let expected = try #require(object["expected"] as? Double)
        let got = try #require(object["got"] as? Double)
        #expect(abs(got / expected - 1.2) < 1e-9)
        #expect((object["context"] as? [Any])?.count == 3)
        #expect((object["options"] as? [String: String]) == ["stream": "accelerometer"])
        let line = try #require(object["line"] as? Int)
        let received = try #require(result.lines.first { $0.hasPrefix("  expected   ") }).dropFirst(13)
        #expect(try Self.lines(path)[line - 1].contains("\"x\":\(received),"))
        #expect(result.output.contains("line \(line):"))
    }

    @Test("Edited tolerances are applied, and kept when the file is updated")
    func editedTolerances() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/expected"
        let arguments = ["replay", Tool.drive, "location", "--to", "30", "--expect", path]
        #expect(try Tool.run(arguments + ["--update-expected"]).status == 0)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // Changes the first speed by 0.01.
        let speed = try #require(text.range(of: #""speed":[0-9.]+"#, options: .regularExpression))
        let value = try #require(Double(text[speed].dropFirst(8)))
        let changed = text.replacingCharacters(in: speed, with: "\"speed\":\(value + 0.01)")
        try changed.write(toFile: path, atomically: true, encoding: .utf8)
        let strict = try Tool.run(arguments)
        #expect(strict.status == 1)
        #expect(strict.output.contains(".speed"))
        let edited = changed.replacingOccurrences(
            of: #""speed":{"absolute":1e-06}"#, with: #""speed":{"absolute":0.02}"#)
        #expect(edited != changed)
        try edited.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try Tool.run(arguments).status == 0)
        #expect(try Tool.run(arguments + ["--update-expected"]).status == 0)
        #expect(try Self.lines(path)[0].contains(#""speed":{"absolute":0.02}"#))
        #expect(try Self.lines(path)[1...] == text.split(separator: "\n").map(String.init)[1...])
    }

    @Test("Expectations made with other options are refused")
    func otherOptions() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/expected"
        let arguments = ["replay", Self.poses, "device-motion", "--interval", "0.1", "--expect", path]
        #expect(try Tool.run(arguments + ["--update-expected"]).status == 0)
        let result = try Tool.run(arguments + ["--frame", "corrected"])
        #expect(result.status == 64)
        #expect(result.notes.contains("was created with frame arbitrary, but this run has frame corrected."))
        #expect(try Tool.run(arguments + ["--to", "5"]).status == 64)
        #expect(try Tool.run(["replay", Self.poses, "gyro", "--expect", path]).status == 64)
    }

    @Test("Random faults are repeatable with the same seed, and another seed is refused")
    func faults() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/expected"
        let arguments = [
            "replay", Tool.drive, "location", "--fault", "drop=0.2,nofix@10s+5s,clockstep=-2s@20s", "--expect", path,
        ]
        try Tool.expect(arguments + ["--seed", "7", "--update-expected"], 0, "--seed 7 repeats them")
        #expect(try Tool.run(arguments + ["--seed", "7"]).status == 0)
        #expect(try Tool.run(arguments + ["--seed", "8"]).status == 64)
        #expect(try Tool.run(arguments).status == 64)
        let plain = try Tool.run(["replay", Tool.drive, "location", "--json"]).lines
        let faulty = try Self.lines(path).dropFirst()
        #expect(faulty.count < plain.count)
    }

    @Test("Only expectations are overwritten, and unreadable files are reported")
    func refusesOtherFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/precious"
        try "precious\n".write(toFile: path, atomically: true, encoding: .utf8)
        let arguments = ["replay", Tool.drive, "location", "--expect"]
        #expect(try Tool.run(arguments + [path, "--update-expected"]).status == 65)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious\n")
        #expect(try Tool.run(arguments + [path]).status == 65)
        try Tool.expect(arguments + [folder.path + "/none"], 66, "--update-expected creates it")
        #expect(try Tool.run(arguments + [folder.path + "/none/x", "--update-expected"]).status == 73)
        #expect(try Tool.run(["replay", Tool.drive, "location", "--update-expected"]).status == 64)
        #expect(try Tool.run(arguments + [path, "--rebase"]).status == 64)
        #expect(try Tool.run(arguments + [path, "--loop", "forever"]).status == 64)
    }

    @Test("A renamed sensor gives the same readings")
    func renames() throws {
        let result = try Tool.run(
            ["replay", Self.poses, "accelerometer", "--json", "--rename", "accelerometer=lsm6dsl", "--to", "1"])
        let plain = try Tool.run(["replay", Self.poses, "accelerometer", "--json", "--to", "1"])
        #expect(!plain.output.isEmpty)
        #expect(result.output == plain.output)
        #expect(try Tool.run(["replay", Self.poses, "accelerometer", "--rename", "nothing"]).status == 64)
    }
}
