// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Testing

@Suite("Encoding of NMEA sentences")
struct NMEAEncoderTests {
    private func text(_ sentences: [[UInt8]]) -> [String] { sentences.map { String(decoding: $0, as: UTF8.self) } }

    /// The first fix of ublox-8.log, with the values of its sentences.
    private var fix: PositionReport {
        var report = PositionReport()
        report.mode = .threeDimensional
        report.time = WallTime(nanoseconds: 1_484_006_981_000_000_000)
        report.latitude = 44 + 4.13387 / 60
        report.longitude = -(121 + 18.85628 / 60)
        report.altitudeMSL = 1144.8
        report.geoidSeparation = -21.4
        report.speed = 0.029 * 1852 / 3600
        return report
    }

    /// The log contains `$GNGGA,000941.00,4404.13387,N,12118.85628,W,1,12,1.01,1144.8,M,-21.4,M,,*4D` and
    /// `$GNRMC,000941.00,A,4404.13387,N,12118.85628,W,0.029,,100117,,,A*7D`. Its talker and the digits of its heights
    /// differ, and therefore its checksums.
    @Test("A fix is encoded like the receiver's own sentences")
    func position() {
        var sky = SkyReport()
        sky.hdop = 1.01
        sky.usedCount = 12
        #expect(
            text(NMEAEncoder.sentences(fix, sky: sky)) == [
                "$GPGGA,000941.00,4404.13387,N,12118.85628,W,1,12,1.01,1144.80,M,-21.400,M,,*63",
                "$GPRMC,000941.00,A,4404.13387,N,12118.85628,W,0.029,,100117,,,A*63",
                "$GPVTG,,T,,M,0.029,N,0.054,K,A*29",
                "$GPGSA,A,3,,,,,,,,,,,,,,1.01,*02",
                "$GPZDA,000941.00,10,01,2017,00,00*6E",
            ])
    }

    /// Each of these sentences occurs in a log: in foretrex-201, bt451, hemi and foretrex-201, in this order.
    @Test("Without a fix, the encoder writes the empty sentences that receivers send")
    func noFix() {
        var report = PositionReport()
        report.mode = .none
        #expect(
            text(NMEAEncoder.sentences(report)) == [
                "$GPGGA,,,,,,0,00,,,M,,M,,*66", "$GPRMC,,V,,,,,,,,,,N*53", "$GPVTG,,T,,M,,N,,K,N*2C",
                "$GPGSA,A,1,,,,,,,,,,,,,,,*1E",
            ])
    }

    @Test(
        "Satellites in view are encoded as in the receiver's log",
        arguments: [("ublox-8.log", 5), ("isync.log", 1)])
    func inView(log: String, count: Int) throws {
        let logged = try Logs.lines(log).filter { $0.dropFirst(3).hasPrefix("GSV") }
        var compared = 0
        for case .sky(let sky) in try Logs.reports("\(log).chk") where sky.satellites != nil {
            let written = text(NMEAEncoder.sentences(sky))
            guard written.count > 3 else { continue }
            #expect(written.allSatisfy(logged.contains), "\(written)")
            compared += 1
            if compared == count { break }
        }
        #expect(compared == count)
    }

    @Test("Several satellite systems are encoded with the talker GN and one GSA sentence per system")
    func systems() throws {
        let skies = try Logs.reports("ublox-8.log.chk").compactMap { if case .sky(let sky) = $0 { sky } else { nil } }
        let written = text(NMEAEncoder.sentences(fix, sky: skies[1]))
        #expect(written[0] == "$GNGGA,000941.00,4404.13387,N,12118.85628,W,1,14,1.01,1144.80,M,-21.400,M,,*7B")
        #expect(written[3] == "$GNGSA,A,3,03,07,09,16,22,23,26,27,,,,,1.71,1.01,1.38,1*06")
        #expect(written[4] == "$GNGSA,A,3,69,70,71,73,79,80,,,,,,,1.71,1.01,1.38,2*03")
        #expect(written[5].hasPrefix("$GPGSV,4,1,16,02,05,307,,03,21,174,29,"))
        #expect(written[9].hasPrefix("$GLGSV,3,1,09,69,40,156,22,"))
    }

    @Test("Rounding never yields 60 minutes or a direction of 360 degrees")
    func rounding() {
        var report = fix
        report.latitude = -(9 + 59.999_999_9 / 60)
        report.longitude = 179.999_999_999
        report.track = 359.9999
        report.magneticTrack = -0.5
        report.speed = 0
        report.time = WallTime(nanoseconds: -1_000_000)
        let written = text(NMEAEncoder.sentences(report))
        #expect(written[0].hasPrefix("$GPGGA,235959.999,1000.00000,S,18000.00000,E,1,,"))
        #expect(written[1].contains(",0.000,0.000,311269,,,A*"))
        #expect(written[2].hasPrefix("$GPVTG,0.000,T,359.500,M,0.000,N,0.000,K,A*"))
    }

    /// A 95 % error of 1.96 m is a standard deviation of 1 m. In two dimensions, a 95 % error of 2.4477 m is.
    @Test("Errors are encoded as standard deviations")
    func errors() {
        var report = fix
        report.latitudeError = 1.96
        report.longitudeError = 3.92
        report.verticalError = 9.8
        #expect(text(NMEAEncoder.sentences(report))[4] == "$GPGST,000941.00,,,,,1.000,2.000,5.000*5D")
        report.latitudeError = .nan
        report.longitudeError = .nan
        report.horizontalError = 2.4477
        #expect(text(NMEAEncoder.sentences(report))[4] == "$GPGST,000941.00,,,,,1.000,1.000,5.000*5E")
    }

    @Test(
        "The status determines the quality in GGA and the mode letter in RMC",
        arguments: [(0, "1", "A"), (2, "2", "D"), (3, "4", "R"), (4, "5", "F"), (5, "6", "E"), (8, "8", "S")])
    func status(status: UInt8, quality: String, letter: String) {
        var report = fix
        report.status = status
        let written = text(NMEAEncoder.sentences(report))
        #expect(written[0].split(separator: ",", omittingEmptySubsequences: false)[6] == quality)
        #expect(written[1].contains(",,,\(letter)*"))
    }

    @Test("The altitude above sea level is computed from the ellipsoidal altitude if the geoid separation is known")
    func heights() {
        var report = fix
        report.altitudeMSL = .nan
        report.altitudeHAE = 1123.4
        #expect(text(NMEAEncoder.sentences(report))[0].contains(",1144.80,M,-21.400,M,"))
        report.geoidSeparation = .nan
        #expect(text(NMEAEncoder.sentences(report))[0].contains(",1,,,,M,,M,,*"))
    }

    @Test("Headings, rate of turn, pitch and roll are encoded as HDT, HDG, ROT and XDR")
    func attitude() {
        var report = AttitudeReport()
        report.heading = 2.5
        report.magneticHeading = 358
        report.rateOfTurn = -3.25
        report.pitch = 1.5
        report.roll = -0.0001
        #expect(
            text(NMEAEncoder.sentences(report)) == [
                "$GPHDT,2.500,T*32", "$HCHDG,358.000,,,4.5,E*26", "$HEROT,-3.250,A*02",
                "$YXXDR,A,1.500,D,PTCH,A,0.000,D,ROLL*59",
            ])
    }

    @Test("Impossible numbers leave their fields empty")
    func extremes() {
        var report = PositionReport()
        report.mode = .threeDimensional
        report.latitude = 90
        report.longitude = -180
        report.altitudeMSL = .infinity
        report.speed = 1e300
        report.track = .nan
        report.magneticVariation = -.infinity
        report.time = WallTime(nanoseconds: .max)
        var sky = SkyReport()
        var satellite = Satellite()
        satellite.number = .min
        satellite.systemNumber = .max
        satellite.system = .sbas
        satellite.elevation = 1e30
        sky.satellites = Array(repeating: satellite, count: 5000)
        sky.usedCount = .max
        let written = text(NMEAEncoder.sentences(report, sky: sky))
        #expect(written[0].contains(",9000.00000,N,18000.00000,W,1,999,,,M,,M,,*"))
        #expect(written[1].contains(",A,9000.00000,N,18000.00000,W,,,"))
        #expect(written[4] == "$GPGSV,1,1,00*79")
    }
}
