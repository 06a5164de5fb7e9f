// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import SimulatedDevice
import Testing
import Trace

@Suite("Expected callbacks", .timeLimit(.minutes(30)))
struct ExpectationTests {
    private static let header = #"{"format":"device-services-expectations","version":1"#

    private static func expected(_ members: String, _ lines: [String]) throws -> ExpectedCallbacks {
        let text = ([header + members + "}"] + lines).joined(separator: "\n") + "\n"
        return try ExpectedCallbacks(bytes: Array(text.utf8), name: "drive.expected")
    }

    /// Returns the first difference between `got` and the expected `lines`, with `tolerances` in JSON.
    private static func difference(
        _ got: [String], from lines: [String], tolerances: String = "{}"
    ) throws -> CallbackDifference? {
        var comparison = CallbackComparison(try expected(#","tolerances":"# + tolerances, lines))
        for line in got where try !comparison.compare(Array(line.utf8)) { return comparison.difference }
        try comparison.finish()
        return comparison.difference
    }

    @Test("An encoded callback list decodes to the same expectations")
    func roundTrip() throws {
        var callbacks = CallbackList(
            options: ["stream": "location"], tolerances: ["course": FieldTolerance(absolute: 0.5, circle: 360)])
        callbacks.add("location", ["latitude": .number(48.1), "course": .number(-1), "name": .text("a \"b\"\n")])
        callbacks.add("none", [:])
        let expected = try ExpectedCallbacks(bytes: callbacks.bytes, name: "x")
        #expect(expected.options == ["stream": "location"])
        #expect(expected.tolerances == ["course": FieldTolerance(absolute: 0.5, circle: 360)])
        #expect(try callbacks.difference(from: expected) == nil)
        #expect(
            String(decoding: callbacks.bytes, as: UTF8.self) == """
                {"format":"device-services-expectations","version":1,"options":{"stream":"location"},\
                "tolerances":{"course":{"absolute":0.5,"circle":360.0}}}
                {"callback":"location","latitude":48.1,"course":-1.0,"name":"a \\"b\\"\\n"}
                {"callback":"none"}

                """)
    }

    @Test("A difference reports its line, field, values, tolerance and the preceding callbacks")
    func namesTheDifference() throws {
        let valid = (1...5).map { #"{"callback":"fix","locations":[{"latitude":\#($0),"speed":2.5}]}"# }
        var differing = valid
        differing[4] = #"{"callback":"fix","locations":[{"latitude":5.25,"speed":9}]}"#
        let difference = try #require(
            try Self.difference(differing, from: valid, tolerances: #"{"latitude":{"absolute":0.125,"relative":0.01}}"#)
        )
        #expect(difference.line == 6)
        #expect(difference.number == 5)
        #expect(difference.callback == "fix")
        #expect(difference.field == "locations[0].latitude")
        #expect(difference.expected == .number(5))
        #expect(difference.got == .number(5.25))
        #expect(difference.distance == 0.25)
        #expect(difference.context == Array(valid[1...3]))
        #expect(
            difference.description == """
                drive.expected, line 6: callback 5, fix, differs in locations[0].latitude
                  expected   5.0
                  got        5.25
                  apart by   0.25
                  tolerance  0.125 or 0.01 times the expected value
                  previous callbacks, as expected:
                    \(valid[1])
                    \(valid[2])
                    \(valid[3])
                """)
    }

    @Test(
        "Numbers may differ by the tolerance of their field",
        arguments: [
            ("0.1", "0.1", "{}", true), ("0.1", "0.10000000000000002", "{}", false),
            ("5", "5.5", #"{"absolute":0.5}"#, true), ("5", "5.5", #"{"absolute":0.4}"#, false),
            ("200", "201", #"{"relative":0.005}"#, true), ("200", "202", #"{"relative":0.005}"#, false),
            // Angles wrap around at a full circle.
            ("359.9", "0.1", #"{"absolute":0.25,"circle":360}"#, true), ("359.9", "0.1", #"{"absolute":0.25}"#, false),
            ("3.125", "-3.125", #"{"absolute":0.04,"circle":6.283185307179586}"#, true),
            ("10", "190", #"{"absolute":179,"circle":360}"#, false),
            // A negative value means an unknown angle and does not match a nearby angle.
            ("-1", "359.5", #"{"absolute":5,"circle":360}"#, false),
            ("-1", "-1", #"{"absolute":5,"circle":360}"#, true),
            // null is not a number.
            ("null", "0", #"{"absolute":1e9}"#, false), ("null", "null", "{}", true),
            ("1e308", "-1e308", #"{"absolute":1}"#, false), ("true", "false", #"{"absolute":1}"#, false),
            // Times are compared in seconds.
            (#""2026-05-01T10:00:00.000Z""#, #""2026-05-01T10:00:00.25Z""#, #"{"absolute":0.5}"#, true),
            (#""2026-05-01T10:00:00.000Z""#, #""2026-05-01T10:00:01Z""#, #"{"absolute":0.5}"#, false),
            (#""portrait""#, #""faceUp""#, #"{"absolute":0.5}"#, false),
            // The elements of a list use the tolerance of its field.
            ("[1,2,3]", "[1,2,3.5]", #"{"absolute":0.5}"#, true), ("[1,2,3]", "[1,2,3.5]", "{}", false),
            ("[1,2,3]", "[1,2]", #"{"absolute":9}"#, false), ("[]", "[1]", #"{"absolute":9}"#, false),
        ])
    func tolerates(expected: String, got: String, tolerance: String, isEqual: Bool) throws {
        let difference = try Self.difference(
            [#"{"callback":"c","value":\#(got)}"#], from: [#"{"callback":"c","value":\#(expected)}"#],
            tolerances: #"{"value":\#(tolerance)}"#)
        #expect((difference == nil) == isEqual)
    }

    @Test("Rotations are compared by the angle between them, regardless of quaternion signs")
    func rotations() throws {
        // A rotation of 1° about z: (0, 0, sin 0.5°, cos 0.5°).
        let rotated = #"{"q":[0,0,0.008726535498373935,0.9999619230641713]}"#
        let from = [#"{"q":[0,0,0,1]}"#]
        #expect(try Self.difference([#"{"q":[0,0,0,-1]}"#], from: from, tolerances: #"{"q":{"rotation":0}}"#) == nil)
        #expect(try Self.difference([rotated], from: from, tolerances: #"{"q":{"rotation":1.001}}"#) == nil)
        let difference = try #require(
            try Self.difference([rotated], from: from, tolerances: #"{"q":{"rotation":0.999}}"#))
        #expect(difference.field == "q")
        #expect(abs(try #require(difference.distance) - 1) < 1e-9)
    }

    @Test("A tolerance for a path overrides one for a name, and field order is ignored")
    func paths() throws {
        let lines = [#"{"callback":"c","a":{"x":1},"b":{"x":1}}"#]
        let got = [#"{"b":{"x":2},"a":{"x":1.5},"callback":"c"}"#]
        #expect(
            try Self.difference(got, from: lines, tolerances: #"{"x":{"absolute":0.5},"b.x":{"absolute":1}}"#) == nil)
        let difference = try Self.difference(got, from: lines, tolerances: #"{"x":{"absolute":0.5}}"#)
        #expect(difference?.field == "b.x")
    }

    @Test("Missing and additional fields and callbacks are reported as differences")
    func missing() throws {
        let both = [#"{"callback":"c","a":1,"b":2}"#, #"{"callback":"d"}"#]
        let withoutCallback = try Self.difference([#"{"callback":"c","a":1}"#], from: both)
        #expect(withoutCallback?.field == "b" && withoutCallback?.expected == .number(2) && withoutCallback?.got == nil)
        let more = try Self.difference([#"{"callback":"c","a":1,"b":2,"e":3}"#], from: both)
        #expect(more?.field == "e" && more?.expected == nil && more?.got == .number(3))
        let early = try Self.difference([both[0]], from: both)
        #expect(early?.line == 3 && early?.callback == "d" && early?.got == nil)
        #expect(early?.description.contains("is missing") == true)
        let late = try Self.difference(both + [both[0]], from: both)
        #expect(late?.line == 4 && late?.number == 3 && late?.expected == nil)
        #expect(late?.description.contains("follows the last") == true)
    }

    @Test("A run with different options is rejected, and the error names the option")
    func refusesOtherOptions() throws {
        let expected = try Self.expected(#","options":{"frame":"magnetic","interval":0.5}"#, [])
        try expected.check(options: ["frame": "magnetic", "interval": "0.5"])
        func sentence(_ options: [String: String]) -> String {
            do throws(DeviceError) {
                try expected.check(options: options)
                return ""
            } catch {
                return error.message
            }
        }
        #expect(
            sentence(["frame": "true", "interval": "0.5"]).hasPrefix(
                "drive.expected was created with frame magnetic, but this run has frame true."))
        #expect(sentence(["frame": "magnetic"]).contains("with interval 0.5, but this run has none"))
        #expect(
            sentence(["frame": "magnetic", "interval": "0.5", "seed": "1"]).contains(
                "without seed, but this run has seed 1"))
    }

    /// Invalid texts and the line of each error.
    private static let noLists: [(String, Int)] = [
        ("", 1), ("\n\n", 1), ("\0\0\0\0", 1), ("{}", 1), ("[1]", 1), (#"{"format":"device-services-trace"}"#, 1),
        (#"{"format":"device-services-expectations"}"#, 1),
        (#"{"format":"device-services-expectations","version":2}"#, 1),
        (header + #","tolerances":{"a":3}}"#, 1),
        (header + #","tolerances":{"a":{"absolute":-1}}}"#, 1),
        (header + #","tolerances":{"a":{"circle":0}}}"#, 1),
        (header + #","tolerances":{"a":{"abs":1}}}"#, 1),
        (header + #","options":{"a":[1]}}"#, 1),
        (header + #","options":7}"#, 1),
        ("\(header)}\n{\"a\":1}\nno callback", 3), ("\(header)}\n\n\n[1]", 4), ("\(header)}\n{\"a\":\0}", 2),
        ("\(header)}\n{\"a\":1e", 2), ("\(header)}\n{\"a\":\(String(repeating: "[", count: 99_999))", 2),
        ("\(header)}\n{\"a\":\"\(String(repeating: "x", count: 1 << 20))\"}", 2),
    ]

    @Test("An invalid callback list yields one error with its line number", arguments: noLists)
    func hostile(text: String, line: Int) throws {
        do throws(DeviceError) {
            var comparison = CallbackComparison(try ExpectedCallbacks(bytes: Array(text.utf8), name: "x"))
            while try comparison.compare(Array(#"{"a":1}"#.utf8)) {}
            // An object with other fields would be a difference, not an error.
            Issue.record("\(comparison.difference.map(\.description) ?? "equal")")
        } catch {
            #expect(error.code == .invalidTrace)
            #expect(error.message.hasPrefix("x, line \(line)"), "\(error.message.prefix(200))")
            #expect(error.message.utf8.count < 1000)
        }
    }

    @Test("A truncated literal in a list throws an error")
    func cutWord() throws {
        let text = #"{"format":"device-services-expectations","version":1}"# + "\n{\"a\":[0,n\":180}"
        var comparison = CallbackComparison(try ExpectedCallbacks(bytes: Array(text.utf8), name: "x"))
        #expect(throws: DeviceError.self) { try comparison.compare(Array(#"{"a":1}"#.utf8)) }
    }

    @Test("An object with too many fields is rejected")
    func manyFields() throws {
        let fields = (0..<5000).map { "\"f\($0)\":0" }.joined(separator: ",")
        #expect(throws: DeviceError.self) { try Self.difference([#"{"a":1}"#], from: ["{\(fields)}"]) }
    }

    @Test("Writing a callback list replaces the file atomically and leaves no temporary file")
    func replaces() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var callbacks = CallbackList()
        callbacks.add("c", ["x": .number(1)])
        let path = folder + "/x.expected"
        #expect(throws: DeviceError.self) { try callbacks.write(to: path) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try callbacks.write(to: path)
        callbacks.add("d", [:])
        try callbacks.write(to: path)
        #expect(try ExpectedCallbacks(path: path).options.isEmpty)
        #expect(try callbacks.difference(from: ExpectedCallbacks(path: path)) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["x.expected"])
    }

    @Test("A scaled axis is detected at its first reading outside the tolerance")
    func findsScaledAxis() throws {
        func callbacks(scale: Double) throws -> CallbackList {
            let events = (0..<20).map { #"{"t":\#($0),"gyroscope":[0.5,\#(Double($0) * 0.1 * scale),-0.25]}"# }
            let file = try Drive.file([MotionPlaybackTests.start + "}"] + events)
            let device = SimulatedDevice(file)
            let log = ValueLog<MotionBatch>()
            let subscription = device.device.motionSource.subscribe(MotionRequest(kind: .gyroscope)) { event in
                if case .samples(let batch) = event { log.add(batch) }
            }
            playSynchronously(device)
            subscription.cancel()
            var list = CallbackList(tolerances: ["rate": FieldTolerance(absolute: 0.01)])
            for batch in log.all {
                for (value, time) in zip(batch.values, batch.times) {
                    let rate = [value.x, value.y, value.z].map { CallbackValue.number($0) }
                    list.add("gyroscope", ["time": .number(time.seconds), "rate": .list(rate)])
                }
            }
            return list
        }
        let expected = try ExpectedCallbacks(bytes: try callbacks(scale: 1).bytes, name: "gyroscope.expected")
        #expect(try callbacks(scale: 1).difference(from: expected) == nil)
        #expect(try callbacks(scale: 1.001).difference(from: expected) == nil)
        // 1.9 % of 0.6 rad/s, the seventh reading, is 0.0114 rad/s. 1.9 % of 0.5 rad/s is 0.0095 rad/s.
        let difference = try #require(try callbacks(scale: 1.019).difference(from: expected))
        #expect(difference.callback == "gyroscope")
        #expect(difference.field == "rate[1]")
        #expect(difference.number == 7)
        #expect(difference.line == 8)
    }
}
