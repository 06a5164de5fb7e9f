// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import Testing

@Suite("sensorctl plot", .toolIsBuilt, .waiting)
struct PlotTests {
    /// A line of a chart in the JSON output.
    private struct Line {
        var chart: String
        var name: String
        var trace: String
        var points: [SIMD2<Double>]
        var object: [String: Any]
    }

    private static func lines(_ arguments: [String]) throws -> [Line] {
        let result = try Tool.run(["plot", "--json"] + arguments)
        try #require(result.status == 0, "\(result.notes)")
        return try Tool.objects(result).map { object in
            let strokes = object["strokes"] as? [[[Double]]] ?? []
            return Line(
                chart: object["chart"] as? String ?? "", name: object["line"] as? String ?? "",
                trace: object["trace"] as? String ?? "", points: strokes.flatMap { $0.map { SIMD2($0[0], $0[1]) } },
                object: object)
        }
    }

    private static func svg(_ arguments: [String]) throws -> PlotPicture {
        let result = try Tool.run(["plot", "-o", "-"] + arguments)
        try #require(result.status == 0, "\(result.notes)")
        return try PlotPicture(result.output)
    }

    // MARK: Numbers

    @Test("The axes of a sensor equal the output of `replay`", arguments: ["accelerometer", "gyro", "magnetometer"])
    func axes(stream: String) throws {
        let readings = try Tool.readings(Tool.sixPoses, stream)
        let lines = try Self.lines([Tool.sixPoses, stream])
        try #require(lines.map(\.name) == ["x", "y", "z"])
        for (axis, line) in lines.enumerated() {
            // The trace starts 100 s after boot.
            #expect(line.points.map(\.y) == readings.map { $0.vector[axis] })
            #expect(zip(line.points, readings).allSatisfy { abs($0.x - ($1.timestamp - 100)) < 1e-9 })
        }
        // The drawing contains the same values within its rounding error.
        for (axis, line) in try Self.svg([Tool.sixPoses, stream]).lines(of: stream).enumerated() {
            try #require(line.points.count == readings.count)
            for (point, reading) in zip(line.points, readings) {
                #expect(abs(point.y - reading.vector[axis]) <= line.grain.y)
                #expect(abs(point.x - (reading.timestamp - 100)) <= line.grain.x)
            }
        }
    }

    @Test("A decimated line keeps the peaks and contains only readings that `replay` prints")
    func decimated() throws {
        let path = Tool.traces + "/broad/broad_15_undisturbed_fast_translation_A.csv"
        let readings = try Tool.readings(path, "accelerometer")
        try #require(readings.count > 5000)
        let start = readings[0].timestamp
        for (axis, line) in try Self.lines([path, "accelerometer"]).enumerated() {
            #expect(line.points.count < readings.count && line.points.count > 1000)
            let values = Dictionary(readings.map { ($0.timestamp, $0.vector[axis]) }) { first, _ in first }
            #expect(line.points.allSatisfy { values[$0.x] == $0.y || values[$0.x + start] == $0.y })
            #expect(line.points.map(\.y).min() == readings.map { $0.vector[axis] }.min())
            #expect(line.points.map(\.y).max() == readings.map { $0.vector[axis] }.max())
        }
    }

    @Test("Speed, altitude, accuracy and track have the values of the locations")
    func locations() throws {
        let locations = try ReplayTests.locations(Tool.run(["replay", Tool.drive, "location", "--json"]).lines)
        func values(_ key: String) -> [Double] { locations.compactMap { $0[key] as? Double }.filter { $0 >= 0 } }
        let lines = try Self.lines([Tool.drive, "location"])
        func drawn(_ chart: String, _ name: String) -> [Double] {
            lines.first { $0.chart == chart && $0.name == name }?.points.map(\.y) ?? []
        }
        #expect(drawn("speed", "") == values("speed"))
        #expect(drawn("altitude", "above sea level") == locations.compactMap { $0["altitude"] as? Double })
        #expect(drawn("accuracy", "horizontal") == values("horizontalAccuracy"))
        #expect(drawn("accuracy", "vertical") == values("verticalAccuracy"))
        let track = try #require(lines.first { $0.chart == "track" }?.object["points"] as? [[Double]])
        try #require(track.count == locations.count)
        for (position, location) in zip(track, locations) {
            #expect(position[1] == location["latitude"] as? Double && position[2] == location["longitude"] as? Double)
        }
        // The drawing is in metres from the first location. A sphere of the mean radius is accurate to half a percent.
        let paper = try #require(try Self.svg([Tool.drive, "track"]).lines(of: "track").first)
        try #require(paper.points.count == locations.count)
        for (point, position) in zip(paper.points, track) {
            let north = (position[1] - track[0][1]) * .pi / 180 * 6_371_009
            let east = (position[2] - track[0][2]) * .pi / 180 * 6_371_009 * cos(track[0][1] * .pi / 180)
            let length = (north * north + east * east).squareRoot()
            #expect(abs(point.x - east) < length * 0.01 + paper.grain.x * 2)
            #expect(abs(point.y - north) < length * 0.01 + paper.grain.y * 2)
        }
    }

    @Test("The angles of the attitude are those of the quaternions")
    func attitude() throws {
        let readings = try Tool.readings(Tool.sixPoses, "device-motion")
        let lines = try Self.lines([Tool.sixPoses, "attitude"])
        try #require(lines.map(\.name) == ["roll", "pitch", "yaw"])
        // The order of rotations is Rz(yaw) Rx(pitch) Ry(roll).
        let angles = readings.map { reading -> [Double] in
            let q = reading.object["quaternion"] as? [Double] ?? []
            let (x, y, z, w) = (q[0], q[1], q[2], q[3])
            let pitch = asin(min(max(2 * (y * z + w * x), -1), 1))
            let roll = atan2(-2 * (x * z - w * y), 1 - 2 * (x * x + y * y))
            let yaw = atan2(-2 * (x * y - w * z), 1 - 2 * (x * x + z * z))
            return [roll, pitch, yaw].map { $0 * 180 / .pi }
        }
        for (number, line) in lines.enumerated() {
            try #require(line.points.count == readings.count)
            for (index, point) in line.points.enumerated() {
                #expect(abs(point.x - readings[index].timestamp) < 1e-9)
                // Near a pitch of ±90°, roll and yaw are one angle and are not compared.
                guard abs(angles[index][1]) < 85 else { continue }
                let difference = abs(point.y - angles[index][number])
                #expect(min(difference, 360 - difference) < 1e-6)
            }
        }
    }

    @Test("The heading is drawn with its accuracy, and unreliable headings are a separate line")
    func heading() throws {
        let readings = try Tool.readings(Tool.sixPoses, "heading")
        let lines = try Self.lines([Tool.sixPoses, "heading"])
        let drawn = lines.flatMap(\.points).sorted { $0.x < $1.x }
        #expect(drawn.map(\.x) == readings.map(\.timestamp))
        #expect(
            drawn.map(\.y)
                == readings.map { reading in
                    let heading = reading.object["trueHeading"] as? Double ?? -1
                    return heading >= 0 ? heading : reading.object["magneticHeading"] as? Double ?? -1
                })
        let trusted = readings.count { ($0.object["headingAccuracy"] as? Double ?? -1) >= 0 }
        #expect(lines.filter { $0.object["doubtful"] == nil }.reduce(0) { $0 + $1.points.count } == trusted)
    }

    @Test("The histogram of intervals matches a manual count")
    func intervals() throws {
        // Nine intervals of 10 ms and one of 20 ms.
        let times = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.08, 0.09, 0.1, 0.11]
        let table = "t,ax,ay,az\n" + times.map { "\($0),0,0,9.8\n" }.joined()
        let result = try Tool.run(["plot", "-", "accelerometer", "intervals", "--json"], input: Data(table.utf8))
        let line = try #require(try Tool.objects(result).first { $0["chart"] as? String == "intervals" })
        let counts = try #require(line["counts"] as? [Int])
        let (start, width) = (line["start"] as? Double ?? 0, line["width"] as? Double ?? 0)
        #expect(counts.reduce(0, +) == 10)
        #expect(counts[Int(((0.01 - start) / width + 1e-6).rounded(.down))] == 9)
        #expect(counts[Int(((0.02 - start) / width + 1e-6).rounded(.down))] == 1)
    }

    @Test("Overlapping recordings are aligned by their clocks, or by their starts with `--align start`")
    func several() throws {
        let folder = try TemporaryFolder()
        let part = folder.path + "/part.json"
        #expect(try Tool.run(["cut", Tool.drive, part, "--from", "60", "--to", "120"]).status == 0)
        func firstTimes(_ more: [String]) throws -> [String: Double] {
            let lines = try Self.lines([Tool.drive, part, "speed"] + more)
            return Dictionary(uniqueKeysWithValues: lines.map { ($0.trace, $0.points.first?.x ?? .nan) })
        }
        let shared = try firstTimes([])
        let name = (Tool.drive as NSString).lastPathComponent
        #expect(shared.count == 2)
        #expect(abs((shared["part.json"] ?? 0) - (shared[name] ?? 0) - 60) < 1.5)
        let separate = try firstTimes(["--align", "start"])
        #expect(abs((separate["part.json"] ?? 9) - (separate[name] ?? 0)) < 1.5)
        let picture = try Self.svg([Tool.drive, part, "track", "speed"])
        #expect(picture.lines(of: "speed").map(\.trace) == [0, 1])
        #expect(picture.lines(of: "track").map(\.trace) == [0, 1])
    }

    @Test("The output of a replay is drawn over the recording with the same values", arguments: [true, false])
    func received(isExpectation: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/before.json"
        if isExpectation {
            let made = try Tool.run(["replay", Tool.sixPoses, "device-motion", "--expect", path, "--update-expected"])
            #expect(made.status == 0)
        } else {
            try Tool.run(["replay", Tool.sixPoses, "device-motion", "--json"]).bytes.write(
                to: URL(fileURLWithPath: path))
        }
        let lines = try Self.lines([Tool.sixPoses, path, "attitude"])
        #expect(Set(lines.map(\.trace)) == ["six-poses.trace", "before.json"])
        #expect(
            lines.map(\.chart) == [
                "attitude.roll", "attitude.roll", "attitude.pitch", "attitude.pitch", "attitude.yaw", "attitude.yaw",
            ])
        for (now, before) in zip(lines, lines.dropFirst()) where now.chart == before.chart {
            #expect(now.points.map(\.x) == before.points.map(\.x))
            #expect(zip(now.points, before.points).allSatisfy { abs($0.y - $1.y) < 1e-9 })
        }
        // Lines that are not callbacks are reported, and the rest is drawn.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"callback\":\"deviceMotion\",\n[1]\n\u{0}\n".utf8))
        try Tool.expect(["plot", Tool.sixPoses, path, "attitude", "-o", "-"], 0, "3 lines are not callbacks")
        try Tool.expect(["plot", path, "track", "-o", "-"], 69, "has no track")
    }

    @Test("Faults change the drawing and are marked")
    func faults() throws {
        let arguments = [Tool.drive, "speed", "--fault", "nofix@60s+30s", "--seed", "1"]
        let line = try #require(try Self.lines(arguments).first)
        #expect(!line.points.contains { $0.x > 62 && $0.x < 88 })
        let picture = try Self.svg(arguments)
        #expect(picture.text.contains("data-fault=\"nofix@60.0s+30.0s\""))
        #expect(picture.text.contains("class=\"gap\""))
        // The recording itself contains another gap.
        #expect(try #require(picture.lines(of: "speed").first).strokes == 3)
    }

    @Test("With several recordings, a fault is marked at its time in each recording")
    func faultsOfSeveral() throws {
        let folder = try TemporaryFolder()
        let part = folder.path + "/part.json"
        #expect(try Tool.run(["cut", Tool.drive, part, "--from", "60", "--to", "120"]).status == 0)
        let picture = try Self.svg([Tool.drive, part, "track", "speed", "--fault", "nofix@20s+10s", "--seed", "1"])
        let marks = picture.text.components(separatedBy: "class=\"fault strip\" data-fault=\"").dropFirst()
        #expect(marks.count == 2 && marks.contains { $0.hasPrefix("nofix@20.0s+10.0s, part.json") }, "\(marks)")
        // Each track has its own mark.
        #expect(picture.text.components(separatedBy: "class=\"fault way\" data-fault").count - 1 == 2)
        let markPositions = marks.compactMap { mark in
            mark.components(separatedBy: " x=\"").dropFirst().first.flatMap { Double($0.prefix { $0 != "\"" }) }
        }.sorted()
        let axis = try #require(picture.text.components(separatedBy: "data-name=\"speed\" data-x=\"").last)
        let ends = axis.prefix { $0 != "\"" }.split(separator: " ").compactMap { Double($0) }
        try #require(markPositions.count == 2 && ends.count == 4)
        // The part starts a minute later.
        #expect(abs((markPositions[1] - markPositions[0]) / (ends[1] - ends[0]) * (ends[3] - ends[2]) - 60) < 1)
    }

    @Test("A value reported with every fourth position is drawn without gaps")
    func partly() throws {
        let reports = (0..<40).map { second in
            let altitude = second % 4 == 0 ? ",\"altMSL\":\(500 + second)" : ""
            return """
                {"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"2026-05-01T10:00:\(second < 10 ? "0" : "")\(second).000Z",\
                "lat":48.1,"lon":11.5\(altitude)}

                """
        }
        let result = try Tool.run(["plot", "-", "altitude", "--json"], input: Data(reports.joined().utf8))
        let line = try #require(try Tool.objects(result).first, "\(result.notes)")
        let strokes = try #require(line["strokes"] as? [[[Double]]])
        #expect(strokes.map(\.count) == [10])
    }

    @Test("Values out of range are dropped")
    func impossible() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/headings.json"
        let lines = ["1e50", "12.5", "-1e300"].enumerated().map { second, heading in
            "{\"callback\":\"heading\",\"timestamp\":\(second),\"magneticHeading\":\(heading),\"trueHeading\":-1,\"headingAccuracy\":5}\n"
        }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Self.lines([path, "heading"]).map { $0.points.map(\.y) } == [[12.5]])
    }

    // MARK: Every recording

    static let recordings: [String] = {
        let files = FileManager.default.enumerator(atPath: Tool.traces)?.compactMap { $0 as? String } ?? []
        let endings = ["chk", "csv", "trace", "json", "xml", "umockdev", "jsonl"]
        return files.filter { endings.contains(($0 as NSString).pathExtension) && !$0.hasSuffix(".values.json") }
            .sorted()
    }()

    /// True for recordings without drawable data: accessories, descriptions of devices and a dialogue.
    private static func isEmpty(_ name: String) -> Bool {
        name.hasPrefix("udev/") || name.hasPrefix("iio/") && !name.hasSuffix(".csv")
    }

    @Test("Every recording is drawn, or the reason is reported", arguments: recordings)
    func everyRecording(name: String) throws {
        var arguments = ["plot", Tool.traces + "/" + name, "-o", "-"]
        if name.hasPrefix("steps/") { arguments += Self.columns(name) }
        let result = try Tool.run(arguments)
        if Self.isEmpty(name), result.status != 0 {
            #expect([65, 66, 69].contains(result.status))
            #expect(result.notes.contains("sensorctl: error: "), "\(result.notes)")
            #expect(result.output.isEmpty)
            return
        }
        if result.status != 0 {
            // A test recording without a fix.
            #expect(result.status == 69 && name.contains("nofix"), "\(result.status) \(result.notes)")
            return
        }
        let picture = try PlotPicture(result.output)
        #expect(picture.charts > 0)
        #expect(result.bytes.count < 1_500_000)
        for word in [">nan<", ">inf<", "nan,", "inf,", "Mnan", ",nan", "\"nan", "\"inf"] {
            #expect(!picture.text.lowercased().contains(word), "\(word)")
        }
    }

    /// Returns the column option for tables of steps, which do not name their columns.
    private static func columns(_ name: String) -> [String] {
        let unit = name.contains("/ms_") ? "-mg" : "cm/s^2"
        return ["--columns", ["x", "y", "z"].map { "accel.\($0)=a\($0):\(unit)," }.joined() + "period=0.02"]
    }

    // MARK: Files

    @Test("A page contains its numbers and its script, loads nothing and escapes names")
    func page() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/<img src=x onerror=alert(1)>.json"
        try FileManager.default.copyItem(atPath: Tool.drive, toPath: path)
        let result = try Tool.run(["plot", path, "-o", "-", "--format", "html"])
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("<!DOCTYPE html>"))
        #expect(!result.output.contains("<img"))
        for word in ["src=", "href=", "url(", "@import", "fetch("] {
            #expect(!result.output.contains(word) || word == "src=")
        }
        let parts = result.output.components(separatedBy: "id=\"numbers\">")
        let numbers = try #require(parts.last?.components(separatedBy: "</script>").first)
        let list = try #require(try JSONSerialization.jsonObject(with: Data(numbers.utf8)) as? [[String: Any]])
        #expect(list.contains { $0["chart"] as? String == "speed" })
    }

    @Test("A file is replaced only with `--overwrite`, and the recording is never replaced")
    func existing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out.svg"
        #expect(try Tool.run(["plot", Tool.drive, "speed", "-o", path]).status == 0)
        let former = try String(contentsOfFile: path, encoding: .utf8)
        try Tool.expect(["plot", Tool.drive, "track", "-o", path], 73, "--overwrite")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == former)
        #expect(try Tool.run(["plot", Tool.drive, "track", "-o", path, "--overwrite"]).status == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) != former)
        let copy = folder.path + "/drive.json"
        try FileManager.default.copyItem(atPath: Tool.drive, toPath: copy)
        let over = try Tool.run(["plot", copy, "-o", copy, "--format", "svg", "--overwrite"])
        #expect(over.status == 64)
        #expect(FileManager.default.contentsEqual(atPath: copy, andPath: Tool.drive))
        try Tool.expect(["plot", Tool.drive, "-o", folder.path + "/no/out.svg"], 73, "does not exist")
    }

    @Test("A PNG is made with an installed converter; otherwise, the message names the package to install")
    func png() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/out.png"
        let without = try Tool.run(["plot", Tool.drive, "speed", "-o", path], environment: ["PATH": folder.path])
        #expect(without.status == 69)
        #expect(without.notes.contains("apt install librsvg2-bin"))
        #expect(!FileManager.default.fileExists(atPath: path))
        // A converter that fails, and one that exits before it reads its input.
        let fake = folder.path + "/rsvg-convert"
        for script in ["/bin/cat >/dev/null; exit 3", "echo no picture"] {
            let failed = try Self.plot(by: script, fake, path)
            #expect(failed.status == 69 && failed.notes.contains("did not produce a PNG"), "\(failed.notes)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        // The message and the exit status or signal of the converter are reported.
        let complaints = try Self.plot(by: "echo out of ink >&2; exit 3", fake, path)
        #expect(complaints.notes.contains("out of ink") && complaints.notes.contains("exit status 3"))
        let killed = try Self.plot(by: "kill -9 $$", fake, path)
        #expect(killed.status == 69 && killed.notes.contains("ended by signal 9"), "\(killed.notes)")
        // A directory is not accepted as a converter.
        try FileManager.default.removeItem(atPath: fake)
        try FileManager.default.createDirectory(atPath: fake, withIntermediateDirectories: false)
        let none = try Tool.run(["plot", Tool.drive, "speed", "-o", path], environment: ["PATH": folder.path])
        #expect(none.status == 69 && none.notes.contains("apt install librsvg2-bin"), "\(none.notes)")
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/rsvg-convert") else {
            return print("skipped: rsvg-convert is not installed, so that no PNG can be made (librsvg2-bin).")
        }
        #expect(try Tool.run(["plot", Tool.drive, "speed", "-o", path, "--dpi", "100"]).status == 0)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        // 190 mm are 748 pixels at 100 dpi.
        let width = bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
        #expect(abs(width - 748) <= 1)
    }

    /// Writes an executable shell script.
    private static func write(_ script: String, to program: String) throws {
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    }

    /// Plots with a shell script in place of `rsvg-convert`.
    private static func plot(by script: String, _ program: String, _ path: String) throws -> Tool.Result {
        try write(script, to: program)
        let folder = (program as NSString).deletingLastPathComponent
        return try Tool.run(["plot", Tool.drive, "speed", "-o", path], environment: ["PATH": folder])
    }

    @Test("A signal ends the plot and the converter, which runs at the same priority")
    func endWhileConverting() throws {
        let folder = try TemporaryFolder()
        let (path, about) = (folder.path + "/out.png", folder.path + "/about")
        // Field 19 of /proc/PID/stat is the nice value.
        let script = """
            echo $$ >'\(about)'
            for who in self $PPID; do /usr/bin/cut -d ' ' -f 19 /proc/$who/stat >>'\(about)'; done
            kill -TERM $PPID
            exec /bin/sleep 600
            """
        try Self.write(script, to: folder.path + "/rsvg-convert")
        let result = try Tool.shell(
            "PATH=$1 exec /usr/bin/nice -n 7 $0 plot $2 speed -o $3", [folder.path, Tool.drive, path])
        #expect(result.status == 0 && result.notes.isEmpty, "\(result.notes)")
        #expect(!FileManager.default.fileExists(atPath: path))
        let words = try String(contentsOfFile: about, encoding: .utf8).split(separator: "\n").compactMap { Int32($0) }
        try #require(words.count == 3)
        #expect(kill(words[0], 0) != 0)
        #expect(words[1] == words[2])
    }

    // MARK: Errors

    @Test("A stream that cannot be drawn is reported with the streams of the recording")
    func missing() throws {
        let heading = try Tool.run(["plot", Tool.drive, "heading", "-o", "-"])
        #expect(heading.status == 69)
        #expect(heading.notes.contains("has no heading") && heading.notes.contains("magnetometer"), "\(heading.notes)")
        #expect(heading.output.isEmpty)
        try Tool.expect(["plot", Tool.csv("shake"), "track", "-o", "-"], 69, "has no track")
        try Tool.expect(["plot", Tool.drive, "accessories", "-o", "-"], 64, "accessories cannot be plotted")
        try Tool.expect(["plot", Tool.traces + "/udev/weigh-scale.trace", "-o", "-"], 69, "nothing to plot")
        // If only one of two recordings has the stream, it is drawn with a note about the other.
        try Tool.expect(["plot", Tool.drive, Tool.csv("shake"), "speed", "-o", "-"], 0, "has no speed")
    }

    @Test(
        "Invalid arguments result in status 64 and a message",
        arguments: [
            ["-o", "x.svg"], [Tool.drive], [Tool.drive, "-o", "x.pdf"], [Tool.drive, "-o", "-", "--json"],
            ["-", "-", "-o", "x.svg"], [Tool.drive, "-o", "x.png", "--dpi", "0"],
            [Tool.drive, "-o", "x.svg", "--loop", "forever"],
            Array(repeating: Tool.drive, count: 8) + ["-o", "x.svg"],
        ])
    func usage(arguments: [String]) throws {
        let result = try Tool.run(["plot"] + arguments)
        #expect(result.status == 64)
        #expect(result.notes.hasPrefix("Error: "))
        #expect(!FileManager.default.fileExists(atPath: "x.svg"))
    }

    // MARK: Suggestions

    @Test("Without arguments, sensorctl suggests three commands that exist")
    func nextSteps() throws {
        let result = try Tool.run([])
        #expect(result.status == 0 && result.notes.isEmpty)
        // Each command has a description above it.
        let lines = result.lines.filter { $0.hasPrefix("  ") }
        let commands = lines.filter { !$0.hasPrefix("  #") }.map { $0.split(separator: " ").map(String.init) }
        #expect(commands.count == 3 && lines.count == 6)
        for command in commands {
            #expect(command.first == Tool.path)
            #expect(try Tool.run(["help", command[1]]).status == 0)
        }
    }
}
