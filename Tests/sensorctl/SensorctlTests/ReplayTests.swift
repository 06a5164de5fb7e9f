// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl replay", .toolIsBuilt, .waiting)
struct ReplayTests {
    static let keys = [
        "timestamp", "latitude", "longitude", "altitude", "ellipsoidalAltitude", "horizontalAccuracy",
        "verticalAccuracy", "speed", "speedAccuracy", "course", "courseAccuracy",
    ]

    static let recordings =
        (try? FileManager.default.contentsOfDirectory(atPath: Tool.traces + "/gpsd"))?
        .filter { $0.hasSuffix(".chk") }.sorted() ?? []

    /// Returns the locations of all didUpdateLocations lines, in order.
    static func locations(_ lines: [String]) throws -> [[String: Any]] {
        try lines.flatMap { line -> [[String: Any]] in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return object["locations"] as? [[String: Any]] ?? []
        }
    }

    @Test("At least ten recordings are available")
    func recordingsAreThere() { #expect(Self.recordings.count >= 10) }

    @Test("Every fix of a recording is printed in order with equal numbers", arguments: Self.recordings)
    func equalsRecording(name: String) throws {
        let path = Tool.traces + "/gpsd/" + name
        let expected = try ExpectedFix.all(in: path)
        let result = try Tool.run(["replay", path, "--json", "--every-report", "location"])
        #expect(result.status == 0)
        let locations = try Self.locations(result.lines)
        try #require(locations.count == expected.count)
        for (location, fix) in zip(locations, expected) {
            for (key, value) in fix.numbers {
                let printed = (location[key] as? NSNumber)?.doubleValue
                if key == "horizontalAccuracy", !fix.hasAccuracy {
                    #expect(try #require(printed) >= 0)
                } else {
                    #expect(printed == value, "\(key)")
                }
            }
            if let time = fix.time { #expect(location["timestamp"] as? String == time) }
        }
    }

    @Test("Keys are in the documented order")
    func keyOrder() throws {
        let result = try Tool.run(["replay", Tool.drive, "location", "--json"])
        let line = try #require(result.lines.first { $0.contains("didUpdateLocations") })
        #expect(line.hasPrefix(#"{"callback":"didUpdateLocations","locations":[{"timestamp":""#))
        #expect(line.hasSuffix("}]}"))
        var rest = line[...]
        for key in Self.keys {
            let range = try #require(rest.range(of: "\"\(key)\":"), "\(key)")
            rest = rest[range.upperBound...]
        }
        #expect(!rest.contains("\":"))
    }

    @Test("Unknown values are null or Apple's invalid value")
    func unknownValues() throws {
        let report = #"{"class":"TPV","mode":2,"time":"2026-01-02T03:04:05.678901234Z","lat":0.1,"lon":-179.999999999}"#
        let result = try Tool.run(["replay", "-", "location", "--json"], input: Data((report + "\n").utf8))
        let expected =
            #"{"callback":"didUpdateLocations","locations":[{"timestamp":"2026-01-02T03:04:05.678901234Z","#
            + #""latitude":0.1,"longitude":-179.999999999,"altitude":null,"ellipsoidalAltitude":null,"#
            + #""horizontalAccuracy":100.0,"verticalAccuracy":-1.0,"speed":-1.0,"speedAccuracy":-1.0,"course":-1.0,"#
            + #""courseAccuracy":-1.0}]}"#
        #expect(result.lines.last == expected)
    }

    @Test("A loss of the position is an error callback with its reason")
    func loss() throws {
        let result = try Tool.run(["replay", Tool.drive, "location", "--json"])
        let failures = result.lines.filter { $0.contains("didFailWithError") }
        #expect(
            failures == [
                #"{"callback":"didFailWithError","error":{"domain":"kCLErrorDomain","code":0,"name":"locationUnknown","#
                    + #""reason":"The receiver /dev/synthetic0 has no fix. It needs a clear view of the sky and, "#
                    + #"after a cold start, a few minutes."}}"#
            ])
    }

    @Test("Options may precede or follow the stream")
    func argumentOrder() throws {
        let path = Tool.traces + "/gpsd/" + "humminbird-M37.log.chk"
        let behind = try Tool.run(["replay", path, "location", "--json", "--every-report"])
        let before = try Tool.run(["replay", path, "--json", "--every-report", "location"])
        #expect(behind.status == 0)
        #expect(!behind.output.isEmpty)
        #expect(behind.output == before.output)
    }

    @Test("A trace can be read from standard input")
    func standardInput() throws {
        let path = Tool.traces + "/gpsd/" + "isync.log.chk"
        let file = try Tool.run(["replay", path, "location", "--json"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let input = try Tool.run(["replay", "-", "location", "--json"], input: bytes)
        #expect(input.status == 0)
        #expect(!input.output.isEmpty)
        #expect(input.output == file.output)
    }

    @Test("A replay of a truncated file prints the beginning of the full output", arguments: [0.31, 0.5, 0.77, 0.9])
    func cutOff(share: Double) throws {
        let path = Tool.traces + "/gpsd/" + "ublox-8.log.chk"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let all = try Tool.run(["replay", path, "location", "--json", "--every-report"]).lines
        let cut = whole.prefix(Int(Double(whole.count) * share))
        let result = try Tool.run(["replay", "-", "location", "--json", "--every-report"], input: cut)
        #expect(result.status == 0)
        #expect(result.lines.count > 3)
        #expect(result.lines == Array(all.prefix(result.lines.count)))
    }

    @Test("Rebased timestamps start now and keep their intervals")
    func rebased() throws {
        let now = Date()
        let original = try Self.locations(try Tool.run(["replay", Tool.drive, "location", "--json"]).lines)
        let moved = try Self.locations(try Tool.run(["replay", Tool.drive, "location", "--json", "--rebase"]).lines)
        func seconds(_ location: [String: Any]) throws -> Double {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            // The style parses milliseconds. Further digits are cut off here.
            let text = try #require(location["timestamp"] as? String)
            return try style.parse(String(text.prefix(23)) + "Z").timeIntervalSince1970
        }
        try #require(original.count == moved.count)
        let first = try seconds(try #require(moved.first))
        #expect(abs(first - now.timeIntervalSince1970) < 60)
        let shift = try first - seconds(try #require(original.first))
        for (old, new) in zip(original, moved) { #expect(abs(try seconds(new) - seconds(old) - shift) < 0.002) }
    }

    @Test("Real-time playback takes time and gives the same output")
    func speed() throws {
        let path = Tool.traces + "/gpsd/" + "ublox-8.log.chk"
        let fast = try Tool.run(["replay", path, "location", "--json"])
        let start = ContinuousClock.now
        let timed = try Tool.run(["replay", path, "location", "--json", "--speed", "100"])
        // The trace lasts 71 s.
        #expect(ContinuousClock.now - start >= .milliseconds(700))
        #expect(timed.output == fast.output)
        #expect(try Tool.run(["replay", path, "location", "--json", "--speed", "max"]).output == fast.output)
    }

    @Test("Without `--json`, there is one line for each location")
    func table() throws {
        let path = Tool.traces + "/gpsd/" + "ublox-8.log.chk"
        let result = try Tool.run(["replay", path, "location", "--every-report"])
        #expect(result.lines.filter { $0.contains("°N") }.count == 76)
        #expect(!result.output.contains("\u{1B}"))
        #expect(result.output.contains("121.314271°W"))
    }

    @Test("Unreadable members of reports are reported after the replay")
    func damagedReports() throws {
        let reports = ["50.000", "\"50.001\"", "50.002"].map {
            "{\"class\":\"TPV\",\"mode\":2,\"lat\":\($0),\"lon\":8}\n"
        }
        let result = try Tool.run(["replay", "-", "location", "--json"], input: Data(reports.joined().utf8))
        #expect(try Self.locations(result.lines).count == 2)
        #expect(result.notes.contains("a member of a report cannot be read and was ignored"), "\(result.notes)")
    }
}
