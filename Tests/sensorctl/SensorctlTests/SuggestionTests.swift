// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Suggestions of sensorctl", .toolIsBuilt, .waiting)
struct SuggestionTests {
    @Test(
        "An error about a misspelled name suggests the right one",
        arguments: [
            ("wach location", "There is no command 'wach'. Did you mean 'watch'? Use one of list, watch, "),
            ("simulate gpds drive.json --port 1", "Did you mean 'gpsd'?"),
            ("simulate gpds drive.json -- true", "Did you mean 'gpsd'?"),
            ("watch locaton", "The value 'locaton' is invalid for '<stream>'. Did you mean 'location'? Use one of "),
            ("watch attitude --frame magnatic", "Did you mean 'magnetic'? Use one of arbitrary, corrected, "),
            ("record - --parts motion,positon", "Did you mean 'position'? Use one of position, motion, "),
            ("record --ring 10m --on imapct traces/", "Did you mean 'impact'?"),
            ("record --ring 10m --sync segmnt traces/", "Did you mean 'segment'?"),
            ("convert drive.json drive.jsom", "Did you mean '.json'? Use one of .trace, "),
            ("convert drive.json ./drive --format gpxx", "Did you mean 'gpx'? Use one of trace, gpsd, "),
            ("convert drive.json a.json --fault los@5s", "Did you mean 'loss'?"),
            ("merge a b -o c --format mcpa", "Did you mean 'mcap'?"),
            ("merge a b -o c.trace --align strat", "Did you mean 'start'? Use one of clock, start."),
            ("replay drive.gpx location --points trcks", "Did you mean 'tracks'?"),
            ("replay drive.csv location --columns time=t,lta=a,lon=b", "Did you mean 'lat'? Quantities are time, "),
            ("replay drive.trace location --streams postions", "Did you mean 'positions'?"),
            ("simulate drive.json --gpsd-fault greting=2s", "Did you mean 'greeting'?"),
            ("simulate iio a.trace --fault partail=5", "Did you mean 'partial'?"),
            ("plot drive.json -o a.sgv", "Did you mean '.svg'?"),
            ("synthesize a b --imu mpu650", "Did you mean 'mpu6050'? Use one of "),
            ("synthesize a b --turns flta", "Did you mean 'flat'? Use one of flat, coordinated."),
        ])
    func suggestions(line: String, part: String) throws {
        let result = try Tool.run(line.split(separator: " ").map(String.init))
        #expect(result.status == 64, "\(result.status)")
        #expect(result.output.isEmpty)
        #expect(result.notes.hasPrefix("Error: ") && result.notes.contains(part), "\(result.notes)")
        #expect(!result.notes.contains("Please provide"), "\(result.notes)")
    }

    @Test("The error for an unknown stream of a plot lists the streams of the recording")
    func plotStreams() throws {
        // The streams are those that `info` lists: positions with satellites, and the sensors of a board.
        let folder = try TemporaryFolder()
        let output = folder.path + "/a.svg"
        try Tool.expect(
            ["plot", Tool.drive, "sped", "-o", output], 64,
            "There is neither a file nor a stream 'sped'. Did you mean 'speed'? The streams of \(Tool.drive) are track, sky, speed, altitude, accuracy, intervals.\n"
        )
        try Tool.expect(
            ["plot", Tool.sixPoses, "trees", "-o", output], 64,
            "'trees'. The streams of \(Tool.sixPoses) are accelerometer, gyro, magnetometer, pressure, attitude, heading, intervals.\n"
        )
        try Tool.expect(
            ["plot", Tool.sixPoses, Tool.drive, "trees", "-o", output], 64,
            "are track, sky, speed, altitude, accuracy, accelero")
        try Tool.expect(["plot", "trees", "-o", output], 64, "The streams are track, sky, speed, altitude, ")
        // A path is never a stream.
        try Tool.expect(["plot", Tool.drive, "./sped", "-o", output], 66, "There is no file ./sped.")
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test("A name that resembles no other is answered with the known names")
    func unknown() throws {
        let result = try Tool.run(["xyzzy"])
        #expect(result.status == 64)
        #expect(result.notes.contains("There is no command 'xyzzy'. Use one of list, watch, "), "\(result.notes)")
        // The parser itself suggests options.
        try Tool.expect(["replay", "a", "location", "--sped", "3"], 64, "Did you mean '--speed'?")
        // A file with such a name is a file.
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: Tool.drive, toPath: folder.path + "/gpds")
        let run = try Tool.shell("cd \"$1\" && \"$0\" simulate gpds -- true", [folder.path])
        #expect(run.status == 0, "\(run.notes)")
    }
}
