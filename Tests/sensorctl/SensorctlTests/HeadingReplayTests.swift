// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("sensorctl replay of headings", .toolIsBuilt, .waiting)
struct HeadingReplayTests {
    @Test("A line has exactly the keys that were promised, in their order")
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

    @Test("A board that lies flat with its top edge to the north has heading 0, its right edge 90")
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
        // Nothing in the recording says where it was made.
        #expect(last.object["trueHeading"] as? Double == -1)
        #expect(distance(last.vector, [0, 20, -43]) < 1)
        #expect(try Tool.run(["replay", path, "heading", "--orientation", "faceUp"]).status == 64)
    }

    @Test("The same file twice gives the same bytes, and times are the file's own")
    func repetition() throws {
        let path = Tool.csv("spin-flat-90dps")
        let first = try Tool.run(["replay", path, "heading", "--json"])
        #expect(first.output == (try Tool.run(["replay", path, "heading", "--json"])).output)
        let times = Set(try Tool.readings(path, "magnetometer").map(\.timestamp))
        for heading in try MotionLine.all(first.lines) { #expect(times.contains(heading.timestamp)) }
        let turned = try Tool.readings(Tool.sixPoses, "heading")
        // That trace begins 100 s after boot.
        #expect(turned.allSatisfy { $0.timestamp < 12 })
    }

    @Test("Headings are thinned out to the interval")
    func interval() throws {
        let headings = try Tool.readings(Tool.csv("spin-flat-90dps"), "heading", ["--interval", "0.5"])
        // 8 s.
        #expect((15...17).contains(headings.count))
    }

    @Test("Printed for people, a line has the direction, and no true heading where the place is not known")
    func lines() throws {
        let result = try Tool.run(["replay", Tool.csv("flat-face-up"), "heading"])
        let words = try #require(result.lines.last).split(whereSeparator: \.isWhitespace)
        #expect(words.contains("N") && words.contains("magnetic") && words.contains("true") && words.contains("µT"))
    }

    @Test("Before the device has been turned it says what to do, and how far it has come")
    func advice() throws {
        let demand = "The device's own magnetism is not known yet: turn it once around, and tip it over."
        let lying = try Tool.run(["replay", Tool.csv("flat-face-up"), "heading"])
        #expect(lying.lines.count { $0.contains("no heading: \(demand)") } == 1, "\(lying.lines.prefix(5))")
        let json = try Tool.run(["replay", Tool.csv("flat-face-up"), "heading", "--json"])
        #expect(json.notes.contains("heading: \(demand)"))
        // This one lies still for ten seconds, and is turned then.
        let slow = Tool.traces + "/broad/broad_03_undisturbed_slow_rotation_C.csv"
        let turned = try Tool.run(["replay", slow, "heading"])
        let advice = turned.lines.filter { $0.contains("no heading: ") }
        #expect(advice.contains { $0.contains(" of 12 directions; up was the face") }, "\(advice)")
        #expect(turned.lines.last?.contains("no heading") == false)
    }

    @Test("A recording without a magnetometer says what it holds")
    func missing() throws {
        let text = "t,gx,gy,gz,ax,ay,az\n0,0,0,0,0,0,9.8\n0.01,0,0,0,0,0,9.8\n"
        let result = try Tool.run(["replay", "-", "heading", "--json"], input: Data(text.utf8))
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.notes.contains("no readings of a magnetometer; it holds accelerometer, gyro."))
    }
}
