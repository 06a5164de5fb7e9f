// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes
import Testing
import Trace
import TraceEditing

@testable import sensorctl

@Suite("The overview of a recording on the dashboard")
struct OverviewTests {
    /// A drive of 600 m to the north at 10 m/s from 47° north, with one report per second. There are no reports from
    /// second 20 to 29, and the connection to gpsd is lost from second 40 to 44.
    private static func drive() throws -> TraceFile {
        var lines = [#"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":5}}"#]
        for second in 0..<60 where !(20..<30).contains(second) && !(40..<45).contains(second) {
            if second == 45 { lines.append(#"{"t":45,"regained":true}"#) }
            let time = String(format: "2026-05-01T10:00:%02dZ", second)
            // 0.0000899° of latitude are 10 m.
            let latitude = 47 + 0.0000899 * Double(second)
            lines.append(
                #"{"t":\#(second),"gpsd":{"class":"TPV","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":8,"altMSL":500,"eph":2,"speed":10}}"#
            )
            if second == 39 {
                lines.append(#"{"t":39.5,"lost":{"code":"connectionLost","message":"The connection was lost."}}"#)
            }
        }
        return try TraceFile(bytes: Array((lines.joined(separator: "\n") + "\n").utf8), name: "drive")
    }

    @Test("The points are those of Core Location, and gaps and losses are marked")
    func points() throws {
        let content = try #require(OverviewContent(try Self.drive(), regions: []))
        #expect(content.points.count == 45)
        #expect(content.points.first?.time == 0 && content.points.last?.time == 59)
        #expect(content.points.allSatisfy { $0.speed == 10 && $0.altitude == 500 })
        #expect(content.points.filter(\.followsGap).map(\.time) == [30, 45])
        let gaps = content.marks.filter { $0.kind == .gap }.sorted { $0.start < $1.start }
        #expect(gaps.map(\.start) == [19, 39.5] && gaps.map(\.end) == [30, 45])
        #expect(gaps.last?.text.contains("The connection was lost.") == true)
    }

    @Test("Region crossings are marked at the times of the positions beyond the boundary")
    func regions() throws {
        // The device is within 95 m of the place that it reaches after 100 m in seconds 1 to 19.
        let circle = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 47 + 0.0000899 * 10, longitude: 8), radius: 95, identifier: "home")
        let content = try #require(OverviewContent(try Self.drive(), regions: [circle]))
        let crossings = content.marks.filter { $0.kind == .region }
        #expect(crossings.map(\.text) == ["home was entered", "home was exited"])
        #expect(crossings.first?.start == 1 && (20...30).contains(crossings.last?.start ?? 0))
    }

    @Test("Attached accessories and injected faults are marked")
    func accessories() throws {
        let scale = try TraceFile(path: Tool.traces + "/udev/weigh-scale.trace")
        let faulty = try TraceEditor.trace(
            scale, edits: [FaultEdit(try TraceFault.list("nofix@2s+1s"), seed: 1)], named: "faulty")
        let content = try #require(OverviewContent(faulty, regions: []))
        let attached = try #require(content.marks.first { $0.kind == .accessory })
        #expect(attached.text == "Weigh Scale was attached" && abs(attached.start - 0.2) < 1e-9)
        let fault = try #require(content.marks.first { $0.kind == .fault })
        #expect((fault.start, fault.end) == (2, 3) && fault.text.contains("nofix"))
    }

    @Test("Memory is bounded, and no gap is lost")
    func bounded() {
        var content = OverviewContent()
        for index in 0..<50_000 {
            content.add(
                OverviewContent.Point(
                    time: Double(index), latitude: 1, longitude: 2, speed: nil, altitude: nil, speedAccuracy: nil,
                    verticalAccuracy: nil, followsGap: index == 12_345))
        }
        #expect(content.points.count <= OverviewContent.maximumPoints && content.points.count > 900)
        #expect(content.points.count(where: \.followsGap) == 1)
        let times = content.points.map(\.time)
        #expect(times.first == 0 && (times.last ?? 0) > 49_000 && times == times.sorted())
        for index in 0..<1000 { content.add(.init(kind: .gap, start: Double(index), text: "")) }
        #expect(content.marks.count == OverviewContent.maximumMarks)
        var writer = JSONWriter()
        writer.object { content.write(to: &$0) }
        // Unknown values are null.
        #expect(
            String(decoding: writer.bytes.prefix(60), as: UTF8.self).contains("[0.0,1.0,2.0,null,null,null,null,0]"))
    }

    @Test("A page receives the overview, and a seek does not repeat it", .toolIsBuilt, .waiting)
    func message() throws {
        let dashboard = try RunningDashboard([Tool.drive])
        let page = try dashboard.page()
        let overview = try page.message("overview") { _ in }
        let points = try #require(overview["points"] as? [[Any]])
        #expect(points.count == 621 && overview["marks"] != nil)
        // The response may arrive before or after the data of the new position.
        var types: [String] = []
        func collect(_ frame: PageClient.Frame) throws {
            guard case .text(let text) = frame, let type = try PageClient.object(text)["type"] as? String else {
                return
            }
            types.append(type)
        }
        #expect(try page.command(#""do":"seek","t":100"#, passing: collect)["type"] as? String == "done")
        while types.last != "ready" || !types.contains("clear") {
            try collect(try page.frame())
        }
        #expect(!types.contains("overview"))
        // A page that connects later receives it, too.
        #expect(try (dashboard.page().message("overview") { _ in }["points"] as? [[Any]])?.count == 621)
        dashboard.end()
    }
}
