// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
    "sensorctl info, convert, cut, merge and scrub",
    .toolIsBuilt, .waiting)
struct TraceVerbTests {
    private static let log = Tool.traces + "/gpsd/humminbird-M37.log.chk"

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static func info(_ path: String) throws -> [String: Any] {
        let result = try Tool.run(["info", path, "--json"])
        #expect(result.status == 0, "\(result.notes)")
        return try object(result.output)
    }

    @Test("`info` describes a recording in text and as an object")
    func describes() throws {
        let result = try Tool.run(["info", Self.log])
        #expect(result.status == 0)
        #expect(result.output.contains("TPV") && result.output.contains("with a fix"))
        let object = try Self.info(Self.log)
        let streams = try #require(object["streams"] as? [[String: Any]])
        let positions = streams.filter { $0["kind"] as? String == "TPV" }.compactMap { $0["count"] as? Int }.reduce(
            0, +)
        // The number of TPV reports in the file.
        let text = try String(contentsOfFile: Self.log, encoding: .utf8)
        #expect(positions == text.split(separator: "\n").count { $0.hasPrefix(#"{"class":"TPV""#) })
        #expect((object["positions"] as? [String: Any])?["count"] as? Int == positions)
    }

    private static func locations(_ path: String) throws -> [String] {
        try Tool.run(["replay", path, "location", "--json"]).lines.filter { $0.contains("didUpdateLocations") }
    }

    @Test("A part of a recording replays the callbacks of that part")
    func cuts() throws {
        let folder = try TemporaryFolder()
        let part = folder.path + "/part.trace"
        let result = try Tool.run(["cut", Tool.drive, part, "--from", "1:00", "--to", "90.5"])
        #expect(result.status == 0, "\(result.notes)")
        let whole = try Self.locations(Tool.drive)
        let lines = try Self.locations(part)
        // The drive starts at 09:30:00 and has a position every half second.
        #expect(lines.count == 62)
        let expected = whole.filter { line in
            ["09:31:00", "09:31:1", "09:31:2", "09:31:30", "09:31:0"].contains { line.contains("T\($0)") }
        }
        // The first course may be derived from an earlier position, which is not in the part.
        #expect(expected.dropFirst().elementsEqual(lines.dropFirst()))
        #expect(try Tool.run(["cut", Tool.drive, part, "--from", "1", "--to", "2"]).status == 73)
        #expect(try Tool.run(["cut", Tool.drive, part, "--from", "3", "--to", "2", "--overwrite"]).status == 64)
        #expect(try Tool.run(["cut", Tool.drive, part, "--from", "0x10", "--overwrite"]).status == 64)
    }

    @Test("A converted recording replays the same output")
    func converts() throws {
        let folder = try TemporaryFolder()
        let (native, back) = (folder.path + "/a.trace", folder.path + "/b.json")
        #expect(try Tool.run(["convert", Self.log, native]).status == 0)
        #expect(try Tool.run(["convert", native, back]).status == 0)
        let original = try Tool.run(["replay", Self.log, "location", "--json"]).lines
        #expect(!original.isEmpty)
        #expect(try Tool.run(["replay", native, "location", "--json"]).lines == original)
        #expect(try Tool.run(["replay", back, "location", "--json"]).lines == original)
        #expect(try Tool.run(["convert", Self.log, folder.path + "/a.xyz"]).status == 64)
        #expect(try Tool.run(["convert", folder.path, folder.path + "/c.trace"]).status == 65)
        let output = try Tool.run(["convert", Self.log, "-", "--format", "gpsd"])
        #expect(
            output.lines == (try String(contentsOfFile: back, encoding: .utf8)).split(separator: "\n").map(String.init))
    }

    @Test("Faults are reported, and their seed reproduces them")
    func faults() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.trace"
        let first = try Tool.run(["convert", Tool.drive, path, "--fault", "drop=0.2,nofix@60s+10s"])
        #expect(first.status == 0)
        let seed = try #require(first.notes.firstMatch(of: /--seed ([0-9]+) repeats/)?.1)
        let spoiled = try Data(contentsOf: URL(fileURLWithPath: path))
        let second = try Tool.run(
            ["convert", Tool.drive, path, "--overwrite", "--fault", "drop=0.2,nofix@60s+10s", "--seed", String(seed)])
        #expect(second.status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == spoiled)
        #expect(
            try Self.info(path)["faults"] as? [String: String] == [
                "seed": String(seed), "list": "drop=0.2,nofix@60.0s+10.0s",
            ])
        #expect(try Tool.run(["convert", Tool.drive, path, "--fault", "fly"]).status == 64)
        // A fault in a part. The times of the part start at 0.
        let part = folder.path + "/part.trace"
        #expect(
            try Tool.run(["cut", Tool.drive, part, "--from", "60", "--to", "90", "--fault", "nofix@10s+5s"]).status == 0
        )
        let info = try Self.info(part)
        #expect((info["faults"] as? [String: String])?["list"] == "nofix@10.0s+5.0s")
        let positions = try #require(info["positions"] as? [String: Any])
        // Two positions per second from 60 s to 90 s. All have a fix except those of five seconds.
        #expect(positions["count"] as? Int == 61 && positions["fixes"] as? Int == 51)
    }

    @Test("An input is never overwritten, whatever its path, and other files only with `--overwrite`")
    func overwriting() throws {
        let folder = try TemporaryFolder()
        let (path, link, other) = (folder.path + "/a.trace", folder.path + "/b.trace", folder.path + "/c.trace")
        #expect(try Tool.run(["convert", Tool.drive, path]).status == 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        for verb in ["convert", "cut", "scrub"] {
            for output in [path, link, folder.path + "/./a.trace"] {
                let result = try Tool.run([verb, path, output, "--overwrite"])
                #expect(result.status == 64 && result.notes.contains("is an input"), "\(verb): \(result.notes)")
            }
        }
        let merged = try Tool.run(["merge", path, Tool.drive, "--output", link, "--overwrite"])
        #expect(merged.status == 64)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try Tool.run(["convert", path, other]).status == 0)
        try Tool.expect(["convert", path, other], 73, "--overwrite")
    }

    @Test("Files of a multi-file recording are not overwritten, but other files next to them are")
    func overwritingParts() throws {
        let folder = try TemporaryFolder()
        let (phone, iio, scale) = (folder.path + "/phone", folder.path + "/s.iio", folder.path + "/scale")
        for path in [phone, phone + "/meta", iio] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let parts: [String] = [
            phone + "/Location.csv", phone + "/Gyroscope.csv", phone + "/Metadata.csv", phone + "/meta/time.csv",
            iio + "/context.xml", iio + "/recorded_buf0.bin",
        ]
        for path in parts { try Data(path.utf8).write(to: URL(fileURLWithPath: path)) }
        let shipped = Tool.traces + "/udev/weigh-scale"
        for ending in [".umockdev", ".script"] {
            try FileManager.default.copyItem(atPath: shipped + ending, toPath: scale + ending)
        }
        let cases: [[String]] = [
            [phone, phone + "/Gyroscope.csv"], [phone, phone + "/meta/time.csv"],
            [phone + "/Location.csv", phone, "--format", "iio"],
            [phone + "/Location.csv", phone + "/Gyroscope.csv"], [phone + "/Location.csv", phone + "/meta/time.csv"],
            [iio + "/context.xml", iio + "/recorded_buf0.bin", "--format", "csv"],
            [scale + ".umockdev", scale + ".script", "--format", "trace"],
        ]
        for arguments in cases {
            let result = try Tool.run(["convert"] + arguments + ["--overwrite"])
            #expect(result.status == 64 && result.notes.contains("is an input"), "\(arguments): \(result.notes)")
        }
        for path in parts { #expect(try String(contentsOfFile: path, encoding: .utf8) == path) }
        #expect(FileManager.default.contentsEqual(atPath: scale + ".script", andPath: shipped + ".script"))
        for _ in 0..<2 {
            let result = try Tool.run(["convert", scale + ".umockdev", scale + ".trace", "--overwrite"])
            #expect(result.status == 0, "\(result.notes)")
        }
    }

    @Test("A trace is converted to MCAP and back, even through pipes")
    func mcap() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.mcap"
        #expect(try Tool.run(["convert", Self.log, path]).status == 0)
        let original = try Self.locations(Self.log)
        #expect(try Self.locations(path) == original)
        let piped = try Tool.shell(
            #""$0" convert "$1" - --format mcap | "$0" convert - - --format gpsd | "$0" replay - location --json"#,
            [Self.log])
        #expect(piped.lines.filter { $0.contains("didUpdateLocations") } == original)
    }

    @Test("A command that has nothing to write reports the reason and leaves no file")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let poses = Tool.traces + "/motion/six-poses.trace"
        let table = folder.path + "/poses.csv"
        #expect(try Tool.run(["convert", poses, table]).status == 0)
        for (arguments, part) in [
            (["convert", poses, folder.path + "/a.json"], "contains no gpsd reports"),
            (["convert", Tool.drive, folder.path + "/a.csv", "--table", "motion"], "no motion readings"),
            (["convert", poses, folder.path + "/a.csv", "--table", "positions"], "no positions"),
            (["cut", poses, folder.path + "/a.trace", "--from", "100"], "ends at 11.602 s"),
            (["convert", poses, folder.path + "/a.nmea"], "neither positions nor attitudes"),
            (["convert", poses, folder.path + "/a.gpx"], "no positions"),
            (["convert", poses, folder.path + "/b.gpx", "--format", "xcode"], "no positions"),
            (["convert", poses, folder.path + "/a.kml"], "no positions"),
            (["convert", poses, folder.path + "/a.geojson"], "no positions"),
            (["convert", Tool.drive, folder.path + "/a.iio"], "no motion readings"),
            (["merge", poses, table, "-o", folder.path + "/a.trace"], "--align start"),
            (["convert", Tool.traces + "/gpsd/bu303-moving.log", folder.path + "/a.trace"], "gpsfake"),
        ] {
            let result = try Tool.run(arguments)
            #expect(result.status == 65 && result.notes.contains(part), "\(arguments): \(result.notes)")
        }
        #expect(try Tool.run(["convert", poses, "-", "--format", "iio"]).status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["poses.csv"])
        // The reader closes the pipe early.
        let head = try Tool.shell(#""$0" convert "$1" - | head -c 100 | wc -c"#, [Tool.drive])
        #expect(head.output.contains("100") && head.notes == "")
    }

    @Test("Merging the parts of a recording restores the whole recording")
    func merges() throws {
        let folder = try TemporaryFolder()
        let (one, two, both) = (folder.path + "/1.trace", folder.path + "/2.trace", folder.path + "/3.trace")
        #expect(try Tool.run(["cut", Tool.drive, one, "--to", "10.5"]).status == 0)
        #expect(try Tool.run(["cut", Tool.drive, two, "--from", "11"]).status == 0)
        #expect(try Tool.run(["merge", two, one, "--output", both]).status == 0)
        let whole = try Tool.run(["replay", Tool.drive, "location", "--json"]).lines
        #expect(try Tool.run(["replay", both, "location", "--json"]).lines == whole)
    }

    @Test("Recordings more than a day apart are merged only with an explicit alignment")
    func mergesFarApart() throws {
        let folder = try TemporaryFolder()
        func recording(_ name: String, _ day: String) throws -> String {
            let path = "\(folder.path)/\(name).gpx"
            let points = (0..<3).map { "<trkpt lat='47' lon='8'><time>\(day)T10:00:0\($0)Z</time></trkpt>" }
            try Data("<gpx version='1.1'><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8)
                .write(to: URL(fileURLWithPath: path))
            return path
        }
        let one = try recording("one", "2026-05-01")
        let two = try recording("two", "2026-06-21")
        let output = folder.path + "/both.trace"
        // 2 s after 10:00 on May 1 plus 51 days is 2 s after 10:00 on June 21.
        try Tool.expect(
            ["merge", two, one, "-o", output], 64,
            "\(one) ends at 2026-05-01T10:00:02.000Z, and \(two) begins at 2026-06-21T10:00:00.000Z, 51 days later. To let all recordings begin together, use --align start."
        )
        #expect(!FileManager.default.fileExists(atPath: output))
        for (alignment, duration) in [("start", 2.0), ("clock", 51 * 86_400 + 2.0)] {
            let arguments = ["merge", two, one, "-o", output, "--align", alignment, "--overwrite"]
            #expect(try Tool.run(arguments).status == 0)
            #expect(try Self.info(output)["duration"] as? Double == duration)
        }
        // A recording in between closes the gap if it is long enough.
        let same = try recording("same", "2026-05-02")
        #expect(try Tool.run(["merge", same, one, "-o", output, "--overwrite"]).status == 0)
    }

    @Test("Recordings of other programs have no time since boot")
    func noBootTime() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.gpx"
        let points = [0, 9].map { "<wpt lat='1' lon='2'><time>2026-05-01T10:00:0\($0)Z</time></wpt>" }
        try Data("<gpx version='1.1'>\(points.joined())</gpx>".utf8)
            .write(to: URL(fileURLWithPath: path))
        let summary = try Self.info(path)
        #expect(summary["start"] != nil && summary["boot"] == nil)
        // The start of a part has an offset, but still no clock.
        let part = folder.path + "/part.trace"
        #expect(try Tool.run(["cut", path, part, "--from", "9"]).status == 0)
        #expect(try !Tool.run(["info", part]).output.contains("boot"))
        // The header of this recording contains 100 s.
        let scale = try Tool.run(["info", Tool.traces + "/udev/weigh-scale.trace"])
        #expect(scale.output.contains("100.000 s after boot"))
    }

    @Test("A scrubbed drive has the same length at another location")
    func scrubs() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.trace"
        let result = try Tool.run(["scrub", Tool.drive, path, "--place", "-33.5,151"])
        #expect(result.status == 0, "\(result.notes)")
        let before = try #require(try Self.info(Tool.drive)["positions"] as? [String: Any])
        let after = try #require(try Self.info(path)["positions"] as? [String: Any])
        #expect(before["fixes"] as? Int == after["fixes"] as? Int)
        let lengths = [before["distance"], after["distance"]].compactMap { $0 as? Double }
        try #require(lengths.count == 2)
        #expect(abs(lengths[0] - lengths[1]) < lengths[0] * 0.001)
        #expect(abs((after["south"] as? Double ?? 0) + 33.5) < 0.2)
        #expect((after["firstTime"] as? String)?.hasPrefix("2000-01-01") == true)
        // The drive is near 46.55° N, 7.90° E on 2026-06-21, with the receiver /dev/synthetic0.
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for part in ["\"lat\":46.", "\"lon\":7.", "2026-", "06-21", "T09:3", "synthetic", "mountain", Tool.traces] {
            #expect(!text.contains(part), "\(part)")
        }
        #expect(text.contains("2000-01-01T00:05:"))
    }

    @Test("A failed write keeps the previous file, or leaves no file", arguments: ["gpx", "trace", "mcap"])
    func limited(ending: String) throws {
        let folder = try TemporaryFolder()
        let (existing, new) = (folder.path + "/a.\(ending)", folder.path + "/b.\(ending)")
        #expect(try Tool.run(["cut", Tool.drive, existing, "--to", "5"]).status == 0)
        let before = try Data(contentsOf: URL(fileURLWithPath: existing))
        // The limit is 16 blocks of 1024 bytes. The drive is larger in each of these formats.
        let line = #"trap '' XFSZ; ulimit -f 16; exec "$0" convert "$1" "$2" --overwrite"#
        for path in [existing, new] {
            let result = try Tool.shell(line, [Tool.drive, path])
            #expect(result.status == 74, "\(result.notes)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: existing)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.\(ending)"])
        #expect(try Tool.run(["convert", Tool.drive, existing, "--overwrite"]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: existing)) != before)
    }

    @Test("Two receivers at the same time stay separate in a merge, and one can be converted")
    func twoReceivers() throws {
        let folder = try TemporaryFolder()
        let (one, two, both) = (folder.path + "/1.gpx", folder.path + "/2.gpx", folder.path + "/3.trace")
        for (path, latitude) in [(one, 10), (two, 50)] {
            let points = (0..<3).map {
                #"<trkpt lat="\#(latitude).00\#($0)" lon="8"><time>2024-05-01T10:00:0\#($0)Z</time></trkpt>"#
            }
            try Data(#"<gpx version="1.1"><trk><trkseg>\#(points.joined())</trkseg></trk></gpx>"#.utf8).write(
                to: URL(fileURLWithPath: path))
        }
        try Tool.expect(["merge", one, two, "-o", both], 0, "was named receiver-2")
        let streams = try #require(try Self.info(both)["streams"] as? [[String: Any]])
        #expect(
            streams.filter { $0["kind"] as? String == "TPV" }.compactMap { $0["origin"] as? String }.sorted() == [
                "receiver-1", "receiver-2",
            ])
        let out = try Tool.run(["convert", both, "-", "--format", "gpx", "--receiver", "receiver-2"])
        #expect(out.output.contains("lat=\"50.001\"") && !out.output.contains("lat=\"10.001\""))
        #expect(try Tool.run(["convert", both, "-", "--receiver", "receiver-2"]).status == 64)
        #expect(try Tool.run(["convert", both, "-", "--stamps"]).status == 64)
    }
}
