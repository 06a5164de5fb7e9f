// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing
import TraceEditing

@testable import Trace

@Suite("Beacons in traces")
struct BeaconEventTests {
    private static let header = #"{"format":"device-services-trace","version":1}"#
    private static let lines = [
        #"{"t":0.500000000,"beacon":{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":65535,"rssi":-60,"power":-59}}"#,
        #"{"t":1.000000000,"beacon":{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":2,"power":-128}}"#,
        #"{"t":2.000000000,"beacon":{"lost":{"code":"unreachable","message":"BlueZ is away."}}}"#,
        #"{"t":3.000000000,"beacon":{"regained":true}}"#,
    ]

    private func file(_ lines: [String]) throws -> TraceFile {
        try TraceFile(bytes: Array(([Self.header] + lines).joined(separator: "\n").utf8) + [0x0a], name: "test")
    }

    private func events(_ trace: TraceFile) -> [TraceEvent] {
        trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var events: [TraceEvent] = []
            while let event = cursor.nextEvent(bytes) { events.append(event) }
            return events
        }
    }

    private func warnings(_ lines: [String]) throws -> [TraceWarning.Reason] {
        let trace = try file(lines)
        return trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            while cursor.next(bytes) != nil {}
            return cursor.warnings.map(\.reason)
        }
    }

    private func text(_ trace: TraceFile) -> [String] {
        trace.bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").dropFirst()
            .map(String.init)
    }

    @Test("Beacon events are read with their times and values")
    func reading() throws {
        let events = events(try file(Self.lines))
        #expect(events.map(\.time) == [500_000_000, 1_000_000_000, 2_000_000_000, 3_000_000_000])
        guard case .beacon(.sighting(let first)) = events[0].contents,
            case .beacon(.sighting(let second)) = events[1].contents,
            case .beacon(.lost(let error)) = events[2].contents, case .beacon(.regained) = events[3].contents
        else {
            Issue.record("\(events)")
            return
        }
        #expect(first.identity.uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(first.identity.major == 1 && first.identity.minor == 65535)
        #expect(first.rssi == -60 && first.measuredPower == -59 && first.time.seconds == 0.5)
        #expect(second.rssi == nil && second.measuredPower == -128)
        #expect(error.code == .unreachable && error.message == "BlueZ is away.")
    }

    @Test("Beacon events are written back byte for byte")
    func writing() throws {
        let builder = TraceBuilder(name: "copy")
        try builder.write(TraceHeader())
        for event in events(try file(Self.lines)) { try builder.write(event) }
        #expect(text(try builder.file()) == Self.lines)
    }

    @Test(
        "Invalid beacon events are skipped with a warning",
        arguments: [
            #"{}"#, #"{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":2}"#,
            #"{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E","major":1,"minor":2,"power":-59}"#,
            #"{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":65536,"minor":2,"power":-59}"#,
            #"{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":-1,"power":-59}"#,
            #"{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":2,"power":-129}"#,
            #"{"uuid":7,"major":1,"minor":2,"power":-59}"#, #"{"regained":false}"#,
        ])
    func bad(json: String) throws {
        #expect(try warnings([#"{"t":1,"beacon":\#(json)}"#]) == [.invalidBeaconEvent])
    }

    @Test("An invalid RSSI counts as unknown, and unknown members are ignored")
    func lenient() throws {
        let line =
            #"{ "beacon" : {"new":[1],"power":-59,"rssi":1000,"minor":2,"major":1,"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0"}, "t":1}"#
        #expect(try warnings([line]) == [])
        guard case .beacon(.sighting(let sighting))? = events(try file([line])).first?.contents else {
            Issue.record("no sighting")
            return
        }
        #expect(sighting.rssi == nil && sighting.identity.minor == 2)
    }

    @Test("A cut trace begins with a loss that is still in effect")
    func cut() throws {
        let part = try TraceEditor.trace(try file(Self.lines), edits: [ExcerptEdit(from: .seconds(2.5))], named: "part")
        #expect(
            text(part) == [
                #"{"t":0.000000000,"beacon":{"lost":{"code":"unreachable","message":"BlueZ is away."}}}"#,
                #"{"t":0.500000000,"beacon":{"regained":true}}"#,
            ])
    }

    @Test("Scrubbing replaces the identities of beacons, and equal ones stay equal")
    func scrub() throws {
        let other =
            #"{"t":4.000000000,"beacon":{"uuid":"11111111-2222-3333-4444-555555555555","major":9,"minor":65535,"rssi":-70,"power":-59}}"#
        let scrubbed = try TraceEditor.trace(
            try file(Self.lines + [other, Self.lines[1].replacingOccurrences(of: "1.0", with: "5.0")]),
            edits: [ScrubEdit()], named: "s")
        let uuid = "00000000-0000-0000-0000-00000000000"
        #expect(
            text(scrubbed) == [
                #"{"t":0.500000000,"beacon":{"uuid":"\#(uuid)1","major":1,"minor":1,"rssi":-60,"power":-59}}"#,
                #"{"t":1.000000000,"beacon":{"uuid":"\#(uuid)1","major":1,"minor":2,"power":-128}}"#,
                #"{"t":2.000000000,"beacon":{"lost":{"code":"unreachable","message":"Beacons could not be received."}}}"#,
                #"{"t":3.000000000,"beacon":{"regained":true}}"#,
                #"{"t":4.000000000,"beacon":{"uuid":"\#(uuid)2","major":2,"minor":1,"rssi":-70,"power":-59}}"#,
                #"{"t":5.000000000,"beacon":{"uuid":"\#(uuid)1","major":1,"minor":2,"power":-128}}"#,
            ])
    }

    @Test("A recorder records beacons only on request, and otherwise does not scan")
    func recorder() throws {
        let hub = BeaconHub()
        let clock = VirtualClock(now: BootTime(nanoseconds: 10_000_000_000))
        let device = Device(
            name: "test", clock: clock, configuration: Configuration(), positionSource: PositionHub {},
            beaconSource: hub)
        let folder = try Folder()
        let usual = TraceRecorder(device: device, writer: try TraceWriter(path: folder.file("usual"), clock: clock))
        try usual.start()
        #expect(!hub.hasSubscribers)
        try usual.stop()
        let recorder = TraceRecorder(
            device: device, writer: try TraceWriter(path: folder.file("a"), clock: clock), parts: .beacons)
        try recorder.start()
        let identity = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 1), major: 2, minor: 3)
        hub.post(
            BeaconSighting(
                identity: identity, rssi: -60, measuredPower: -59, time: BootTime(nanoseconds: 10_250_000_000)))
        clock.move(to: BootTime(nanoseconds: 11_000_000_000))
        hub.setStatus(.unavailable(DeviceError(.unreachable, "gone")))
        hub.setStatus(.available)
        try recorder.stop()
        #expect(recorder.recordedSightings == 1)
        #expect(
            text(try TraceFile(path: folder.file("a"))) == [
                #"{"t":0.250000000,"beacon":{"uuid":"00000000-0000-0000-0000-000000000001","major":2,"minor":3,"rssi":-60,"power":-59}}"#,
                #"{"t":1.000000000,"beacon":{"lost":{"code":"unreachable","message":"gone"}}}"#,
                #"{"t":1.000000000,"beacon":{"regained":true}}"#,
            ])
    }
}
