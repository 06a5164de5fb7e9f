// SPDX-License-Identifier: Apache-2.0

import BoardMessages
import DeviceCore
import Testing

@Suite("Locations as OwnTracks has them")
struct OwnTracksTests {
    /// A fix as gpsd gives it.
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

    static func read(_ text: String) -> OwnTracksMessage {
        Array(text.utf8).withUnsafeBytes { OwnTracksMessage($0) }
    }

    @Test("A fix by hand: 10 m/s are 36 km/h, accuracies are rounded up, 359.6° are 0°")
    func encodes() {
        #expect(
            Self.text(Self.report)
                == #"{"_type":"location","tid":"r7","lat":52.51944444,"lon":-13.25000000,"tst":1700000000,"tst_ms":1700000000250,"acc":4,"alt":35,"vac":6,"vel":36,"cog":0}"#
        )
    }

    @Test("What is not known is left out; a 2D fix has no altitude; a whole second needs no milliseconds")
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

    @Test("The components stand in for an error in the plane; altitude above the ellipsoid is brought to sea level")
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

    @Test("No fix is no location")
    func withoutFix() {
        var report = Self.report
        report.mode = .none
        #expect(Self.text(report) == nil)
        report = Self.report
        report.latitude = .nan
        #expect(Self.text(report) == nil)
    }

    @Test("Numbers that mean nothing are left out, and what is written is JSON all the same")
    func extremes() {
        var report = Self.report
        (report.horizontalError, report.altitudeMSL, report.verticalError) = (.infinity, -.infinity, -1)
        (report.speed, report.track) = (1e300, -0.4)
        let text = Self.text(report)
        #expect(text?.hasSuffix(#""tst_ms":1700000000250}"#) == true)
    }

    @Test("The will says when the board connected")
    func will() {
        let json = OwnTracksWill.json(connected: WallTime(nanoseconds: 1_700_000_000_900_000_000))
        #expect(String(decoding: json, as: UTF8.self) == #"{"_type":"lwt","tst":1700000000}"#)
    }

    @Test("What a phone sends is read, with its units: 36 km/h are 10 m/s")
    func decodes() throws {
        // The fields of OwnTracks' documentation.
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

    @Test("What was written is read back within the units' steps, milliseconds included")
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

    @Test("Milliseconds of another second are not believed")
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
        "Invalid markers and other types leave a field out",
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
        "What is no location says why",
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

    @Test("Other messages of OwnTracks are none of ours", arguments: ["transition", "waypoint", "card", "encrypted"])
    func others(_ type: String) {
        guard case .other = Self.read(#"{"_type":"\#(type)","lat":1,"lon":2,"tst":1,"event":"enter"}"#) else {
            Issue.record("\(type) is read")
            return
        }
    }
}
