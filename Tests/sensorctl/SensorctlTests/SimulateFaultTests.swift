// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

/// A recorder under `simulate` records the events and the errors that it receives.
@Suite("sensorctl simulate TRACE... with faults", .toolIsBuilt, .waiting, .timeLimit(.minutes(10)))
struct SimulateFaultTests {
    /// An event that the recorder wrote, as JSON.
    private typealias Event = [String: Any]

    private static let header =
        #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-01-01T00:00:00Z","boot":100}}"#

    /// One position per second.
    private static func fixes(_ count: Int) -> [String] {
        (0..<count).map { second in
            #"{"t":\#(second),"gpsd":{"class":"TPV","device":"/dev/ttyS1","mode":3,"time":"\#(time(second))","lat":48.25,"lon":11.5,"eph":5}}"#
        }
    }

    private static func time(_ second: Int) -> String {
        "2026-01-01T00:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).000Z"
    }

    /// Readings at 50 Hz with a steadily increasing value.
    private static let readings = (0..<3000).map {
        #"{"t":\#(Double($0) / 50),"accelerometer":[\#(Double($0) / 1000),0,9.75]}"#
    }

    /// Runs a recorder on the trace with the faults until its events satisfy the condition, then ends both.
    private static func record(
        _ lines: [String], _ part: String, _ options: [String], until isEnough: ([Event]) -> Bool
    ) throws -> [Event] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.trace"
        try Data(([header] + lines).map { "\($0)\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
        let recorder = [try #require(Tool.path), "record", "-", "--parts", part]
        let tool = try RunningTool(
            ["simulate", path] + options + ["--"] + recorder, environment: ["TMPDIR": folder.path])
        var events: [Event] = []
        while !isEnough(events), let line = tool.nextLine() {
            events.append(try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Event, "\(line)"))
        }
        #expect(isEnough(events), "\(events.suffix(3))")
        #expect(tool.end() == 0)
        return events
    }

    private static func position(_ event: Event) -> Event? {
        guard let report = event["gpsd"] as? Event, report["class"] as? String == "TPV" else { return nil }
        return report
    }

    /// The second of a fix, or nil for other events.
    private static func second(_ event: Event) -> Int? {
        guard let time = position(event)?["time"] as? String else { return nil }
        return (0..<600).first { self.time($0) == time }
    }

    private static func reading(_ event: Event) -> [Double]? { event["accelerometer"] as? [Double] }

    @Test("Fixes are missing during `nofix`, and the receiver's clock is wrong after `clockstep`")
    func positions() throws {
        let events = try Self.record(
            Self.fixes(30), "position", ["--speed", "10", "--fault", "nofix@5s+5s,clockstep=100s@20s"]
        ) { events in events.last.flatMap(Self.second) == 129 }
        let reports = events.compactMap(Self.position)
        #expect(reports.compactMap { $0["time"] as? String } == (0..<20).map(Self.time) + (120..<130).map(Self.time))
        let modes = reports.compactMap { $0["mode"] as? Int }
        #expect(modes == (0..<30).map { (5..<10).contains($0) ? 1 : 3 })
        #expect(reports.map { $0["lat"] as? Double } == modes.map { $0 == 3 ? 48.25 : nil })
    }

    @Test(
        "A gpsd server that stops and restarts is reported as lost and regained",
        arguments: [["--fault", "loss(gpsd)@3s+3s"], ["--gpsd-fault", "kill@3s,restart@6s"]])
    func loss(options: [String]) throws {
        let events = try Self.record(Self.fixes(90), "position", ["--speed", "4"] + options) { events in
            guard let back = events.firstIndex(where: { $0["regained"] != nil }) else { return false }
            return events[back...].contains { Self.second($0) != nil }
        }
        let lost = try #require(events.firstIndex { $0["lost"] != nil })
        let regained = try #require(events.firstIndex { $0["regained"] != nil })
        #expect(lost < regained)
        #expect(events[..<lost].contains { Self.second($0) != nil })
        #expect(!events[lost..<regained].contains { Self.second($0) != nil })
        if options.first == "--fault" {
            #expect(events[..<lost].compactMap(Self.second) == [0, 1, 2])
            #expect(events[regained...].compactMap(Self.second).allSatisfy { $0 >= 6 })
        }
    }

    @Test(
        "A sensor is stuck and disturbed from the time of the fault",
        .enabled(if: Tool.readsSensors, "built without libiio"))
    func readings() throws {
        let events = try Self.record(
            Self.readings, "motion",
            ["--speed", "4", "--fault", "stuck(accelerometer.x)@2s,disturb=0/0.5/0(accelerometer)@2s"]
        ) { events in events.compactMap(Self.reading).count { $0[1] > 0.25 } >= 60 }
        let readings = events.compactMap(Self.reading)
        let start = try #require(readings.firstIndex { $0[1] > 0.25 })
        // Reading 100 is at 2 s. One second later, an axis that is not stuck would read 0.15.
        #expect(readings[..<start].allSatisfy { $0[0] < 0.0995 && abs($0[1]) < 0.0005 })
        #expect(readings[start...].allSatisfy { abs($0[0] - 0.1) < 0.0005 && abs($0[1] - 0.5) < 0.0005 })
        #expect(readings.allSatisfy { abs($0[2] - 9.75) < 0.0005 })
    }

    @Test(
        "A removed sensor is reported as lost", .enabled(if: Tool.readsSensors, "built without libiio"),
        arguments: [["--fault", "loss(accelerometer)@1s"], ["--iio-fault", "unplug@1s"]])
    func sensor(options: [String]) throws {
        let events = try Self.record(Self.readings, "motion", options) { events in
            events.contains { $0["lost"] != nil && $0["sensor"] != nil }
        }
        #expect(events.contains { Self.reading($0) != nil })
    }

    @Test("An unplugged accessory is reported as detached")
    func accessory() throws {
        let attach = #"{"t":0.5,"attach":{"id":"1","name":"Scale","serial":"7","protocols":["com.example.scale"]}}"#
        let events = try Self.record(
            [attach] + Self.fixes(30).suffix(28), "accessories", ["--speed", "4", "--fault", "unplug(1)@4s"]
        ) { events in events.contains { $0["detach"] != nil } }
        let attached = try #require(events.firstIndex { ($0["attach"] as? Event)?["name"] as? String == "Scale" })
        #expect(try #require(events.firstIndex { $0["detach"] != nil }) > attached)
    }
}
