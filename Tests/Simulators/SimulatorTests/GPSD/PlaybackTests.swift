// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import Trace

@testable import GPSDSimulator

@Suite("Playback to clients")
struct PlaybackTests {
    private static let watch = #"?WATCH={"enable":true,"json":true};"#

    @Test("A watching client receives the devices, the policy, and unmodified reports at their times")
    func plays() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(3))
        let client = try fixture.connect()
        #expect(client.kinds() == ["VERSION"])
        fixture.pass(60)
        #expect(client.lines().isEmpty)
        client.send(Self.watch)
        #expect(
            client.lines().map { String($0.prefix(18)) } == [
                #"{"class":"DEVICES""#, #"{"class":"WATCH",""#, #"{"class":"TPV","de"#,
            ])
        fixture.pass(0.95)
        #expect(client.lines().isEmpty)
        fixture.pass(0.1)
        #expect(client.lines() == [GPSDFixture.fix(1)])
        fixture.pass(5)
        #expect(client.lines() == [GPSDFixture.fix(2)])
        #expect(fixture.engine.hasPlayed)
        #expect(fixture.engine.reportCount == 3)
    }

    @Test("Playback runs at the configured speed")
    func speed() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(11)) { $0.pace = .realTime(speed: 10) }
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(0.52, step: 0.01)
        #expect(client.kinds().filter { $0 == "TPV" }.count == 6)
    }

    @Test("A client that connects after an immediate start misses the earlier reports")
    func startsAtOnce() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(5)) { $0.start = .immediately }
        fixture.pass(1.5)
        let client = try fixture.connect()
        client.send(Self.watch)
        _ = client.read()
        fixture.pass(1)
        #expect(client.lines() == [GPSDFixture.fix(2)])
    }

    @Test("GSV sentences follow their fix, and a client that connects later does not receive them")
    func satellitesOfTheirTime() throws {
        let satellite = #"{"PRN":5,"el":30.0,"az":20.0,"ss":40.0,"used":true}"#
        let sky = #"{"t":0.5,"gpsd":{"class":"SKY","device":"/dev/ttyS1","satellites":[\#(satellite)]}}"#
        var lines = GPSDFixture.drive(4)
        lines.insert(sky, at: 2)
        let fixture = try GPSDFixture(lines) { $0.start = .immediately }
        let first = try fixture.connect()
        first.send(#"?WATCH={"enable":true,"nmea":true};"#)
        fixture.pass(1.5)
        #expect(first.kinds().contains("$GPGSV"))
        let other = try GPSDFixture(lines) { $0.start = .immediately }
        other.pass(1.5)
        let late = try other.connect()
        late.send(#"?WATCH={"enable":true,"nmea":true};"#)
        other.pass(1)
        let kinds = late.kinds()
        #expect(kinds.contains("$GPRMC") && !kinds.contains("$GPGSV"))
    }

    @Test("A loop has the given length unless its reports take longer")
    func longRounds() throws {
        let file = try TraceFile(bytes: Array(GPSDFixture.drive(3).joined(separator: "\n").utf8), name: "drive")
        var long = PlayedTrace(file, repeats: true, minimumPassDuration: 7_500_000_000)
        #expect((0..<5).map { _ in (long.next()?.time ?? -1) / 100_000_000 } == [0, 10, 20, 75, 85])
        // The given length is shorter than the reports.
        var short = PlayedTrace(file, repeats: true, minimumPassDuration: 1_000_000_000)
        #expect((0..<5).map { _ in (short.next()?.time ?? -1) / 100_000_000 } == [0, 10, 20, 30, 40])
    }

    @Test("Each loop advances the times by the length of the trace")
    func loops() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(3)) { $0.end = .loop }
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(7.01)
        let times = client.lines().filter { $0.contains("TPV") }
            .compactMap { $0.components(separatedBy: "\"time\":\"").last?.prefix(19) }
        #expect(times.map(String.init) == (0..<8).map { "2024-03-23T12:00:0\($0)" })
        // The rest of the report is unchanged.
        let stage2 = try GPSDFixture(GPSDFixture.drive(1)) { $0.end = .loop }
        let other = try stage2.connect()
        other.send(Self.watch)
        _ = other.read()
        stage2.pass(1)
        #expect(other.lines() == [GPSDFixture.fix(0).replacingOccurrences(of: "12:00:00", with: "12:00:01")])
    }

    @Test("Times can be moved to the present by whole seconds")
    func rebases() throws {
        let line = GPSDFixture.fix(0).replacingOccurrences(of: "00.000Z", with: "00.250Z")
        let fixture = try GPSDFixture(
            [
                GPSDFixture.drive(0)[0], #"{"t":2.5,"gpsd":\#(line)}"#,
                #"{"t":3.5,"gpsd":{"class":"PPS","device":"/dev/ttyS1","real_sec":1711195201,"real_nsec":0,"clock_sec":1711195202,"clock_nsec":7,"precision":-20}}"#,
            ]
        ) { $0.timestampPolicy = .now }
        let client = try fixture.connect()
        client.send(Self.watch)
        _ = client.read()
        fixture.pass(4)
        // The clock reads 2026-01-01T00:00:00Z. The report arrives 2.5 s later and keeps its fraction of .25 s.
        let moved = line.replacingOccurrences(of: "2024-03-23T12:00:00", with: "2026-01-01T00:00:02")
        let lines = client.lines()
        #expect(lines.first == moved)
        // date -d 2026-01-01T00:00:03Z +%s, one second after the fix.
        #expect(lines.last?.contains("\"real_sec\":1767225603,") == true)
        #expect(lines.last?.contains("\"clock_sec\":1767225604,") == true)
        #expect(lines.count == 2)
    }

    @Test("A report without a receiver gets one after its class")
    func namesReceiver() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(1, device: nil))
        let client = try fixture.connect()
        client.send(Self.watch)
        #expect(client.lines().last == GPSDFixture.fix(0, device: "/dev/ttyS0"))
    }

    @Test("gpsd text without timestamps is paced by its fix times, and jumps are shortened")
    func textPace() throws {
        let day = GPSDFixture.fix(3).replacingOccurrences(of: "2024-03-23", with: "2024-03-24")
        let fixture = try GPSDFixture([GPSDFixture.fix(0), GPSDFixture.fix(2), GPSDFixture.fix(1), day])
        let client = try fixture.connect()
        client.send(Self.watch)
        #expect(client.kinds().last == "TPV")
        fixture.pass(1.9)
        #expect(client.lines().isEmpty)
        fixture.pass(0.2)
        #expect(client.lines() == [GPSDFixture.fix(2), GPSDFixture.fix(1)])
        fixture.pass(1)
        #expect(client.lines() == [day])
    }

    @Test("With pace asFastAsRead nothing is lost, however slow the reader is")
    func asFastAsRead() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(2000)) { $0.pace = .onDemand }
        let client = try fixture.connect(sendBufferSize: 4096)
        client.send(Self.watch)
        var text: [UInt8] = []
        for _ in 0..<5000 where !fixture.engine.hasPlayed || fixture.engine.clients.contains(where: \.hasPending) {
            text += client.read() ?? []
            fixture.serve()
        }
        text += client.read() ?? []
        let lines = String(decoding: text, as: UTF8.self).components(separatedBy: "\r\n").filter {
            $0.hasPrefix(#"{"class":"TPV""#)
        }
        #expect(lines == (0..<2000).map { GPSDFixture.fix($0) })
        #expect(fixture.engine.totalLostCount == 0)
    }

    @Test("In real time a slow client loses reports or is disconnected, and others are unaffected")
    func slowReader() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(3000)) { $0.pace = .realTime(speed: 100) }
        let slow = try fixture.connect(sendBufferSize: 4096)
        let quick = try fixture.connect()
        slow.send(Self.watch)
        quick.send(Self.watch)
        var count = 0
        for _ in 0..<400 {
            fixture.pass(0.1)
            count += quick.kinds().filter { $0 == "TPV" }.count
        }
        // The first report was sent while only the slow client was watching.
        #expect(count == 2999)
        #expect(fixture.engine.totalLostCount > 0 || fixture.engine.clients.count == 1)
    }

    @Test("A client that blocks playback by not reading is disconnected after 10 s")
    func stuckReader() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(3000)) { $0.pace = .onDemand }
        let stuck = try fixture.connect(sendBufferSize: 4096)
        stuck.send(Self.watch)
        for _ in 0..<30 { fixture.serve() }
        fixture.pass(9)
        #expect(fixture.engine.clients.count == 1)
        fixture.pass(2)
        #expect(fixture.engine.clients.isEmpty)
    }

    @Test("Playback ends as configured", arguments: [GPSDServerOptions.End.silence, .unplug, .close])
    func ends(end: GPSDServerOptions.End) throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(1)) { $0.end = end }
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(1)
        let lines = client.lines()
        switch end {
        case .silence: #expect(lines.last == GPSDFixture.fix(0))
        case .unplug: #expect(lines.last == #"{"class":"DEVICE","path":"/dev/ttyS1","activated":0}"#)
        case .close, .loop: #expect(client.isClosed)
        }
        #expect(fixture.engine.clients.count == (end == .close ? 0 : 1))
    }

    @Test("Beyond the limit a new client replaces an idle one or is disconnected")
    func limits() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(1)) { $0.maximumClients = 2 }
        let silent = try fixture.connect()
        let watching = try fixture.connect()
        watching.send(Self.watch)
        fixture.pass(0.1)
        let asking = try fixture.connect()
        fixture.pass(0.1)
        #expect(silent.isClosed)
        asking.send("?VERSION;\n")
        fixture.pass(0.1)
        #expect(asking.kinds() == ["VERSION", "VERSION"])
        #expect(try fixture.connect().isClosed)
        #expect(fixture.engine.clients.count == 2)
        // Idle clients are disconnected after 15 minutes.
        fixture.pass(899, step: 1)
        #expect(fixture.engine.clients.count == 2)
        fixture.pass(2)
        #expect(fixture.engine.clients.count == 1)
        #expect(asking.isClosed)
    }

    @Test("A recorded connection loss is replayed, and the server returns")
    func losses() throws {
        let header = GPSDFixture.drive(0)[0]
        let trace = [
            header, #"{"t":0,"gpsd":\#(GPSDFixture.fix(0))}"#,
            #"{"t":1,"lost":{"code":"connectionLost","message":"gone"}}"#, #"{"t":5,"regained":true}"#,
            #"{"t":6,"gpsd":\#(GPSDFixture.fix(6))}"#,
        ]
        let fixture = try GPSDFixture(trace)
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(2)
        #expect(client.isClosed)
        #expect(!fixture.engine.isListening)
        #expect(try fixture.connect().isClosed)
        fixture.pass(3.5)
        #expect(fixture.engine.isListening)
        let next = try fixture.connect()
        next.send(Self.watch)
        fixture.pass(1)
        #expect(next.lines().last == GPSDFixture.fix(6))
    }

    @Test("Without positions the server has no receivers and sends no reports")
    func empty() throws {
        let fixture = try GPSDFixture(GPSDFixture.drive(0)) { $0.end = .loop }
        let client = try fixture.connect()
        client.send(Self.watch)
        fixture.pass(3)
        #expect(client.lines().dropFirst().first == #"{"class":"DEVICES","devices":[]}"#)
    }
}
