// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Dashboard

/// A running `sensorctl dashboard`. The test acts as its page.
final class RunningDashboard {
    let tool: RunningTool
    let port: UInt16
    let token: String?

    /// - Parameter before: the command that runs the dashboard, if any.
    init(_ arguments: [String], before: [String] = [], environment: [String: String] = [:]) throws {
        tool = try RunningTool(before + ["dashboard", "--port", "0", "--json"] + arguments, environment: environment)
        let line = try PageClient.object(try #require(tool.nextLine()))
        #expect(line["event"] as? String == "listening")
        port = try #require((line["port"] as? Int).flatMap { UInt16(exactly: $0) })
        token = line["token"] as? String
    }

    func page() throws -> PageClient { try PageClient(port, token: token ?? "") }

    func end() { #expect(tool.end(SIGINT) == 0) }
}

@Suite("sensorctl dashboard with a trace", .toolIsBuilt, .waiting)
struct DashboardTraceTests {
    /// The messages that a page has received from the beginning of a trace to its end.
    struct ReceivedData {
        var hello: [String: Any] = [:]
        var locations: [[String: Any]] = []
        var readings: [Int: [(time: Double, values: [Float])]] = [:]
        var types: Set<String> = []

        mutating func process(_ frame: PageClient.Frame) throws {
            switch frame {
            case .text(let text):
                let object = try PageClient.object(text)
                let type = object["type"] as? String ?? ""
                types.insert(type)
                if type == "location" { locations.append(object) }
                if type == "hello" { hello = object }
                #expect(type != "dropped")
            case .binary(let bytes):
                let names = (hello["channels"] as? [[String: Any]])?[Int(bytes[1])]["axes"] as? [String] ?? []
                let new = try PageClient.readings(bytes, axes: names.count)
                readings[new.channel, default: []] += zip(new.times, new.values).map { ($0, $1) }
            default: break
            }
        }
    }

    /// Plays a trace to its end. Playback starts when the page connects.
    static func play(_ arguments: [String]) throws -> ReceivedData {
        let dashboard = try RunningDashboard(arguments)
        let page = try dashboard.page()
        var data = ReceivedData()
        while true {
            let state = try page.message("playback") { try data.process($0) }
            if state["ended"] as? Bool == true { break }
        }
        // Messages sent at the end arrive before the answer.
        _ = try page.command(#""do":"pause""#) { try data.process($0) }
        dashboard.end()
        return data
    }

    @Test(
        "Locations are equal to those of `replay --json`",
        arguments: ["gpsd/bu303-moving.log.chk", "synthetic/mountain-road.json"])
    func locations(_ name: String) throws {
        let path = "\(Tool.traces)/\(name)"
        let expected = try ReplayTests.locations(try Tool.run(["replay", path, "location", "--json"]).lines)
        let data = try Self.play([path, "--speed", "100"])
        try #require(data.locations.count == expected.count)
        for (location, fix) in zip(data.locations, expected) {
            #expect(location["timestamp"] as? String == fix["timestamp"] as? String)
            for key in ReplayTests.keys.dropFirst() {
                let number = (fix[key] as? NSNumber)?.doubleValue
                let isKnown = number.map {
                    $0 >= 0 || ["latitude", "longitude", "altitude", "ellipsoidalAltitude"].contains(key)
                }
                #expect((location[key] as? NSNumber)?.doubleValue == (isKnown == true ? number : nil), "\(key)")
            }
        }
    }

    @Test(
        "Attitudes, headings and axes are equal to those of `replay --json`",
        arguments: [
            ("device-motion", 4, "quaternion"), ("device-motion", 5, "userAcceleration"),
            ("device-motion", 6, "gravity"),
            ("heading", 7, "magneticHeading trueHeading headingAccuracy"), ("accelerometer", 0, "x y z"),
            ("gyro", 1, "x y z"),
            ("magnetometer", 2, "x y z"),
        ])
    func motion(_ stream: String, _ channel: Int, _ keys: String) throws {
        let folder = try TemporaryFolder()
        let trace = try Self.walk(in: folder)
        let lines = try Tool.run(["replay", trace, stream, "--frame", "magnetic", "--json"]).lines.map {
            try PageClient.object($0)
        }
        let expected = try lines.map { line -> [Float] in
            var values: [Double] = []
            for key in keys.split(separator: " ") {
                if let vector = line[String(key)] as? [Double] {
                    values += vector
                } else {
                    values.append(try #require(line[String(key)] as? Double))
                }
            }
            // Scalar first. Unknown values are NaN.
            if keys == "quaternion" { return [values[3], values[0], values[1], values[2]].map(Float.init) }
            return values.map { stream == "heading" && $0 < 0 ? .nan : Float($0) }
        }
        try #require(expected.count > 1000)
        let allowed: Float = stream == "device-motion" ? 2e-5 : 0
        let data = try Self.play([trace, "--speed", "20"])
        let readings = try #require(data.readings[channel])
        try #require(readings.count == expected.count)
        let first = try #require(lines.first?["timestamp"] as? Double) - readings[0].time
        for (reading, (line, values)) in zip(readings, zip(lines, expected)) {
            #expect(
                zip(reading.values, values).allSatisfy {
                    $0 == $1 || abs($0 - $1) <= allowed + abs($1) * 1e-6 || $0.isNaN && $1.isNaN
                }, "\(reading) \(values)")
            #expect(abs(reading.time + first - (line["timestamp"] as? Double ?? .nan)) < 2e-6)
        }
    }

    @Test("Pause, step, seek, speed and loop control the playback")
    func playback() throws {
        let dashboard = try RunningDashboard([Tool.drive])
        let page = try dashboard.page()
        let hello = try page.message("hello")
        let duration = try #require(hello["duration"] as? Double)
        #expect(hello["mode"] as? String == "trace")
        #expect(duration > 300)
        var state: [String: Any] = [:]
        var locations: [Double] = []
        var ready: Double?
        func process(_ frame: PageClient.Frame) throws {
            guard case .text(let text) = frame else { return }
            let object = try PageClient.object(text)
            if object["type"] as? String == "playback" { state = object }
            if object["type"] as? String == "location" { locations.append(object["t"] as? Double ?? -1) }
            if object["type"] as? String == "clear" { (locations, ready) = ([], nil) }
            if object["type"] as? String == "ready" { ready = object["t"] as? Double }
        }
        func command(_ members: String) throws {
            #expect(try page.command(members, passing: process)["type"] as? String == "done")
            // The state may arrive after the answer, so another command follows.
            _ = try page.command(#""do":"fault","fault":"nofix","on":false"#, passing: process)
        }
        try command(#""do":"pause""#)
        #expect(state["playing"] as? Bool == false)
        let paused = try #require(state["t"] as? Double)
        // The first lines of gpsd have the same time.
        try command(#""do":"step","count":30"#)
        #expect(try #require(state["t"] as? Double) > paused)
        try command(#""do":"step","by":2.5"#)
        // Seeks to a time, which delivers the preceding minute.
        try command(#""do":"seek","t":200"#)
        while abs((ready ?? 0) - 200) > 0.01 { try process(try page.frame()) }
        // Two locations per second.
        #expect((118...122).contains(locations.count))
        #expect(locations.allSatisfy { (139...200.01).contains($0) })
        try command(#""do":"speed","value":50"#)
        try command(#""do":"loop","on":true"#)
        #expect((state["speed"] as? Double, state["loop"] as? Bool) == (50, true))
        try command(#""do":"play""#)
        // Playback passes the end and starts from the beginning.
        while ready ?? 200 > 5 { try process(try page.frame()) }
        dashboard.end()
    }

    @Test("A fault applies until it is switched off, even after a seek")
    func faults() throws {
        let dashboard = try RunningDashboard([Tool.drive, "--speed", "50"])
        let page = try dashboard.page()
        let faults = try #require(try page.message("hello")["faults"] as? [[String: Any]]).compactMap {
            $0["id"] as? String
        }
        #expect(faults.contains("nofix") && faults.contains("loss(gpsd)"))
        // The received positions, position errors and restarts of the history, in order.
        var received: [String] = []
        func process(_ frame: PageClient.Frame) throws {
            guard case .text(let text) = frame else { return }
            let object = try PageClient.object(text)
            let type = object["type"] as? String ?? ""
            if ["location", "locationFailed", "clear", "ready"].contains(type) {
                received.append([type, object["error"] as? String ?? ""].joined(separator: " "))
            }
        }
        func wait(for prefix: String) throws {
            while received.last?.hasPrefix(prefix) != true { try process(try page.frame()) }
        }
        func fault(_ id: String, _ isOn: Bool) throws -> String? {
            try page.command(#""do":"fault","fault":"\#(id)","on":\#(isOn)"#, passing: process)["type"] as? String
        }
        try wait(for: "location ")
        #expect(try fault("nofix", true) == "done")
        try wait(for: "locationFailed The receiver")
        _ = try page.command(#""do":"seek","t":100"#, passing: process)
        try wait(for: "ready")
        // The preceding minute has no positions either, and the page knows the reason.
        #expect(received.reversed().prefix { $0 != "clear " }.allSatisfy { !$0.hasPrefix("location ") })
        #expect(received.reversed().prefix { $0 != "clear " }.contains { $0.hasPrefix("locationFailed") })
        #expect(try fault("nofix", false) == "done")
        try wait(for: "location ")
        #expect(try fault("loss(gpsd)", true) == "done")
        try wait(for: "locationFailed The connection to gpsd was lost (simulated)")
        #expect(try fault("loss(gpsd)", false) == "done")
        try wait(for: "location ")
        #expect(try fault("unplug", true) == "refused")
        dashboard.end()
    }

    @Test("A stuck sensor repeats one value, and recovers when the fault is switched off")
    func stuck() throws {
        // A recording of a running person: consecutive readings differ.
        let dashboard = try RunningDashboard(["\(Tool.traces)/motionsense/motionsense_jog_16_sub5.csv", "--loop"])
        let page = try dashboard.page()
        var values: [[Float]] = []
        func process(_ frame: PageClient.Frame) throws {
            if case .binary(let bytes) = frame, bytes[1] == 0 {
                values += try PageClient.readings(bytes, axes: 3).values
            }
        }
        func listen(_ count: Int) throws -> Int {
            values = []
            while values.count < count { try process(try page.frame()) }
            return Set(values.filter { !$0[0].isNaN }).count
        }
        _ = try page.message("ready")
        #expect(try listen(100) > 50)
        _ = try page.command(#""do":"fault","fault":"stuck(accelerometer)","on":true"#)
        #expect(try listen(100) == 1)
        _ = try page.command(#""do":"fault","fault":"stuck(accelerometer)","on":false"#)
        #expect(try listen(100) > 50)
        dashboard.end()
    }

    /// A walk of two and a half minutes with nine axes at 100 Hz.
    static func walk(in folder: TemporaryFolder) throws -> String {
        let trace = folder.path + "/walk.trace"
        try Data("48.1,11.5,520,1.4\n48.1008,11.5,525\n48.1012,11.5007,530,1.4,5\n".utf8)
            .write(to: URL(fileURLWithPath: folder.path + "/walk.csv"))
        try #require(try Tool.run(["synthesize", folder.path + "/walk.csv", trace]).status == 0)
        return trace
    }

    @Test("A recorded accessory is shown with its traffic in both directions")
    func accessories() throws {
        let dashboard = try RunningDashboard(["\(Tool.traces)/udev/weigh-scale.trace", "--speed", "10"])
        let page = try dashboard.page()
        var (received, sent) = (0, 0)
        var named: Set<String> = []
        while true {
            let state = try page.message("playback") { frame in
                guard case .text(let text) = frame else { return }
                let object = try PageClient.object(text)
                if object["type"] as? String == "traffic", let count = object["count"] as? Int {
                    if object["direction"] as? String == "received" { received += count } else { sent += count }
                }
                for entry in object["list"] as? [[String: Any]] ?? [] where object["type"] as? String == "accessories" {
                    named.insert(entry["name"] as? String ?? "")
                }
            }
            if state["ended"] as? Bool == true { break }
        }
        #expect(named == ["Weigh Scale"])
        #expect(received > 0 && sent > 0)
        dashboard.end()
    }

    @Test("A detached accessory keeps its byte counts")
    func detachedAccessory() throws {
        // The recording detaches the scale after 3 s. "in" is data from the scale and "out" is data to it.
        let path = "\(Tool.traces)/udev/weigh-scale.trace"
        var (received, sent) = (0, 0)
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let event = try PageClient.object(String(line))
            received += (event["in"] as? String)?.utf8.count ?? 0
            sent += (event["out"] as? String)?.utf8.count ?? 0
        }
        let dashboard = try RunningDashboard([path, "--speed", "10"])
        let picture = DashboardPicture(try dashboard.page())
        try picture.wait(for: "the end of the connection") { picture in
            picture.list("accessories").contains { $0["connected"] as? Bool == false }
        }
        let scale = try #require(picture.list("accessories").first)
        #expect(received > 0 && sent > 0)
        #expect(scale["received"] as? Int == received)
        #expect(scale["sent"] as? Int == sent)
        dashboard.end()
    }

    @Test("The page receives the loss of gpsd, its end, and the events of a fault that was switched by hand")
    func positionSource() throws {
        let dashboard = try RunningDashboard([Tool.drive, "--speed", "20"])
        let picture = DashboardPicture(try dashboard.page())
        func error(_ picture: DashboardPicture) -> Any? { picture.messages["positionSource"]?["error"] }
        try picture.wait(for: "positions") { $0.locations.count > 5 }
        #expect(error(picture) == nil)
        let text = "Fault switched on by hand: gpsd is unavailable"
        #expect(try picture.command(#""do":"fault","fault":"loss(gpsd)","on":true"#) == "done")
        try picture.wait(for: "the event") { $0.messages["log"]?["text"] as? String == text }
        try picture.wait(for: "the loss") { error($0) as? String == "The connection to gpsd was lost (simulated)." }
        #expect(picture.messages["positionSource"]?["name"] as? String == "gpsd")
        // A page that connects during the loss receives it. After a seek, the loss still applies.
        let later = DashboardPicture(try dashboard.page())
        try later.wait(for: "the loss") { $0.ready != nil && error($0) is String }
        #expect(try later.command(#""do":"pause""#) == "done")
        try later.seek(100)
        #expect(error(later) is String)
        #expect(try later.command(#""do":"fault","fault":"loss(gpsd)","on":false"#) == "done")
        #expect(try later.command(#""do":"play""#) == "done")
        try later.wait(for: "the end of the loss") { error($0) is NSNull }
        try later.wait(for: "the event") {
            $0.messages["log"]?["text"] as? String == "Fault switched off by hand: gpsd is unavailable"
        }
        // A command that changes nothing is no event.
        #expect(try picture.command(#""do":"fault","fault":"nofix","on":false"#) == "done")
        #expect((picture.messages["log"]?["text"] as? String)?.contains("No fix") == false)
        dashboard.end()
    }

    #if OfflinePlaces
    @Test("The page receives the name of the place at the position, also after a seek")
    func placeName() throws {
        let dashboard = try RunningDashboard([Tool.drive])
        let picture = DashboardPicture(try dashboard.page())
        // The drive is in the Bernese Oberland: 46.55° N, 7.90° E.
        func isNamed(_ picture: DashboardPicture) -> Bool {
            (picture.messages["place"]?["name"] as? String)?.hasSuffix(", Bern, Switzerland") == true
        }
        try picture.wait(for: "the name", until: isNamed)
        let later = DashboardPicture(try dashboard.page())
        #expect(try later.command(#""do":"pause""#) == "done")
        try later.seek(200)
        try later.wait(for: "the name", until: isNamed)
        dashboard.end()
    }
    #endif

    @Test("Regions are monitored, added and removed")
    func regions() throws {
        let dashboard = try RunningDashboard([Tool.drive, "--speed", "100", "--region", "all=46.5,8.5,2000000"])
        let page = try dashboard.page()
        func states(_ message: [String: Any]) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: (message["list"] as? [[String: Any]] ?? []).map {
                    ($0["id"] as? String ?? "", $0["state"] as? String ?? "")
                })
        }
        var last: [String: String] = [:]
        func process(_ frame: PageClient.Frame) throws {
            guard case .text(let text) = frame, text.hasPrefix(#"{"type":"regions""#) else { return }
            last = states(try PageClient.object(text))
        }
        func wait(for states: [String: String]) throws { while last != states { try process(try page.frame()) } }
        try wait(for: ["all": "inside"])
        let far = #""do":"region","add":{"id":"far","latitude":-40,"longitude":170,"radius":1000}"#
        #expect(try page.command(far, passing: process)["type"] as? String == "done")
        #expect(try page.command(far, passing: process)["type"] as? String == "refused")
        #expect(try page.command(#""do":"region","remove":"all""#, passing: process)["type"] as? String == "done")
        _ = try page.command(#""do":"seek","t":100"#, passing: process)
        try wait(for: ["far": "outside"])
        dashboard.end()
    }

    @Test("Invalid arguments and a port in use end the program with an error")
    func refusals() throws {
        #expect(try Tool.run(["dashboard", "/nonexistent.trace"]).status == 66)
        #expect(try Tool.run(["dashboard", "--live", Tool.drive]).status == 64)
        #expect(try Tool.run(["dashboard", Tool.drive, "--tiles", "tile.example"]).status == 64)
        let other = try TestDashboard()
        try Tool.expect(["dashboard", Tool.drive, "--port", "\(other.port)"], 69, "\(other.port)")
    }
}
