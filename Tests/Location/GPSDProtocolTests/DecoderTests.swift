// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Testing

@Suite("Decoding of gpsd reports")
struct DecoderTests {
    @Test("Each member of a TPV report is decoded into its property")
    func readsPosition() throws {
        let text = """
            {"class":"TPV","device":"/dev/ttyACM0","status":4,"mode":3,"time":"1970-01-01T00:00:01.000Z","leapseconds":18,\
            "ept":1.5,"lat":2.5,"lon":-3.5,"altHAE":4.5,"altMSL":5.5,"alt":6.5,"epx":7.5,"epy":8.5,"epv":9.5,"track":10.5,\
            "magtrack":11.5,"magvar":12.5,"speed":13.5,"climb":14.5,"epd":15.5,"eps":16.5,"epc":17.5,"velN":18.5,\
            "velE":19.5,"velD":20.5,"geoidSep":21.5,"eph":22.5,"sep":23.5,"depth":24.5,"dgpsAge":25.5,"dgpsSta":26}
            """
        let report = try #require(GPSDDecoder.decode(text).position)
        #expect(report.receiver == "/dev/ttyACM0" && report.status == 4 && report.mode == .threeDimensional)
        #expect(report.time == WallTime(nanoseconds: 1_000_000_000) && report.leapSeconds == 18)
        let values = [
            report.timeError, report.latitude, report.longitude, report.altitudeHAE, report.altitudeMSL,
            report.altitudeUndefined, report.longitudeError, report.latitudeError, report.verticalError, report.track,
            report.magneticTrack, report.magneticVariation, report.speed, report.climb, report.trackError,
            report.speedError, report.climbError, report.velocityNorth, report.velocityEast, report.velocityDown,
            report.geoidSeparation, report.horizontalError, report.sphericalError, report.depth, report.correctionAge,
        ]
        var expected: [Double] = (1...25).map { Double($0) + 0.5 }
        expected[2] = -3.5
        #expect(values == expected)
        #expect(report.correctionStation == 26 && report.raw == nil && report.arrival == .zero)
    }

    @Test("A copy of a report does not change when later reports are decoded into the original")
    func keepsReports() {
        var decoder = GPSDDecoder()
        var position = PositionReport()
        var retained: [PositionReport] = []
        for index in 0..<4 {
            let text =
                index == 2 ? "{\"class\":\"TPV\"}" : "{\"class\":\"TPV\",\"device\":\"r\(index)\",\"lat\":\(index).5}"
            #expect(Array(text.utf8).withUnsafeBytes { decoder.decode($0, position: &position) } == nil)
            retained.append(position)
        }
        position.latitude = 80
        var changed = retained[3]
        changed.receiver = "other"
        #expect(retained.map(\.receiver) == ["r0", "r1", "", "r3"] && changed.receiver == "other")
        #expect(retained.map(\.latitude.bitPattern) == [0.5, 1.5, .nan, 3.5].map(\.bitPattern))
        #expect(position.latitude == 80 && changed.latitude == 3.5 && PositionReport().latitude.isNaN)
    }

    @Test("A reused decoder decodes any member order and number format like a new decoder")
    func readsAnyOrder() throws {
        let lines = [
            "{\"class\":\"TPV\",\"device\":\"a\",\"mode\":3,\"lat\":48.125,\"lon\":-11.5,\"alt\":500.25}",
            "{\"class\":\"TPV\",\"device\":\"a\",\"mode\":3,\"lat\":48.250,\"lon\":-12.5,\"alt\":501.25}",
            "{\"class\":\"TPV\",\"device\":\"a\",\"mode\":3,\"lat\":8.25,\"lon\":11.5,\"alt\":1501.25}",
            "{\"class\":\"TPV\",\"lon\":-11.5,\"x\":{\"lat\":1},\"lat\":48.125,\"mode\":2,\"alt\":null}",
            "{\"class\":\"TPV\", \"mode\" : 3 , \"lat\" : 48.1e0 ,\"lon\":1e1}",
        ]
        var decoder = GPSDDecoder()
        for line in lines + lines.reversed() + lines {
            let (one, other) = (decoder.decode([UInt8](line.utf8)).position, GPSDDecoder.decode(line).position)
            let (report, expected) = (try #require(one), try #require(other))
            #expect(report.receiver == expected.receiver && report.mode == expected.mode)
            #expect([report.latitude, report.longitude] == [expected.latitude, expected.longitude])
            #expect(report.altitudeUndefined.bitPattern == expected.altitudeUndefined.bitPattern)
        }
    }

    @Test("Each member of an ATT report is decoded into its property")
    func readsAttitude() throws {
        let text = """
            {"class":"ATT","device":"a","time":"1970-01-01T00:00:01Z","heading":1,"mheading":2,"pitch":3,"roll":4,"yaw":5,\
            "dip":6,"rot":7,"mag_len":99,"mag_x":8,"mag_y":9,"mag_z":10,"acc_len":99,"acc_x":11,"acc_y":12,"acc_z":13,\
            "gyro_x":14,"gyro_y":15,"gyro_z":16,"mag_st":"N","temp":99}
            """
        let report = try #require(GPSDDecoder.decode(text).attitude)
        #expect(report.receiver == "a" && report.time == WallTime(nanoseconds: 1_000_000_000))
        let angles = [
            report.heading, report.magneticHeading, report.pitch, report.roll, report.yaw, report.dip,
            report.rateOfTurn,
        ]
        #expect(angles == [1, 2, 3, 4, 5, 6, 7])
        #expect(report.magneticField == SIMD3(8, 9, 10) && report.acceleration == SIMD3(11, 12, 13))
        #expect(report.rotationRate == SIMD3(14, 15, 16))
    }

    @Test("Each member of a SKY report and of its satellites is decoded into its property")
    func readsSky() throws {
        let text = """
            {"class":"SKY","device":"a","time":"1970-01-01T00:00:01Z","xdop":1,"ydop":2,"vdop":3,"tdop":4,"hdop":5,"gdop":6,\
            "pdop":7,"nSat":2,"uSat":1,"satellites":[{"PRN":1,"el":2.5,"az":3.5,"ss":4.5,"used":true,"gnssid":6,"svid":5,\
            "sigid":6,"freqid":7,"health":2,"qual":4},{}, 5, {"gnssid":99,"used":1,"PRN":"7"}]}
            """
        let report = try #require(GPSDDecoder.decode(text).sky)
        #expect(report.receiver == "a" && report.time == WallTime(nanoseconds: 1_000_000_000))
        let dilutions = [report.xdop, report.ydop, report.vdop, report.tdop, report.hdop, report.gdop, report.pdop]
        #expect(dilutions == [1, 2, 3, 4, 5, 6, 7] && report.visibleCount == 2 && report.usedCount == 1)
        let satellites = try #require(report.satellites)
        #expect(satellites.count == 3)
        var first = Satellite()
        first.number = 1
        first.elevation = 2.5
        first.azimuth = 3.5
        first.signal = 4.5
        first.isUsed = true
        first.system = .glonass
        first.systemNumber = 5
        first.signalIdentifier = 6
        first.frequency = 7
        first.health = 2
        #expect(satellites[0] == first)
        for satellite in satellites[1...] {
            #expect(satellite.number == 0 && satellite.elevation.isNaN && !satellite.isUsed && satellite.system == nil)
            #expect(satellite.systemNumber == -1 && satellite.health == -1)
        }
    }

    @Test("VERSION, WATCH and DEVICE reports are decoded")
    func readsService() throws {
        // The VERSION report of Debian's gpsd 3.22.
        let version = GPSDDecoder.decode(
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        ).version
        #expect(version?.release == "3.22" && version?.revision == "3.22")
        #expect(version?.protocolMajor == 3 && version?.protocolMinor == 14 && version?.remote == "")
        let watch = GPSDDecoder.decode(
            #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":2,"scaled":true,"timing":false,"#
                + #""split24":true,"pps":true,"device":"/dev/a"}"#
        ).watch
        var expected = GPSDWatch()
        expected.isEnabled = true
        expected.json = true
        expected.raw = 2
        expected.scaled = true
        expected.split24 = true
        expected.pps = true
        expected.device = "/dev/a"
        #expect(watch == expected)
        let device = GPSDDecoder.decode(
            #"{"class":"DEVICE","path":"/dev/pts/1","driver":"u-blox","subtype":"SW 1.00","subtype1":"HW 2","#
                + #""activated":"2021-06-16T23:46:05.800Z","flags":1,"native":1,"bps":9600,"parity":"N","stopbits":1,"#
                + #""cycle":1.00,"mincycle":0.25}"#
        ).device
        #expect(device?.path == "/dev/pts/1" && device?.driver == "u-blox" && device?.subtype == "SW 1.00")
        #expect(device?.subtype1 == "HW 2" && device?.bitsPerSecond == 9600 && device?.cycle == 1)
        #expect(device?.isActive == true)
    }

    @Test(
        "A receiver is inactive if `activated` is 0 or an empty string",
        arguments: [
            ("0", false), ("0.0", false), ("\"\"", false), ("\"2021-06-16T23:46:05.800Z\"", true),
            ("1269959537.20", true),
            ("null", true),
        ]
    )
    func readsActivation(json: String, isActive: Bool) {
        let text = "{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":\(json)}"
        #expect(GPSDDecoder.decode(text).device?.isActive == isActive)
        #expect(GPSDDecoder.decode("{\"class\":\"DEVICE\",\"path\":\"/dev/a\"}").device?.isActive == true)
    }

    @Test(
        "A report of an unsupported class is returned with its class",
        arguments: [
            ("PPS", GPSDClass.pps), ("TOFF", .toff), ("OSC", .osc), ("GST", .gst), ("IMU", .imu), ("RAW", .raw),
            ("AIS", .ais),
            ("POLL", .poll), ("RTCM2", .rtcm2), ("RTCM3", .rtcm3), ("SUBFRAME", .subframe), ("NEW", .unknown),
            ("", .unknown),
            ("tpv", .unknown), ("TPVX", .unknown), ("A_CLASS_WITH_A_LONG_NAME", .unknown),
        ]
    )
    func namesOthers(name: String, expected: GPSDClass) {
        #expect(GPSDDecoder.decode("{\"class\":\"\(name)\",\"a\":[{\"class\":\"TPV\"}]}").other == expected)
    }

    @Test("Whitespace is allowed anywhere, and the class at any position", arguments: ["", " ", "\t", " \r\t\n "])
    func readsLoosely(blank: String) {
        let members = [
            "\"mode\"~:~3", "\"class\"~:~\"TPV\"", "\"lat\"~:~1.5", "\"x\"~:~[~{~\"class\"~:~\"SKY\"~}~,~[~]~]",
        ]
        for shift in members.indices {
            let order = members[shift...] + members[..<shift]
            let text = "~{~" + order.joined(separator: "~,~") + "~}~"
            let report = GPSDDecoder.decode(
                text.split(separator: "~", omittingEmptySubsequences: false).joined(separator: blank))
            #expect(report.position?.latitude == 1.5 && report.position?.mode == .threeDimensional)
        }
    }

    @Test("The last value of a repeated key is used, even for the class")
    func lastKeyCounts() {
        let position = GPSDDecoder.decode(#"{"class":"TPV","mode":2,"lat":1,"lat":2,"mode":3,"lon":5,"lon":"x"}"#)
            .position
        #expect(position?.latitude == 2 && position?.mode == .threeDimensional && position?.longitude.isNaN == true)
        let sky = GPSDDecoder.decode(
            #"{"class":"TPV","hdop":2,"class":"ATT","class":"SKY","satellites":[{}],"satellites":[]}"#)
        #expect(sky.sky?.hdop == 2 && sky.sky?.satellites == [])
        #expect(GPSDDecoder.decode(#"{"class":"TPV","class":null}"#).malformed?.reason == .noClass)
        #expect(GPSDDecoder.decode(#"{"class":7,"class":"TPV"}"#).position != nil)
    }

    @Test("Escape sequences in keys and classes are decoded")
    func readsEscapedNames() {
        let text = #"{"\u0063lass":"T\u0050V","l\u0061t":1.5,"leap\u0073econds":18,"device":"\/dev\/\u20ac"}"#
        let position = GPSDDecoder.decode(text).position
        #expect(position?.latitude == 1.5 && position?.leapSeconds == 18 && position?.receiver == "/dev/€")
    }

    @Test(
        "A value of the wrong type or out of range is treated as absent",
        arguments: ["\"1.5\"", "null", "nan", "NaN", "-nan", "Infinity", "1e999", "true", "[1]", "{\"a\":1}"]
    )
    func wrongTypesAreAbsent(json: String) throws {
        let text = """
            {"class":"TPV","lat":1,"lon":1,"mode":3,"device":"/dev/a","status":2,"leapseconds":1,"dgpsSta":1,\
            "lat":\(json),"lon":\(json),"mode":\(json),"device":\(json == "\"1.5\"" ? "7" : json),"status":\(json),\
            "leapseconds":\(json),"dgpsSta":\(json),"speed":2.5}
            """
        let report = try #require(GPSDDecoder.decode(text).position)
        #expect(report.latitude.isNaN && report.longitude.isNaN && report.mode == .unknown && report.receiver == "")
        #expect(report.status == 0 && report.leapSeconds == -1 && report.correctionStation == -1)
        #expect(report.speed == 2.5 && !report.hasFix)
    }

    @Test("Modes and counts must be integers in range", arguments: ["4", "-1", "1.5", "256", "99999999999999999999"])
    func numbersOutOfRangeAreAbsent(json: String) {
        let text = "{\"class\":\"TPV\",\"mode\":\(json),\"lat\":2}"
        #expect(GPSDDecoder.decode(text).position?.mode == .unknown)
        #expect(GPSDDecoder.decode("{\"class\":\"TPV\",\"mode\":3.0}").position?.mode == .threeDimensional)
        #expect(
            GPSDDecoder.decode("{\"class\":\"SKY\",\"nSat\":2147483648,\"uSat\":2147483647}").sky?.visibleCount == -1)
    }

    @Test("The decoder keeps the names of 100 receivers apart")
    func distinguishesNames() {
        var decoder = GPSDDecoder()
        for round in 0..<3 {
            for index in (0..<100).shuffledByStride(7 + round) {
                let path = "/dev/serial/by-id/receiver-number-\(index)"
                let report = decoder.decode([UInt8]("{\"class\":\"TPV\",\"device\":\"\(path)\"}".utf8))
                #expect(report.position?.receiver == path)
            }
        }
    }
}

extension Range<Int> {
    /// Returns the elements in steps of `step`: all of them if `step` and the count are coprime.
    fileprivate func shuffledByStride(_ step: Int) -> [Int] { map { lowerBound + $0 * step % count } }
}
