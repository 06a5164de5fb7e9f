// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MQTTPublisher
import MQTTTracker
import SimulatedDevice
import Testing

@Suite("The MQTT tracker") struct MQTTTrackerTests {
    #if LibMosquitto
    static let hasTrait = true
    #else
    static let hasTrait = false
    #endif

    private static func settings(_ broker: String, spool: URL? = nil) throws -> MQTTPublisherSettings {
        var settings = MQTTPublisherSettings(broker: try BrokerAddress(broker), user: "fleet", device: "car7")
        settings.spoolFolder = spool?.path
        return settings
    }

    /// Compares the received positions with the gpsd reports of the recording.
    private static func compare(_ positions: [[String: Any]], with fixes: [[String: Any]]) throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        try #require(positions.count == fixes.count)
        for (position, fix) in zip(positions, fixes) {
            for key in ["lat", "lon"] {
                // A message has eight decimals, a recording nine.
                let numbers = (position[key] as? Double, fix[key] as? Double)
                let (sent, recorded) = (try #require(numbers.0), try #require(numbers.1))
                #expect(abs(sent - recorded) <= 5.1e-9, "\(position) \(fix)")
            }
            let date = try style.parse(try #require(fix["time"] as? String))
            let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
            #expect(position["tst"] as? Int == milliseconds / 1000, "\(position) \(fix)")
            // Omitted if it adds no information.
            #expect((position["tst_ms"] as? Int ?? milliseconds / 1000 * 1000) == milliseconds, "\(position) \(fix)")
            // No position claims a better accuracy than it has.
            let error = try #require(fix["eph"] as? Double)
            #expect(position["acc"] as? Int == Int(error.rounded(.up)), "\(position) \(fix)")
        }
    }

    @Test(
        "Each fix of a receiver's recording arrives once and in order", .enabled(if: Broker.isThere, Broker.isMissing))
    func recording() throws {
        let name = "gpsd/bu303-moving.log.chk"
        try withFolder { folder in
            let broker = try Broker(in: folder)
            try broker.follow()
            let device = SimulatedDevice(try Recordings.open(name))
            try device.use {
                let tracker = try MQTTTracker(try Self.settings(broker.address))
                tracker.start()
                try device.play()
                tracker.stop()
                #expect(tracker.statistics.delivered == 12 && tracker.statistics.queued == 0)
            }
            try Broker.wait("not all has come") { try broker.positions("owntracks/fleet/car7").count == 12 }
            #expect(broker.arrivals == 12)
            let positions = try broker.positions("owntracks/fleet/car7")
            try Self.compare(positions, with: try Recordings.fixes(name))
            // The first position by hand: 14:34:44.280 on June 9, 2005 is 1118327684.28 s after 1970, according to
            // `date`. The altitude of 1344.9947 m, the speed of 0.091 m/s, or 0.33 km/h, and the course of 10.3788° are
            // rounded to integers.
            let first = try #require(positions.first)
            #expect(first["tst_ms"] as? Int == 1_118_327_684_280)
            #expect(first["alt"] as? Int == 1345 && first["vel"] as? Int == 0 && first["cog"] as? Int == 10)
            #expect(first["tid"] as? String == "r7")
        }
    }

    @Test(
        "No fix is lost if the broker is killed in the middle of a drive and restarted",
        .enabled(if: Broker.isThere, Broker.isMissing))
    func killed() throws {
        let name = "synthetic/mountain-road.json"
        let fixes = try Recordings.fixes(name)
        try withFolder { folder in
            let broker = try Broker(in: folder)
            try broker.follow()
            let device = SimulatedDevice(try Recordings.open(name))
            try device.use {
                let spool = folder.appendingPathComponent("spool")
                let tracker = try MQTTTracker(try Self.settings(broker.address, spool: spool))
                tracker.start()
                device.advance(by: .seconds(120))
                // Waits until the broker has forwarded every acknowledged message. kill -9 may lose the others without
                // the tracker's knowledge.
                try Broker.wait("the first part has not come") {
                    try tracker.statistics.queued == 0
                        && broker.positions("owntracks/fleet/car7").count == tracker.statistics.published
                }
                let before = tracker.statistics.published
                #expect(before > 100 && before < fixes.count)
                broker.kill()
                try device.play()
                #expect(tracker.statistics.published == fixes.count)
                #expect(tracker.statistics.queued == fixes.count - before)
                try broker.start()
                try Broker.wait("not all was taken") { tracker.statistics.queued == 0 }
                tracker.stop()
                #expect(tracker.statistics.dropped == 0 && tracker.statistics.connections == 2)
            }
            try Broker.wait("not all has come") {
                try broker.positions("owntracks/fleet/car7").count == fixes.count
            }
            try Self.compare(try broker.positions("owntracks/fleet/car7"), with: fixes)
        }
    }

    @Test(
        "Positions with reduced accuracy are published with that accuracy",
        .enabled(if: hasTrait, "this build has the trait LibMosquitto off"))
    func rough() throws {
        try withFolder { folder in
            var configuration = Configuration()
            configuration.reducesAccuracy.value = true
            let device = SimulatedDevice(
                try Recordings.open("gpsd/bu303-moving.log.chk"), configuration: configuration)
            try device.use {
                // No broker listens on this port, so all messages remain in the spool.
                let tracker = try MQTTTracker(try Self.settings("mqtt://127.0.0.1:1", spool: folder))
                tracker.start()
                try device.play()
                tracker.stop()
                #expect(tracker.statistics.queued > 0)
            }
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            let lines = try files.flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
                .filter { $0.contains(" P owntracks/fleet/car7 ") }
            #expect(!lines.isEmpty)
            for line in lines {
                let json = try #require(line.firstIndex(of: "{"))
                let position = try #require(
                    try JSONSerialization.jsonObject(with: Data(line[json...].utf8)) as? [String: Any])
                // Kilometers instead of the receiver's 45.6 m. No other fields are published.
                #expect(try #require(position["acc"] as? Int) >= 1000)
                #expect(position["alt"] == nil && position["vel"] == nil && position["cog"] == nil)
                #expect(try #require(position["lat"] as? Double).rounded() == 46)
            }
        }
    }

    @Test("Without the trait, an error explains how to enable it", .enabled(if: !hasTrait, "this build has the trait"))
    func absent() throws {
        let error = #expect(throws: DeviceError.self) {
            try MQTTTracker(try Self.settings("mqtt://127.0.0.1:1"))
        }
        #expect(error?.description.contains(#"traits: [.defaults, "LibMosquitto"]"#) == true)
    }
}

extension ProgramTests {
    @Test(
        "The tracker program publishes a drive and exits cleanly",
        .enabled(if: Broker.isThere, Broker.isMissing))
    func mqttTracker() throws {
        try withFolder { folder in
            let broker = try Broker(in: folder)
            try broker.follow()
            let words = [broker.address, "fleet", "car7", folder.appendingPathComponent("spool").path]
            let trace = try Recordings.open("synthetic/mountain-road.json")
            let end = try withBoard(trace, speed: 30) { environment in
                try Programs.run("mqtt-tracker", words, environment: environment, signal: SIGTERM) { lines in
                    guard lines.contains("mqtt-tracker: connected to \(broker.address)") else { return false }
                    return (try? Broker.wait("nothing has come") { broker.arrivals >= 20 }) != nil
                }
            }
            #expect(end.status == 0)
            let positions = try broker.positions("owntracks/fleet/car7")
            #expect(positions.count >= 20)
            #expect(end.lines.last?.hasSuffix(" messages were delivered, 0 remain queued") == true, "\(end.lines)")
            // The road begins at this latitude.
            #expect(positions.allSatisfy { ($0["lat"] as? Double)?.rounded() == 47 })
        }
    }

    @Test("The tracker program rejects invalid arguments with a message")
    func mqttTrackerRefusals() throws {
        #expect(try Programs.run("mqtt-tracker").status == 64)
        let end = try Programs.run("mqtt-tracker", ["http://broker", "fleet", "car7", "spool"])
        #expect(end.status == 69)
        #expect(end.lines.first?.contains("http://broker") == true)
    }
}
