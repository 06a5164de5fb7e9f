// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Dashboard

@Suite("sensorctl dashboard after a seek and at the end of a trace", .toolIsBuilt, .waiting)
struct DashboardPlaceTests {
    private static let name = "com.example.scale"

    /// Writes a trace of a header and the given lines.
    private static func trace(_ lines: [String], in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/made.trace"
        let header =
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00.000000000Z","boot":100.000000000},"clock":"CLOCK_BOOTTIME","devices":[],"sensors":[]}"#
        try Data(([header] + lines).map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func attach(_ id: String, at time: Double) -> String {
        #"{"t":\#(time),"attach":{"id":"\#(id)","name":"Scale","serial":"7","protocols":["\#(name)"]}}"#
    }

    private static func line(_ id: String, _ direction: String, at time: Double) -> String {
        #"{"t":\#(time),"\#(direction)":"12345\r\n","accessory":"\#(id)","protocol":"\#(name)"}"#
    }

    /// A trace of two identical scales for 200 s. One sends a line every second, the other receives a line every 20 s.
    private static func scales(in folder: TemporaryFolder) throws -> String {
        var lines = [attach("a", at: 0.2), attach("b", at: 0.4)]
        lines.append(#"{"t":0.5,"open":"\#(name)","accessory":"a"}"#)
        for second in 1...200 {
            lines.append(line("a", "in", at: Double(second)))
            if second % 20 == 10 { lines.append(line("b", "out", at: Double(second))) }
        }
        return try trace(lines, in: folder)
    }

    @Test("After a seek, each line of the preceding minute is shown once, and playback continues from there")
    func traffic() throws {
        let folder = try TemporaryFolder()
        let dashboard = try RunningDashboard([try Self.scales(in: folder)])
        let picture = DashboardPicture(try dashboard.page())
        func times(_ direction: String) -> [Int] {
            picture.traffic.filter { $0.direction == direction }.map { Int($0.time.rounded()) }
        }
        #expect(try picture.command(#""do":"pause""#) == "done")
        try picture.seek(130)
        #expect(times("received") == Array(70...130))
        #expect(times("sent") == [70, 90, 110, 130])
        try picture.wait(for: "the counts of that minute") { picture in
            picture.attached.map { $0["received"] as? Int } == [61 * 7, 0]
                && picture.attached.map { $0["sent"] as? Int } == [0, 4 * 7]
        }
        // Each line has the ID of its own accessory, although both have the same name. The users and connection times
        // from before that minute are kept.
        let ids = picture.attached.map { $0["id"] as? Int ?? -1 }
        #expect(picture.traffic.allSatisfy { $0.id == ($0.direction == "received" ? ids.first : ids.last) })
        #expect(picture.attached.map { $0["users"] as? [String] } == [[Self.name], [Self.name]])
        #expect(picture.attached.allSatisfy { ($0["since"] as? Double ?? 200) <= 70 })
        try picture.seek(80)
        #expect(times("received") == Array(20...80))
        _ = try picture.command(#""do":"speed","value":100"#)
        _ = try picture.command(#""do":"play""#)
        try picture.wait(for: "the end") { $0.playback["ended"] as? Bool == true }
        try picture.wait(for: "the last line") { $0.traffic.last?.time ?? 0 > 199.9 }
        #expect(times("received") == Array(20...200))
        // A page that connects later receives the same traffic.
        let later = DashboardPicture(try dashboard.page())
        try later.wait(for: "the beginning") { $0.ready != nil }
        #expect(later.traffic == picture.traffic)
        dashboard.end()
    }

    @Test("An accessory unplugged by hand returns when the fault is switched off, even after a seek")
    func unplug() throws {
        let folder = try TemporaryFolder()
        let dashboard = try RunningDashboard([try Self.scales(in: folder)])
        let picture = DashboardPicture(try dashboard.page())
        _ = try picture.command(#""do":"pause""#)
        try picture.seek(130)
        try picture.wait(for: "both scales") { $0.attached.count == 2 }
        #expect(try picture.command(#""do":"fault","fault":"unplug","on":true"#) == "done")
        _ = try picture.command(#""do":"step","by":0.1"#)
        try picture.wait(for: "no scale") { $0.attached.isEmpty }
        try picture.seek(150)
        try picture.wait(for: "no scale there either") { $0.attached.isEmpty }
        #expect(try picture.command(#""do":"fault","fault":"unplug","on":false"#) == "done")
        try picture.wait(for: "both scales again") { $0.attached.count == 2 && abs(($0.ready ?? 0) - 150) < 0.01 }
        try picture.wait(for: "what they say") { $0.traffic.last.map { abs($0.time - 150) < 0.01 } ?? false }
        dashboard.end()
    }

    @Test("After a seek, a region has the state and the time of its last border crossing")
    func regions() throws {
        let dashboard = try RunningDashboard([Tool.drive])
        let picture = DashboardPicture(try dashboard.page())
        _ = try picture.command(#""do":"pause""#)
        try picture.seek(5)
        let fix = try #require(picture.locations.first)
        let (latitude, longitude) = (
            try #require(fix["latitude"] as? Double), try #require(fix["longitude"] as? Double)
        )
        let members = #""id":"start","latitude":\#(latitude),"longitude":\#(longitude),"radius":100"#
        #expect(try picture.command(#""do":"region","add":{\#(members)}"#) == "done")
        for (position, state) in [(300.0, "outside"), (1, "inside"), (250, "outside")] {
            try picture.seek(position)
            try picture.wait(for: "\(state) at \(position)") { $0.region("start")?["state"] as? String == state }
            let since = try #require(picture.region("start")?["since"] as? Double)
            #expect((max(0, position - 60.5)...position).contains(since))
        }
        dashboard.end()
    }

    @Test("A trace of a single moment ends, even with `--loop`", arguments: [0, 1])
    func moment(_ count: Int) throws {
        let folder = try TemporaryFolder()
        let lines = count == 0 ? [] : [Self.attach("a", at: 0)]
        let dashboard = try RunningDashboard([try Self.trace(lines, in: folder), "--loop"])
        let picture = DashboardPicture(try dashboard.page())
        try picture.wait(for: "the end") { $0.playback["playing"] as? Bool == false || $0.clears > 20 }
        #expect(picture.clears == 0)
        try picture.wait(for: "what it has") { $0.attached.count == count }
        #expect(try picture.command(#""do":"play""#) == "done")
        try picture.wait(for: "the end again") {
            $0.clears > 20 || $0.clears > 0 && $0.ready != nil && $0.playback["playing"] as? Bool == false
        }
        #expect(picture.clears == 1)
        dashboard.end()
    }

    @Test("Single steps deliver events with the same time one by one")
    func lastSteps() throws {
        let folder = try TemporaryFolder()
        let lines =
            [Self.attach("a", at: 0), Self.line("a", "in", at: 0)] + (0..<5).map { _ in Self.line("a", "in", at: 600) }
        let dashboard = try RunningDashboard([try Self.trace(lines, in: folder)])
        let picture = DashboardPicture(try dashboard.page())
        try picture.wait(for: "the first line") { $0.traffic.count == 1 }
        _ = try picture.command(#""do":"pause""#)
        for count in 1...5 {
            #expect(try picture.command(#""do":"step""#) == "done")
            try picture.wait(for: "a line more") { $0.traffic.count >= count + 1 }
            #expect(picture.traffic.count == count + 1)
        }
        #expect(try picture.command(#""do":"step","count":10"#) == "done")
        #expect(picture.traffic.count == 6)
        dashboard.end()
    }

    @Test("A seek from the end followed by play starts playback at the new time")
    func playsFromPosition() throws {
        let folder = try TemporaryFolder()
        let dashboard = try RunningDashboard([try Self.scales(in: folder), "--speed", "100"])
        let picture = DashboardPicture(try dashboard.page())
        try picture.wait(for: "the end") { $0.playback["ended"] as? Bool == true }
        let token = try #require(dashboard.token)
        try picture.page.send(
            [#""do":"seek","t":120"#, #""do":"play""#].flatMap {
                PageClient.masked(1, Array(#"{"id":1,"token":"\#(token)",\#($0)}"#.utf8))
            })
        try picture.wait(for: "another place") { $0.clears > 0 && $0.ready != nil }
        // Playback is fast, and the history contains everything delivered meanwhile.
        #expect((120...200).contains(try #require(picture.ready)))
        dashboard.end()
    }

    @Test("In a trace of sensors only, a sensor lost by a manual fault returns when the fault is off")
    func lostSensor() throws {
        let dashboard = try RunningDashboard(["\(Tool.traces)/motionsense/motionsense_jog_16_sub5.csv", "--loop"])
        let picture = DashboardPicture(try dashboard.page())
        func count(_ picture: DashboardPicture) -> Int { picture.readings[0]?.count ?? 0 }
        try picture.wait(for: "readings") { count($0) > 50 }
        #expect(try picture.command(#""do":"fault","fault":"loss(accelerometer)","on":true"#) == "done")
        try picture.wait(for: "the loss in words") {
            ($0.messages["log"]?["text"] as? String)?.contains("lost") == true
        }
        let former = count(picture)
        #expect(try picture.command(#""do":"fault","fault":"loss(accelerometer)","on":false"#) == "done")
        try picture.wait(for: "readings again") { count($0) > former + 50 }
        dashboard.end()
    }
}
