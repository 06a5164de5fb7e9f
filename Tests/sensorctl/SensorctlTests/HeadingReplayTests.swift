// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl replay of headings", .toolIsBuilt, .waiting)
struct HeadingReplayTests {
    @Test("A line has exactly the documented keys in order")
    func keys() throws {
        let result = try Tool.run(["replay", Tool.csv("spin-flat-90dps"), "heading", "--json"])
        #expect(result.status == 0)
        #expect(result.lines.count > 100)
        for line in result.lines {
            let words = line.split(separator: "\"").map(String.init)
            let keys = stride(from: 1, to: words.count, by: 2).map { words[$0] }
            #expect(
                keys == [
                    "callback", "heading", "timestamp", "magneticHeading", "trueHeading", "headingAccuracy", "x", "y",
                    "z",
                ])
        }
    }

    @Test("A flat board that points north has a heading of 0° to 270°, depending on the orientation")
    func flat() throws {
        let path = Tool.csv("flat-face-up")
        for (orientation, expected) in [
            ("portrait", 0.0), ("landscapeleft", 90), ("portraitUpsideDown", 180), ("landscapeRight", 270),
        ] {
            let headings = try Tool.readings(path, "heading", ["--orientation", orientation])
            let last = try #require(headings.last?.object["magneticHeading"] as? Double)
            #expect(abs((last - expected).remainder(dividingBy: 360)) < 1, "\(orientation)")
        }
        let last = try #require(try Tool.readings(path, "heading").last)
        // The recording contains no position.
        #expect(last.object["trueHeading"] as? Double == -1)
        #expect(distance(last.vector, [0, 20, -43]) < 1)
        #expect(try Tool.run(["replay", path, "heading", "--orientation", "faceUp"]).status == 64)
    }

    @Test("Replaying a file twice gives the same bytes with the timestamps of the file")
    func repetition() throws {
        let path = Tool.csv("spin-flat-90dps")
        let first = try Tool.run(["replay", path, "heading", "--json"])
        #expect(first.output == (try Tool.run(["replay", path, "heading", "--json"])).output)
        let times = Set(try Tool.readings(path, "magnetometer").map(\.timestamp))
        for heading in try MotionLine.all(first.lines) { #expect(times.contains(heading.timestamp)) }
        let turned = try Tool.readings(Tool.sixPoses, "heading")
        // The trace starts 100 s after boot.
        #expect(turned.allSatisfy { $0.timestamp < 12 })
    }

    @Test("Headings are decimated to the interval")
    func interval() throws {
        let headings = try Tool.readings(Tool.csv("spin-flat-90dps"), "heading", ["--interval", "0.5"])
        // The recording lasts 8 s.
        #expect((15...17).contains(headings.count))
    }

    @Test("The text output contains the direction, and no true heading if the position is unknown")
    func lines() throws {
        let result = try Tool.run(["replay", Tool.csv("flat-face-up"), "heading"])
        let words = try #require(result.lines.last).split(whereSeparator: \.isWhitespace)
        #expect(words.contains("N") && words.contains("magnetic") && words.contains("true") && words.contains("µT"))
    }

    @Test("Until the device has been rotated, the output contains instructions and the progress")
    func advice() throws {
        let demand = "The magnetometer is not calibrated yet: turn the device around once, and turn it over."
        let lying = try Tool.run(["replay", Tool.csv("flat-face-up"), "heading"])
        #expect(lying.lines.count { $0.contains("no heading: \(demand)") } == 1, "\(lying.lines.prefix(5))")
        let json = try Tool.run(["replay", Tool.csv("flat-face-up"), "heading", "--json"])
        #expect(json.notes.contains("heading: \(demand)"))
        // The device lies still for ten seconds and is then rotated.
        let slow = Tool.traces + "/broad/broad_03_undisturbed_slow_rotation_C.csv"
        let turned = try Tool.run(["replay", slow, "heading"])
        let advice = turned.lines.filter { $0.contains("no heading: ") }
        #expect(advice.contains { $0.contains(" of 12 directions; sides that faced up: face") }, "\(advice)")
        #expect(turned.lines.last?.contains("no heading") == false)
    }

    @Test("A recording without a magnetometer is reported with the sensors that it contains")
    func missing() throws {
        let text = "t,gx,gy,gz,ax,ay,az\n0,0,0,0,0,0,9.8\n0.01,0,0,0,0,0,9.8\n"
        let result = try Tool.run(["replay", "-", "heading", "--json"], input: Data(text.utf8))
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.notes.contains("no readings of a magnetometer; it contains accelerometer, gyro."))
    }
}
