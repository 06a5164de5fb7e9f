// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite(
    "Import options of sensorctl",
    .toolIsBuilt, .waiting)
struct ImportOptionTests {
    private static let verbs = [
        ["info"], ["convert"], ["cut"], ["merge"], ["scrub"], ["replay"], ["calibrate"], ["simulate", "all"],
        ["simulate", "gpsd"], ["simulate", "iio"],
    ]
    /// The commands that write a recording.
    private static let writers: Set = ["convert", "cut", "merge", "scrub"]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func info(_ path: String, _ arguments: [String] = []) throws -> [String: Any] {
        let result = try Tool.run(["info", path, "--json"] + arguments)
        #expect(result.status == 0, "\(result.notes)")
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    }

    private func positions(_ path: String, _ arguments: [String] = []) throws -> [String: Any] {
        try #require(try info(path, arguments)["positions"] as? [String: Any])
    }

    /// Returns the options in a text, except for those of other programs.
    private static func options(in text: String) -> Set<String> {
        let line = text.replacing("umockdev-run --ioctl", with: "").replacing("umockdev-run --pcap", with: "")
        return Set(line.matches(of: /--[a-z][a-z-]+[a-z]/).map { String($0.output) })
    }

    @Test("Options named in messages of importers and exporters exist in all commands that print them")
    func named() throws {
        var named: Set<String> = []
        for part in ["TraceFormats", "TraceEditing"] {
            let root = Tool.root + "/Sources/Traces/" + part
            for case let name as String in try #require(FileManager.default.enumerator(atPath: root))
            where name.hasSuffix(".swift") {
                let text = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
                for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    named.formUnion(Self.options(in: String(line)))
                }
            }
        }
        let ofOutputs: Set = ["--receiver", "--stamps"]
        #expect(named.isSuperset(of: ["--track", "--date", "--weeks", "--pace", "--platform", "--columns"]))
        #expect(named.isSuperset(of: ofOutputs))
        for verb in Self.verbs {
            let help = Self.options(in: try Tool.run(verb + ["--help"]).output)
            let needed = Self.writers.isDisjoint(with: verb) ? named.subtracting(ofOutputs) : named
            #expect(help.isSuperset(of: needed), "\(verb): \(needed.subtracting(help))")
        }
    }

    @Test("The track, the points and the pace of a GPX file can be selected")
    func gpx() throws {
        func track(_ latitude: Int) -> String {
            #"<trk><trkseg><trkpt lat="\#(latitude)" lon="8"/><trkpt lat="\#(latitude).001" lon="8"/></trkseg></trk>"#
        }
        let path = try file("a.gpx", #"<gpx version="1.1"><wpt lat="30" lon="8"/>\#(track(10))\#(track(20))</gpx>"#)
        #expect(try positions(path)["fixes"] as? Int == 4)
        let second = try positions(path, ["--track", "2"])
        #expect(second["south"] as? Double == 20 && second["fixes"] as? Int == 2)
        #expect(try positions(path, ["--points", "waypoints"])["south"] as? Double == 30)
        // 0.001° of latitude is 110.57 m at a latitude of 10°: 22 s at 5 m/s.
        let part = folder.path + "/a.trace"
        #expect(try Tool.run(["cut", path, part, "--track", "1", "--pace", "5"]).status == 0)
        let duration = try #require(try info(part)["duration"] as? Double)
        #expect(abs(duration - 22.1) < 0.1)
        for arguments in [["--track", "0"], ["--points", "trees"], ["--pace", "-1"]] {
            #expect(try Tool.run(["info", path] + arguments).status == 64)
        }
    }

    @Test("A GPX file states only how many satellites are used, so no other number is printed", arguments: [0, 24])
    func satellites(used: Int) throws {
        let path = try file("a.gpx", #"<gpx version="1.1"><wpt lat="30" lon="8"><sat>\#(used)</sat></wpt></gpx>"#)
        let line = try #require(try Tool.run(["replay", path, "location"]).lines.last)
        #expect(line.hasSuffix(" \(used)"))
    }

    @Test("--accuracy sets the accuracy of GPX points that state none")
    func accuracy() throws {
        let path = try file("a.gpx", #"<gpx version="1.1"><wpt lat="30" lon="8"/><wpt lat="31" lon="8"/></gpx>"#)
        let without = try Tool.run(["replay", path, "location", "--json"])
        #expect(without.notes.contains("2 of 2 positions state no accuracy, so 100 m is assumed"))
        #expect(without.output.contains("\"horizontalAccuracy\":100"))
        let with = try Tool.run(["replay", path, "location", "--json", "--accuracy", "4.5"])
        #expect(!with.notes.contains("accuracy") && with.output.contains("\"horizontalAccuracy\":4.5"))
        let trace = folder.path + "/a.trace"
        #expect(try Tool.run(["convert", path, trace, "--accuracy", "4.5"]).status == 0)
        let converted = try Tool.run(["convert", trace, folder.path + "/x.gpx", "--format", "xcode"])
        #expect(converted.notes.contains("those of 2 positions were omitted. When you read the file, specify"))
        for value in ["0", "-1", "nan", "inf"] {
            #expect(try Tool.run(["info", path, "--accuracy=\(value)"]).status == 64)
        }
    }

    @Test("An option is reported as unused only if it fits none of the inputs")
    func unused() throws {
        let gpx = try file("a.gpx", #"<gpx version="1.1"><wpt lat="30" lon="8"/><wpt lat="31" lon="8"/></gpx>"#)
        let table = try file("a.csv", "ax,ay,az\n0,0,9.8\n0,0,9.8\n")
        let notes = try Tool.run(["info", gpx, "--rate", "50", "--pace", "5", "--date", "2026-11-21"]).notes
        let rate = "--rate applies only to CSV files of motion and libiio's buffers, so it has no effect on \(gpx)."
        #expect(notes.contains(rate))
        #expect(notes.contains("--date applies only") && !notes.contains("--pace applies only"))
        let merged = folder.path + "/m.trace"
        let merge = ["merge", gpx, table, "-o", merged, "--align", "start", "--rate", "50", "--weeks", "1"]
        let result = try Tool.run(merge)
        #expect(result.status == 0)
        #expect(result.notes.contains("--weeks applies only") && !result.notes.contains("--rate applies only"))
        let map = ["--columns", "accel.x=ax,accel.y=ay,accel.z=az,period=0.5", "--rate", "9"]
        #expect(try Tool.run(["info", table] + map).notes.contains("--rate applies only to tables without --columns"))
        try Tool.expect(["calibrate", "gyro", "--rate", "50"], 64, "--rate requires --trace")
    }

    @Test("The simulated servers accept the import options")
    func simulate() throws {
        let table = try file("a.csv", "ax,ay,az\n0,0,9.8\n0,0,9.8\n0,0,9.8\n")
        for verb in [["simulate", "iio"], ["simulate", "all"]] {
            try Tool.expect(verb + [table, "--", "true"], 65, "--rate")
            #expect(try Tool.run(verb + [table, "--rate", "50", "--", "true"]).status == 0)
        }
        let gpx = try file("a.gpx", #"<gpx version="1.1"><wpt lat="30" lon="8"/><wpt lat="31" lon="8"/></gpx>"#)
        // One degree of latitude is 110,861 m there: 22.172 s at 5000 m/s. A pause of the same length precedes the next
        // round.
        let all = ["simulate", "all", gpx, "--pace", "5000", "--json", "--duration", "0.1"]
        let line = try #require(try Tool.run(all).lines.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(abs((object["seconds"] as? Double ?? 0) - 44.345) < 0.01, "\(line)")
        #expect(try Tool.run(["simulate", "gpsd", gpx, "--pace", "5000", "--", "true"]).status == 0)
    }

    @Test("The date and the week offset of an NMEA log can be specified")
    func nmea() throws {
        func sentence(_ text: String) -> String {
            let sum = text.utf8.reduce(0, ^)
            return "$\(text)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
        }
        let dateless = try file("a.nmea", sentence("GPGGA,101112,4730.0,N,00800.0,E,1,05,1.0,500.0,M,47.0,M,,"))
        #expect(try Tool.run(["info", dateless]).notes.contains("--date"))
        let received = try positions(dateless, ["--date", "2026-11-21"])
        #expect((received["firstTime"] as? String)?.hasPrefix("2026-11-21T10:11:12") == true)
        // 2024-05-01 is 1024 weeks after 2004-09-15.
        let early = try file("b.nmea", sentence("GPRMC,101112,A,4730.0,N,00800.0,E,0.0,0.0,150904,,"))
        let mended = try positions(early, ["--weeks", "1024"])
        #expect((mended["firstTime"] as? String)?.hasPrefix("2024-05-01") == true)
        let scrubbed = folder.path + "/b.trace"
        #expect(try Tool.run(["scrub", early, scrubbed, "--weeks", "1024", "--keep-time"]).status == 0)
        #expect((try positions(scrubbed)["firstTime"] as? String)?.hasPrefix("2024-05-01") == true)
        #expect(try Tool.run(["info", early, "--date", "yesterday"]).status == 64)
        for weeks in ["-9223372036854775808", "10241", "-10241"] {
            #expect(try Tool.run(["info", early, "--weeks=\(weeks)"]).status == 64, "\(weeks)")
        }
    }

    @Test("The layout and the rate of a motion table can be specified")
    func tables() throws {
        let timeless = try file("a.csv", "ax,ay,az\n0,0,9.8\n0,0,9.8\n0,0,9.8\n")
        try Tool.expect(["info", timeless], 65, "--rate")
        #expect(try info(timeless, ["--rate", "50"])["duration"] as? Double == 0.04)
        for rate in ["0", "1e-5", "1000001", "1e300", "inf", "nan"] {
            let result = try Tool.run(["info", timeless, "--rate", rate])
            #expect(result.status == 64 && result.notes.contains("1000000 Hz"), "\(rate): \(result.notes)")
        }
        let gauss = try file("b.csv", "t,mx,my,mz\n0,0.1,0.2,-0.43\n")
        #expect(try Tool.run(["info", gauss]).notes.contains("--layout iio"))
        #expect(!(try Tool.run(["info", gauss, "--layout", "iio"]).notes.contains("--layout")))
        let merged = folder.path + "/m.trace"
        let result = try Tool.run([
            "merge", gauss, timeless, "-o", merged, "--align", "start", "--layout", "si", "--rate", "50",
        ])
        #expect(result.status == 0, "\(result.notes)")
    }
}
