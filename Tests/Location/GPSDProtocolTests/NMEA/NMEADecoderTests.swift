// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Testing

/// Returns a sentence with its checksum, the XOR of all characters between the dollar sign and the asterisk.
func sentence(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    let sum = Int(text.utf8.reduce(0, ^))
    return "$\(text)*\(digits[sum >> 4])\(digits[sum & 15])"
}

/// The decoder's output for a list of lines.
struct Decoded {
    var positions: [PositionReport] = []
    var skies: [SkyReport] = []
    var attitudes: [AttitudeReport] = []
    var arrivals: [WallTime?] = []
    var counts = NMEACounts()

    init(_ lines: [String], date: WallTime? = nil, allowsMissingChecksum: Bool = false) {
        self.init(lines.map { [UInt8]($0.utf8) }, date: date, allowsMissingChecksum: allowsMissingChecksum)
    }

    init(_ lines: [[UInt8]], date: WallTime? = nil, allowsMissingChecksum: Bool = false) {
        var options = NMEADecoderOptions()
        options.date = date
        options.allowsMissingChecksum = allowsMissingChecksum
        var decoder = NMEADecoder(options: options)
        for line in lines { line.withUnsafeBytes { decoder.decode($0) { record($0) } } }
        decoder.finish { record($0) }
        counts = decoder.counts
    }

    private mutating func record(_ report: NMEAReport) {
        switch report.contents {
        case .position(let position):
            positions.append(position)
            arrivals.append(report.arrival)
        case .sky(let sky): skies.append(sky)
        case .attitude(let attitude): attitudes.append(attitude)
        }
    }
}

@Suite("Decoding of NMEA sentences")
struct NMEADecoderTests {
    /// The first epoch of ublox-8.log.
    private let epoch = [
        "$GNRMC,000941.00,A,4404.13387,N,12118.85628,W,0.029,,100117,,,A*7D",
        "$GNVTG,,T,,M,0.029,N,0.053,K,A*30",
        "$GNGGA,000941.00,4404.13387,N,12118.85628,W,1,12,1.01,1144.8,M,-21.4,M,,*4D",
        "$GNGSA,A,3,23,09,16,07,26,03,27,22,,,,,1.71,1.01,1.38*1B",
        "$GNGSA,A,3,80,70,73,79,69,71,,,,,,,1.71,1.01,1.38*1D",
    ]

    /// gpsd reports lat 44.068897833, lon -121.314271333, altHAE 1123.4, altMSL 1144.8 and speed 0.015 for this epoch.
    @Test("An epoch is decoded into one position and its dilutions of precision")
    func oneEpoch() throws {
        let decoded = Decoded(epoch)
        let report = try #require(decoded.positions.first)
        #expect(decoded.positions.count == 1)
        #expect(report.mode == .threeDimensional)
        #expect(report.time == WallTime(nanoseconds: 1_484_006_981_000_000_000))
        #expect(abs(report.latitude - 44.068897833) < 1e-9)
        #expect(abs(report.longitude - -121.314271333) < 1e-9)
        #expect(report.altitudeMSL == 1144.8)
        #expect(abs(report.altitudeHAE - 1123.4) < 1e-9)
        #expect(abs(report.speed - 0.015) < 0.0005)
        #expect(report.track.isNaN)
        #expect(report.horizontalError.isNaN)
        #expect(decoded.skies.first?.hdop == 1.01)
        #expect(decoded.skies.first?.pdop == 1.71)
        #expect(decoded.skies.first?.usedCount == 14)
        #expect(decoded.skies.first?.satellites == nil)
        #expect(decoded.counts.decoded == 5)
    }

    @Test("A wrong checksum is rejected, a missing one is rejected by default, and a lowercase one is accepted")
    func checksums() {
        let sound = sentence("GPGGA,000941.00,4404.13387,N,12118.85628,W,1,12,1.01,1144.8,M,-21.4,M,,")
        #expect(Decoded([sound.replacing("4404", with: "4405")]).positions.isEmpty)
        #expect(Decoded([sound.replacing("4404", with: "4405")]).counts.invalid == 1)
        let small = String(sound.dropLast(2)) + sound.suffix(2).lowercased()
        #expect(Decoded([small]).positions.count == 1)
        #expect(Decoded([String(sound.dropLast(3))]).positions.isEmpty)
        #expect(Decoded([String(sound.dropLast(3))], allowsMissingChecksum: true).positions.count == 1)
        #expect(Decoded([String(sound.dropLast(3))], allowsMissingChecksum: true).counts.withoutChecksum == 1)
    }

    @Test("Sentences are found after other text, after each other and inside an interrupted sentence")
    func surroundingText() {
        let gga = sentence("GPGGA,000941.00,4404.13387,N,12118.85628,W,1,12,1.01,1144.8,M,-21.4,M,,")
        let zda = sentence("GPZDA,000941.00,10,01,2017,00,00")
        #expect(Decoded(["2017-01-10 00:09:41: \(gga)"]).positions.count == 1)
        #expect(Decoded([zda + gga]).positions.first?.time != nil)
        #expect(Decoded(["$GPRMC,000941.00,A,44\(gga)04.13387,N*12"]).positions.count == 1)
        #expect(Decoded(["\u{1}\u{2}$$$\(gga)\u{0}"]).positions.count == 1)
    }

    @Test("A tag block sets the arrival time and the receiver of a sentence")
    func tagBlocks() {
        func tagged(_ tag: String, _ text: String) -> String {
            "\\" + sentence(tag).dropFirst() + "\\" + sentence(text)
        }
        let date = sentence("GPZDA,120000.00,10,01,2017,00,00")
        let decoded = Decoded([
            date,
            tagged("s:bow,c:1484006981", "GPGGA,120000.00,4404.0,N,12118.0,W,1,12,1.0,10.0,M,,M,,"),
            tagged("s:aft,c:1484006981500", "GPGGA,120000.50,4405.0,N,12118.0,W,1,12,1.0,20.0,M,,M,,"),
            tagged("s:bow,c:1484006982", "GPGGA,120001.00,4406.0,N,12118.0,W,1,12,1.0,30.0,M,,M,,"),
        ])
        #expect(decoded.positions.filter { $0.receiver == "bow" }.map(\.altitudeMSL) == [10, 30])
        #expect(decoded.positions.filter { $0.receiver == "aft" }.map(\.altitudeMSL) == [20])
        #expect(
            decoded.arrivals.compactMap { $0?.nanoseconds }.sorted() == [
                1_484_006_981_000_000_000, 1_484_006_981_500_000_000, 1_484_006_982_000_000_000,
            ])
    }

    @Test("The date advances at midnight, and a small step back in time returns to the previous day")
    func midnight() {
        let position = ",4404.0,N,12118.0,W,1,12,1.0,10.0,M,,M,,"
        let decoded = Decoded([
            sentence("GPZDA,235958.00,31,12,2016,00,00"), sentence("GPGGA,235958.00" + position),
            sentence("GPGGA,235959.00" + position), sentence("GPGGA,000000.00" + position),
            sentence("GPGGA,235959.50" + position), sentence("GPGGA,000001.00" + position),
        ])
        // 1483228800 is 2017-01-01T00:00:00Z.
        #expect(
            decoded.positions.map { $0.time?.seconds } == [
                1_483_228_798, 1_483_228_799, 1_483_228_800, 1_483_228_799.5, 1_483_228_801,
            ])
    }

    @Test("Without a date a fix has no time; a later sentence or the options can supply the date")
    func dates() {
        let gga = sentence("GPGGA,120000.00,4404.0,N,12118.0,W,1,12,1.0,10.0,M,,M,,")
        let undated = Decoded([gga])
        #expect(undated.positions.map(\.time) == [nil])
        #expect(undated.counts.undated == 1)
        let day = WallTime(nanoseconds: 1_483_228_800_000_000_000)
        #expect(Decoded([gga], date: day).positions.map { $0.time?.seconds } == [1_483_272_000])
        let rmc = sentence("GPRMC,120000.00,A,4404.0,N,12118.0,W,1.0,90.0,010117,,,A")
        #expect(Decoded([gga, rmc]).positions.map { $0.time?.seconds } == [1_483_272_000])
        // Telit receivers send the year -1, and 30 February does not exist.
        #expect(
            Decoded([sentence("GPRMC,120000.00,A,4404.0,N,12118.0,W,1.0,90.0,0101-1,,,A")]).positions[0].time == nil)
        #expect(
            Decoded([sentence("GPRMC,120000.00,A,4404.0,N,12118.0,W,1.0,90.0,300217,,,A")]).positions[0].time == nil)
    }

    @Test("Two-digit years begin at 1980, and a leap second is the first second of the next minute")
    func years() {
        func time(_ rmc: String) -> Double? { Decoded([sentence(rmc)]).positions.first?.time?.seconds }
        // The days 1999-08-22 and 2079-12-31 begin at these times, in seconds since 1970.
        #expect(time("GPRMC,000000,A,4404.0,N,12118.0,W,1.0,90.0,220899,,,A") == 935_280_000)
        #expect(time("GPRMC,000000,A,4404.0,N,12118.0,W,1.0,90.0,311279,,,A") == 3_471_206_400)
        #expect(time("GPRMC,235960.00,A,4404.0,N,12118.0,W,1.0,90.0,311216,,,A") == 1_483_228_800)
    }

    @Test("An epoch that one of its sentences marks as invalid has no fix")
    func validity() {
        let gga = "GPGGA,120000.00,4404.0,N,12118.0,W,1,12,1.0,10.0,M,,M,,"
        let void = "GPRMC,120000.00,V,4404.0,N,12118.0,W,1.0,90.0,010117,,,N"
        let decoded = Decoded([sentence(gga), sentence(void)])
        #expect(decoded.positions.map(\.mode) == [.none])
        #expect(decoded.positions.map(\.latitude.isNaN) == [true])
        #expect(decoded.positions.first?.time != nil)
        #expect(Decoded([sentence(gga)]).positions.map(\.mode) == [.threeDimensional])
        #expect(
            Decoded([sentence("GPGLL,4404.0,N,12118.0,W,120000.00,A,A")]).positions.map(\.mode) == [.twoDimensional])
        #expect(Decoded([sentence("GPGGA,120000.00,,,,,1,12,1.0,10.0,M,,M,,")]).positions.map(\.mode) == [.unknown])
        let flat = sentence("GPGSA,A,2,01,02,03,,,,,,,,,,2.0,1.0,1.7")
        #expect(Decoded([sentence(gga), flat]).positions.map(\.mode) == [.twoDimensional])
    }

    @Test(
        "Quality indicators and mode letters are decoded as the status",
        arguments: [("1", "A", 0), ("2", "D", 2), ("4", "R", 3), ("5", "F", 4), ("6", "E", 5), ("8", "S", 8)])
    func status(quality: String, letter: String, status: UInt8) {
        let gga = sentence("GPGGA,120000.00,4404.0,N,12118.0,W,\(quality),12,1.0,10.0,M,,M,,")
        let rmc = sentence("GPRMC,120000.00,A,4404.0,N,12118.0,W,1.0,90.0,010117,,,\(letter)")
        #expect(Decoded([gga]).positions.map(\.status) == [status])
        #expect(Decoded([rmc]).positions.map(\.status) == [status])
    }

    /// 5.2 knots are 2.6751 m/s, and 15.8 W is negative: gpsd reports 2.675 and -15.8 for this sentence of
    /// humminbird-M37.log.
    @Test("Knots are converted to metres per second, and western variation is negative")
    func motion() throws {
        let report = try #require(
            Decoded(["$INRMC,194101,A,4426.1130,N,07140.5596,W,5.2,77.3,160906,15.8,W*60"]).positions.first)
        #expect(abs(report.speed - 2.675) < 0.0005)
        #expect(report.track == 77.3)
        #expect(report.magneticVariation == -15.8)
        let old = try #require(
            Decoded([
                sentence("GPGLL,4426.1130,N,07140.5596,W,194101,A"), sentence("GPVTG,89.5,73.7,15.2,28.15"),
            ]).positions.first)
        #expect(old.track == 89.5)
        #expect(abs(old.speed - 15.2 * 1852 / 3600) < 1e-9)
    }

    /// With standard deviations of 1 m in latitude and in longitude, 95 % of the positions lie within 2.4477 m.
    @Test("Standard deviations are converted to 95 % errors")
    func deviations() throws {
        let report = try #require(
            Decoded([
                sentence("GPGGA,120000.00,4404.0,N,12118.0,W,1,12,1.0,10.0,M,,M,,"),
                sentence("GPGST,120000.00,11,,,,1.0,1.0,2.0"),
            ]).positions.first)
        #expect(abs(report.latitudeError - 1.96) < 1e-3)
        #expect(abs(report.longitudeError - 1.96) < 1e-3)
        #expect(abs(report.verticalError - 3.92) < 1e-3)
        #expect(abs(report.horizontalError - 2.4477) < 1e-3)
    }

    @Test("Satellites are distinguished by talker, number and the system and signal fields of NMEA 4.10")
    func satellites() throws {
        let sky = try #require(
            Decoded([
                sentence("GNGGA,120000.00,4404.0,N,12118.0,W,1,12,1.0,10.0,M,,M,,"),
                sentence("GNGSA,A,3,03,,,,,,,,,,,,1.7,1.0,1.4,3"), sentence("GNGSA,A,3,03,46,,,,,,,,,,,1.7,1.0,1.4,1"),
                sentence("GPGSV,1,1,02,03,45,090,40,46,30,180,,1"), sentence("GPGSV,1,1,01,03,45,090,35,6"),
                sentence("GAGSV,1,1,01,03,60,,38,7"), sentence("GBGSV,1,1,01,03,-1,359,38,1"),
                sentence("GLGSV,1,1,01,67,10,010,20,1"), sentence("GQGSV,1,1,01,02,11,011,21,1"),
            ]).skies.first)
        let found = try #require(sky.satellites)
        #expect(found.map(\.number) == [3, 46, 3, 303, 403, 67, 194])
        #expect(found.map(\.system) == [.gps, .sbas, .gps, .galileo, .beiDou, .glonass, .qzss])
        #expect(found.map(\.systemNumber) == [3, 133, 3, 3, 3, 3, 2])
        #expect(found.map(\.signalIdentifier) == [0, 0, 3, 0, 0, 0, 0])
        #expect(found.map(\.isUsed) == [true, true, true, true, false, false, false])
        #expect(found[1].signal.isNaN && found[3].azimuth.isNaN && found[4].elevation == -1)
        #expect(sky.usedCount == 3)
        #expect(sky.visibleCount == 7)
    }

    @Test("A list of satellites with a missing sentence is discarded and counted")
    func incomplete() {
        let first = sentence("GPGSV,2,1,05,01,10,010,20,02,20,020,20,03,30,030,20,04,40,040,20")
        let second = sentence("GPGSV,2,2,05,05,50,050,20")
        #expect(Decoded([first, second]).skies.first?.satellites?.count == 5)
        for lines in [[first], [second], [second, first]] {
            #expect(Decoded(lines).skies.isEmpty)
            #expect(Decoded(lines).counts.incompleteSkies == 1)
        }
    }

    @Test("Lists of satellites longer than any receiver's are discarded and counted")
    func hostileLists() {
        let satellite = ",01,10,010,20"
        let endless = (1...2000).map { sentence("GPGSV,999999999,\($0),99\(String(repeating: satellite, count: 4))") }
        // 41 sentences, and 39 sentences with 60 satellites each.
        let many = (1...41).map { sentence("GPGSV,41,\($0),99\(satellite)") }
        let wide = (1...39).map { sentence("GPGSV,39,\($0),99\(String(repeating: satellite, count: 60))") }
        for lines in [endless, many, wide] {
            let decoded = Decoded(lines)
            #expect(decoded.skies.isEmpty)
            #expect(decoded.counts.incompleteSkies == 1)
        }
        let fullList = (1...40).map { sentence("GPGSV,40,\($0),99\(satellite)") }
        #expect(Decoded(fullList).skies.first?.satellites?.count == 40)
    }

    @Test("Headings, rate of turn, pitch and roll are decoded into one attitude report")
    func attitude() throws {
        let decoded = Decoded([
            sentence("HEHDT,2.5,T"), sentence("HCHDG,356.0,2.0,E,4.5,E"), sentence("TIROT,-3.25,A"),
            sentence("YXXDR,A,1.5,D,PTCH,C,20,C,TEMP,A,-2.5,D,ROLL"), sentence("HEHDT,3.5,T"),
        ])
        #expect(decoded.attitudes.map(\.heading) == [2.5, 3.5])
        let first = try #require(decoded.attitudes.first)
        #expect(first.magneticHeading == 358)
        #expect(first.rateOfTurn == -3.25)
        #expect(first.pitch == 1.5)
        #expect(first.roll == -2.5)
        #expect(Decoded([sentence("HCHDG,350.0,,,12.0,E")]).attitudes.map(\.heading) == [2])
    }

    @Test("Invalid and impossible numbers are treated as unknown")
    func numbers() {
        let digits = String(repeating: "9", count: 400)
        for height in ["", "1e5", "--1", "1,2", "0x10", "nan", "inf", "1.2.3", digits, " "] {
            let report = Decoded([sentence("GPGGA,120000.00,4404.0,N,12118.0,W,1,12,1.0,\(height),M,,M,,")]).positions
                .first
            #expect(report?.mode == .twoDimensional || height == "1,2", "\(height)")
        }
        let long = sentence(
            "GPGGA,120000.00,4404.0\(String(repeating: "3", count: 400)),N,12118.0,W,1,12,1.0,10.0,M,,M,,")
        #expect(abs((Decoded([long]).positions.first?.latitude ?? 0) - 44.0672222) < 1e-6)
        for position in ["9000.1,N,12118.0,W", "4460.0,N,12118.0,W", "4404.0,X,12118.0,W", "4404.0,N,18000.1,W"] {
            #expect(
                Decoded([sentence("GPGGA,120000.00,\(position),1,12,1.0,10.0,M,,M,,")]).positions.map(\.mode) == [
                    .unknown
                ]
            )
        }
        for time in ["240000.00", "126000", "1200", "12000a", "120000,5", "-12000"] {
            #expect(Decoded([sentence("GPZDA,\(time),10,01,2017,00,00")]).counts.decoded == 1)
        }
    }

    @Test("Numbers may have any number of digits")
    func manyDigits() {
        // 0.05 knots are 0.0257 m/s, a speed of 1e-101 knots is 0, and the latitude has 30 minutes.
        for (speed, expected) in [
            ("0.04\(nines)", 0.05 * 1852 / 3600), ("0.\(noughts)1", 0), ("\(noughts)1.0", 1852 / 3600.0),
        ] {
            let line = "GPRMC,101112,A,4730.\(noughts)1,N,00800.\(noughts)\(noughts)9,E,\(speed),0.0,210526,,"
            let decoded = Decoded([sentence(line)])
            let report = decoded.positions.first
            #expect(abs((report?.speed ?? .nan) - expected) < 1e-12, "\(speed)")
            #expect(report?.latitude == 47.5 && report?.longitude == 8)
        }
    }

    private let noughts = String(repeating: "0", count: 100)
    private let nines = String(repeating: "9", count: 100)

    @Test("Hostile input does not crash the decoder")
    func hostile() {
        var noise: UInt64 = 88_172_645_463_325_252
        var lines: [[UInt8]] = [
            [UInt8](repeating: UInt8(ascii: "$"), count: 1 << 20),
            [UInt8](repeating: UInt8(ascii: "\\"), count: 1 << 20),
            [UInt8](repeating: 0, count: 1 << 20), [UInt8](repeating: UInt8(ascii: "*"), count: 1000), [],
            [UInt8]("$".utf8), [UInt8]("$*00".utf8), [UInt8]("\\*00\\$*00".utf8),
            [UInt8](sentence("GPGSV," + String(repeating: ",", count: 900)).utf8),
            [UInt8](sentence("GPGSV,999999999,1,01,1").utf8),
            [UInt8](sentence("GPXDR" + String(repeating: ",A", count: 400)).utf8),
        ]
        for kind in ["GGA", "RMC", "GLL", "GNS", "VTG", "GSA", "GSV", "GST", "ZDA", "HDG", "XDR", "DPT", "ROT", "DTM"] {
            lines.append([UInt8](sentence("GP\(kind)").utf8))
            lines.append([UInt8](sentence("GP\(kind),").utf8))
            lines.append([UInt8](sentence("GP\(kind)" + String(repeating: ",9", count: 60)).utf8))
            for _ in 0..<50 {
                var text = "GP\(kind)"
                for _ in 0..<20 {
                    noise ^= noise << 13
                    noise ^= noise >> 7
                    noise ^= noise << 17
                    text +=
                        "," + ["", "A", "1", "-1", "99999999999", "N", "4404.0", "120000", ".", "3"][Int(noise % 10)]
                }
                lines.append([UInt8](sentence(text).utf8))
            }
        }
        let decoded = Decoded(lines)
        #expect(decoded.counts.decoded > 500)
        #expect(decoded.positions.allSatisfy { !$0.hasFix || $0.latitude.magnitude <= 90 })
    }

    @Test("An encoded position is decoded to the same values", arguments: [0, 1, 2, 3])
    func roundTrip(seed: Int) throws {
        var report = PositionReport()
        report.mode = .threeDimensional
        report.time = WallTime(nanoseconds: 1_484_006_981_250_000_000)
        report.latitude = [44.1, -0.000_01, 89.999_999, -33.5][seed]
        report.longitude = [-121.25, 0.000_001, 179.999_999, -0.5][seed]
        report.altitudeMSL = [1144.8, -12.25, 0, 8848][seed]
        report.geoidSeparation = [-21.4, 47.125, 0, -30][seed]
        report.altitudeHAE = report.altitudeMSL + report.geoidSeparation
        report.speed = [0, 0.5, 33.3, 300][seed]
        report.track = [0, 359.999, 90, 180.5][seed]
        report.magneticVariation = [14.4, -4.1, 0, 179.9][seed]
        report.horizontalError = 3.5
        report.status = [0, 2, 3, 8][seed]
        var options = NMEAOptions()
        options.minuteDecimals = 7
        let read = try #require(Decoded(NMEAEncoder.sentences(report, options: options)).positions.first)
        #expect(read.mode == report.mode && read.time == report.time && read.status == report.status)
        // Latitude and longitude agree to 0.1 mm, and the other values to the digits of their fields.
        #expect(abs(read.latitude - report.latitude) < 1e-9)
        #expect(abs(read.longitude - report.longitude) < 1e-9)
        #expect(abs(read.altitudeMSL - report.altitudeMSL) < 0.006)
        #expect(abs(read.altitudeHAE - report.altitudeHAE) < 0.006)
        #expect(abs(read.speed - report.speed) < 0.0003)
        #expect(abs(read.track - report.track) < 0.0006)
        #expect(abs(read.magneticVariation - report.magneticVariation) < 0.06)
        #expect(abs(read.horizontalError - 3.5) < 0.002)
    }

    @Test("An encoded sky report decodes to the same satellites", arguments: ["ublox-8.log.chk", "sirfstarv.log.chk"])
    func skies(log: String) throws {
        var compared = 0
        for case .sky(let sky) in try Logs.reports(log) {
            guard let satellites = sky.satellites, !satellites.isEmpty else { continue }
            let read = try #require(Decoded(NMEAEncoder.sentences(PositionReport(), sky: sky)).skies.first)
            let found = try #require(read.satellites)
            func keys(_ list: [Satellite]) -> Set<String> {
                Set(
                    list.map {
                        "\($0.system?.rawValue ?? 99) \($0.systemNumber) \($0.isUsed) \($0.azimuth.rounded(.toNearestOrEven))"
                    })
            }
            #expect(keys(found) == keys(satellites))
            compared += 1
        }
        #expect(compared > 20)
    }
}
