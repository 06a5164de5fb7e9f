// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import GPSDProtocol

@Suite("Impossible values in gpsd reports")
struct LimitTests {
    private static func position(_ members: String) throws -> (report: PositionReport, impossible: Int) {
        var decoder = GPSDDecoder()
        let line = Array(#"{"class":"TPV","mode":3,"lat":47.5,"lon":8.5,\#(members)}"#.utf8)
        let report = line.withUnsafeBytes { decoder.decode($0) }
        guard case .position(let position) = report else { throw Refused() }
        return (position, decoder.outOfRangeCount)
    }

    private struct Refused: Error {}

    @Test(
        "Each impossible value is decoded as NaN and counted",
        arguments: [
            (#""speed":1e300"#, \.speed), (#""speed":-1"#, \.speed), (#""altHAE":1e308"#, \.altitudeHAE),
            (#""altMSL":-20000"#, \.altitudeMSL), (#""climb":-1e200"#, \.climb), (#""eph":1e200"#, \.horizontalError),
            (#""eph":0"#, \.horizontalError), (#""epx":0.0"#, \.longitudeError), (#""epv":-3"#, \.verticalError),
            (#""track":1e9"#, \.track), (#""geoidSep":1e6"#, \.geoidSeparation), (#""eps":1e99"#, \.speedError),
            (#""velN":1e99"#, \.velocityNorth), (#""lat":91"#, \.latitude), (#""lon":1e10"#, \.longitude),
            (#""lon":300"#, \.longitude), (#""eph":1e-300"#, \.horizontalError),
        ] as [(String, any KeyPath<PositionReport, Double> & Sendable)])
    func refused(members: String, value: any KeyPath<PositionReport, Double> & Sendable) throws {
        let (report, impossible) = try Self.position(members)
        #expect(report[keyPath: value].isNaN)
        #expect(impossible == 1)
    }

    @Test("Extreme but possible values are kept")
    func retained() throws {
        // The speed of a low Earth orbit, the altitude of a geostationary satellite, and the smallest error of a
        // receiver with corrections.
        let (report, impossible) = try Self.position(
            #""speed":7800,"altHAE":35786000.0,"altMSL":-430,"climb":-300,"eph":0.004,"epv":0.01,"track":359.99,"eps":0.1"#
        )
        #expect(impossible == 0)
        #expect(
            [report.speed, report.altitudeHAE, report.altitudeMSL, report.climb] == [7800, 35_786_000, -430, -300])
        #expect(
            [report.horizontalError, report.verticalError, report.track, report.speedError] == [
                0.004, 0.01, 359.99, 0.1,
            ])
    }

    @Test("Errors that gpsd writes as 0 while they are unknown are not counted as impossible")
    func unknown() throws {
        let (report, impossible) = try Self.position(#""epd":0.0000,"eps":0.00,"epc":0.00"#)
        #expect([report.trackError, report.speedError, report.climbError] == [0, 0, 0])
        #expect(impossible == 0)
    }

    @Test("A dilution of precision is above 0 and below 1000")
    func dilutions() throws {
        var decoder = GPSDDecoder()
        let line = Array(#"{"class":"SKY","hdop":1e300,"vdop":0,"pdop":-1,"gdop":99.99,"tdop":0.7}"#.utf8)
        guard case .sky(let sky) = line.withUnsafeBytes({ decoder.decode($0) }) else { throw Refused() }
        #expect(sky.hdop.isNaN && sky.vdop.isNaN && sky.pdop.isNaN)
        #expect([sky.gdop, sky.tdop] == [99.99, 0.7])
        // A dilution of 0 is not counted as impossible.
        #expect(decoder.outOfRangeCount == 2)
    }

    @Test("If the class is repeated, only invalid values of the last class count")
    func repeatedClass() {
        var decoder = GPSDDecoder()
        let report = decoder.decode(Array(#"{"class":"TPV","speed":-1,"lat":"x","class":"WATCH"}"#.utf8))
        #expect(report.watch != nil)
        #expect(decoder.outOfRangeCount == 0 && decoder.firstInvalidOffset == nil)
    }

    @Test("Angles beyond 360 degrees are decoded as NaN and counted")
    func angles() throws {
        var decoder = GPSDDecoder()
        let line = Array(#"{"class":"ATT","heading":1e300,"pitch":-400,"roll":-180,"yaw":359.9}"#.utf8)
        guard case .attitude(let attitude) = line.withUnsafeBytes({ decoder.decode($0) }) else { throw Refused() }
        #expect(attitude.heading.isNaN && attitude.pitch.isNaN)
        #expect([attitude.roll, attitude.yaw] == [-180, 359.9] && decoder.outOfRangeCount == 2)
    }
}
