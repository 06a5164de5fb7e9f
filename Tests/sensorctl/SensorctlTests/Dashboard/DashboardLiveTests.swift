// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import Dashboard

@Suite("sensorctl dashboard --live", .toolIsBuilt, .waiting)
struct DashboardLiveTests {
    @Test(
        "The page shows positions, sensors, accessories, users and findings, and refuses playback commands",
        .enabled(if: Tool.readsSensors, "built without libiio"))
    func all() throws {
        let folder = try TemporaryFolder()
        let trace = try DashboardTraceTests.walk(in: folder)
        let fixes = try ReplayTests.locations(try Tool.run(["replay", trace, "location", "--json"]).lines)
        let scale = "\(Tool.traces)/udev/weigh-scale.trace"
        let dashboard = try RunningDashboard(
            ["--live"], before: ["simulate", trace, scale, "--align", "start", "--", Tool.path ?? ""])
        let picture = DashboardPicture(try dashboard.page())
        try picture.wait(for: "positions and readings") { picture in
            picture.locations.count > 2 && (0...2).allSatisfy { picture.readings[$0]?.count ?? 0 > 200 }
                && picture.readings[4]?.count ?? 0 > 100
        }
        #expect(picture.hello["mode"] as? String == "live")
        #expect(picture.hello["attitudeFrame"] as? String == "magnetic")
        for location in picture.locations {
            #expect(
                fixes.contains { fix in
                    ["latitude", "longitude"].allSatisfy { (fix[$0] as? Double) == location[$0] as? Double }
                })
        }
        // A walking person measures about 1 g plus steps. Quaternions have unit length.
        for reading in picture.readings[0] ?? [] where !reading.values[0].isNaN {
            #expect((0.2...3).contains(reading.values.reduce(0) { $0 + $1 * $1 }.squareRoot()))
        }
        for reading in picture.readings[4] ?? [] where !reading.values[0].isNaN {
            #expect(abs(reading.values.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4)
        }
        for (channel, readings) in picture.readings where channel < 3 {
            #expect(zip(readings, readings.dropFirst()).allSatisfy { $0.time < $1.time }, "\(channel)")
        }
        try picture.wait(for: "who uses the position") { picture in
            picture.list("users").contains { $0["name"] as? String == "sensorctl dashboard" }
        }
        try picture.wait(for: "what doctor finds") { ($0.messages["doctor"]?["findings"] as? [Any])?.isEmpty == false }
        try picture.wait(for: "the scale") {
            $0.list("accessories").contains { $0["name"] as? String == "Weigh Scale" }
        }
        // Playback commands are refused in live mode.
        for members in [
            #""do":"play""#, #""do":"pause""#, #""do":"step""#, #""do":"seek","t":1"#, #""do":"loop","on":true"#,
        ] { #expect(try picture.command(members) == "refused") }
        let location = try #require(picture.locations.last)
        let members =
            #""id":"here","latitude":\#(location["latitude"] ?? 0),"longitude":\#(location["longitude"] ?? 0),"radius":500"#
        #expect(try picture.command(#""do":"region","add":{\#(members)}"#) == "done")
        try picture.wait(for: "the region") { $0.region("here")?["state"] as? String == "inside" }
        #expect(try picture.command(#""do":"doctor""#) == "done")
        // A page that connects later receives the same state.
        let later = DashboardPicture(try dashboard.page())
        try later.wait(for: "the beginning") { $0.ready != nil }
        #expect(later.readings[0]?.count ?? 0 > 200)
        #expect(later.locations.count >= picture.locations.count)
        #expect(later.messages["doctor"] != nil && later.region("here") != nil)
        dashboard.end()
    }

    @Test("Without gpsd and sensors, the page shows the reasons and stays connected")
    func nothing() throws {
        let dashboard = try RunningDashboard(
            ["--live", "--region", "home=48,11,100"],
            environment: ["DEVICE_SERVICES_IIO": "ip:127.0.0.1:1", "DEVICE_SERVICES_UDEV": "off"])
        let picture = DashboardPicture(try dashboard.page())
        try picture.wait(for: "why there is no position") { $0.messages["locationFailed"]?["error"] != nil }
        try picture.wait(for: "what is to be mended") { picture in
            let findings = picture.messages["doctor"]?["findings"] as? [[String: Any]] ?? []
            return findings.contains {
                $0["level"] as? String == "error" && ($0["mend"] as? [String])?.isEmpty == false
            }
        }
        #expect(picture.region("home")?["state"] as? String == "unknown")
        #expect(picture.readings.isEmpty && picture.locations.isEmpty)
        #expect(try picture.command(#""do":"doctor""#) == "done")
        dashboard.end()
    }

    @Test("The page shows the loss of gpsd and resumes when gpsd is back")
    func comesAndGoes() throws {
        let port = try FreePort.next()
        func serve() throws -> RunningTool {
            let server = try RunningTool(["simulate", "gpsd", Tool.drive, "--port", "\(port)", "--json", "--rebase"])
            _ = try #require(server.nextLine())
            return server
        }
        var server = try serve()
        let dashboard = try RunningDashboard(
            ["--live"], environment: ["DEVICE_SERVICES_GPSD": "gpsd://127.0.0.1:\(port)"])
        let picture = DashboardPicture(try dashboard.page())
        for _ in 0..<2 {
            let former = picture.locations.count
            try picture.wait(for: "a position") { $0.locations.count > former }
            #expect(server.end(SIGINT) == 0)
            try picture.wait(for: "that there is none") { picture in
                picture.messages["locationFailed"] != nil
                    && picture.messages["positionSource"]?["error"] as? String != nil
            }
            server = try serve()
            try picture.wait(for: "that gpsd is back") { $0.messages["positionSource"]?["error"] is NSNull }
        }
        let former = picture.locations.count
        try picture.wait(for: "a position again") { $0.locations.count > former }
        // A page that connects later receives no notification of a loss that has ended.
        let later = DashboardPicture(try dashboard.page())
        try later.wait(for: "the beginning") { $0.ready != nil }
        #expect(later.messages["locationFailed"] == nil)
        dashboard.end()
    }
}
