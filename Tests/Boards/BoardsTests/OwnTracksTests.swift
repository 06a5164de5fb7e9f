// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Testing

@Suite("OwnTracks locations")
struct OwnTracksTests {
    /// A fix as reported by gpsd.
    static var report: PositionReport {
        var report = PositionReport()
        report.receiver = "/dev/ttyACM0"
        report.mode = .threeDimensional
        report.time = WallTime(nanoseconds: 1_700_000_000_250_000_000)
        report.latitude = 52.519444444
        report.longitude = -13.25
        report.horizontalError = 3.2
        report.altitudeMSL = 34.6
        report.verticalError = 5.01
        report.speed = 10
        report.track = 359.6
        return report
    }

    static func text(_ report: PositionReport, now: WallTime = .epoch) -> String? {
        OwnTracksLocation(report, now: now).map { String(decoding: $0.json(tracker: "r7"), as: UTF8.self) }
    }

    static func read(_ text: String) -> OwnTracksMessage { Array(text.utf8).withUnsafeBytes { OwnTracksMessage($0) } }

    @Test("A fix is encoded in OwnTracks units, with accuracies rounded up and 359.6° as 0°")
    func encodes() {
        #expect(
            Self.text(Self.report)
                == #"{"_type":"location","tid":"r7","lat":52.51944444,"lon":-13.25000000,"tst":1700000000,"tst_ms":1700000000250,"acc":4,"alt":35,"vac":6,"vel":36,"cog":0}"#
        )
    }

    @Test("Unknown fields, the altitude of a 2D fix and zero milliseconds are omitted")
    func encodesLittle() {
        var report = PositionReport()
        report.mode = .twoDimensional
        report.latitude = 0
        report.longitude = 180
        report.altitudeMSL = 100
        #expect(
            Self.text(report, now: WallTime(nanoseconds: 1_600_000_000_000_000_000))
                == #"{"_type":"location","tid":"r7","lat":0.00000000,"lon":180.00000000,"tst":1600000000}"#)
    }

    @Test("acc is derived from error components, and alt from ellipsoidal altitude and geoid separation")
    func encodesParts() {
        var report = Self.report
        report.horizontalError = .nan
        report.longitudeError = 3
        report.latitudeError = 4
        report.altitudeMSL = .nan
        report.altitudeHAE = 80
        report.geoidSeparation = 47
        let text = Self.text(report)
        #expect(text?.contains(#""acc":5,"alt":33,"#) == true)
    }

    @Test("A report without a fix is not encoded")
    func withoutFix() {
        var report = Self.report
        report.mode = .none
        #expect(Self.text(report) == nil)
        report = Self.report
        report.latitude = .nan
        #expect(Self.text(report) == nil)
    }

    @Test("Meaningless numbers are omitted, and the output is valid JSON")
    func extremes() {
        var report = Self.report
        (report.horizontalError, report.altitudeMSL, report.verticalError) = (.infinity, -.infinity, -1)
        (report.speed, report.track) = (1e300, -0.4)
        let text = Self.text(report)
        #expect(text?.hasSuffix(#""tst_ms":1700000000250}"#) == true)
    }

    @Test("The will contains the connection time")
    func will() {
        let json = OwnTracksWill.json(connected: WallTime(nanoseconds: 1_700_000_000_900_000_000))
        #expect(String(decoding: json, as: UTF8.self) == #"{"_type":"lwt","tst":1700000000}"#)
    }

    @Test("A phone's location is decoded with its units: 36 km/h are 10 m/s")
    func decodes() throws {
        // The fields in the OwnTracks documentation.
        let message = Self.read(
            #"{"_type":"location","acc":12,"alt":34,"batt":58,"bs":1,"cog":270,"conn":"w","inregions":["home"],"lat":52.5,"lon":13.4,"m":1,"p":101.3,"t":"u","tid":"ph","tst":1700000000,"vac":3,"vel":36}"#
        )
        guard case .location(let location) = message else {
            Issue.record("\(message)")
            return
        }
        let report = location.report(receiver: "owntracks/a/b", arrival: BootTime(nanoseconds: 7))
        #expect(report.mode == .threeDimensional && report.receiver == "owntracks/a/b")
        #expect(report.time == WallTime(nanoseconds: 1_700_000_000_000_000_000))
        #expect((report.latitude, report.longitude) == (52.5, 13.4))
        #expect((report.horizontalError, report.altitudeMSL, report.verticalError) == (12, 34, 3))
        #expect((report.speed, report.track) == (10, 270))
        #expect(report.arrival == BootTime(nanoseconds: 7))
    }

    @Test("An encoded location is decoded within the resolution of its units, with milliseconds")
    func roundTrip() throws {
        let report = Self.report
        guard case .location(let location) = Self.read(try #require(Self.text(report))) else {
            Issue.record("no location")
            return
        }
        let back = location.report(receiver: "", arrival: .zero)
        #expect(back.time == report.time)
        #expect(abs(back.latitude - report.latitude) < 1e-8 && abs(back.longitude - report.longitude) < 1e-8)
        #expect(abs(back.speed - report.speed) <= 0.5 / 3.6)
        #expect(back.horizontalError >= report.horizontalError && back.horizontalError < report.horizontalError + 1)
    }

    @Test("tst_ms is ignored if it belongs to another second than tst")
    func wrongMilliseconds() {
        guard
            case .location(let location) = Self.read(
                #"{"_type":"location","lat":1,"lon":2,"tst":1700000000,"tst_ms":1600000000123}"#)
        else {
            Issue.record("no location")
            return
        }
        #expect(location.time == WallTime(nanoseconds: 1_700_000_000_000_000_000))
    }

    @Test(
        "Invalid values and values of other types omit a field",
        arguments: [
            #""vel":-1,"cog":-1,"acc":-1,"vac":-1"#, #""vel":"5","cog":null,"acc":[],"vac":{}"#,
            #""vel":NaN,"cog":Infinity,"acc":-Infinity,"vac":nan"#, #""vel":1e9,"cog":361,"acc":1e300,"vac":1e999"#,
        ])
    func wrongFields(_ fields: String) {
        guard case .location(let location) = Self.read(#"{"_type":"location","lat":1,"lon":2,"tst":3,\#(fields)}"#)
        else {
            Issue.record("no location")
            return
        }
        #expect(location.velocity.isNaN && location.course.isNaN)
        #expect(location.accuracy.isNaN && location.verticalAccuracy.isNaN)
    }

    @Test(
        "An invalid location yields a reason",
        arguments: [
            "", "null", "[]", "hello", "{", #"{"_type":"location"}"#, #"{"_type":"location","lat":91,"lon":0,"tst":1}"#,
            #"{"_type":"location","lat":NaN,"lon":0,"tst":1}"#, #"{"_type":"location","lat":"52","lon":0,"tst":1}"#,
            #"{"_type":"location","lat":1,"lon":181,"tst":1}"#, #"{"_type":"location","lat":1,"lon":2}"#,
            #"{"_type":"location","lat":1,"lon":2,"tst":-5}"#, #"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#,
            #"{"_type":"location","lat":1,"lon":2,"tst":0.007}"#,
            #"{"_type":"location","lat":1,"lon":2,"tst":1}x"#, #"{"lat":1,"lon":2,"tst":1}"#, #"{"_type":7}"#,
            String(repeating: "[", count: 10_000), #"{"_type":""# + String(repeating: "x", count: 1_000_000),
        ])
    func malformed(_ text: String) {
        guard case .malformed(let reason) = Self.read(text) else {
            Issue.record("\(text.prefix(100)) is read")
            return
        }
        #expect(!reason.isEmpty && reason.utf8.count < 300)
    }

    @Test("Other OwnTracks messages are not locations", arguments: ["transition", "waypoint", "card", "encrypted"])
    func others(_ type: String) {
        guard case .other = Self.read(#"{"_type":"\#(type)","lat":1,"lon":2,"tst":1,"event":"enter"}"#) else {
            Issue.record("\(type) is read")
            return
        }
    }
}
