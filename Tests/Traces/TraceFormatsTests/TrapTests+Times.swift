// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace
import TraceEditing

@testable import TraceFormats

extension TrapTests {
    @Test("5. Measurement time, arrival time and the receiver's clock are kept separately")
    func clocks() throws {
        // The report arrives 250 ms after noon, and its own time is 300 ms before noon. The reading is 2 ms old.
        let text = """
            {"format":"device-services-trace","version":1,"start":{"utc":"2026-03-23T12:00:00.000000000Z","boot":100.0},"sensors":[{"id":"gyroscope","kind":"gyroscope"}]}
            {"t":0.250000000,"gpsd":{"class":"TPV","device":"/dev/gps","mode":3,"time":"2026-03-23T11:59:59.700Z","lat":43.25,"lon":13.5,"altHAE":150,"track":90,"speed":2.5}}
            {"t":0.500000000,"gyroscope":[0.25,0.5,0.125],"stamp":0.498000000}

            """
        let trace = try MCAPFiles.trace(text)
        // Noon of 2026-03-23, from date -u -d 2026-03-23T12:00Z +%s.
        let (arrival, measured): (Int64, Int64) = (1_774_267_200_250_000_000, 1_774_267_199_700_000_000)
        let pair = try #require(TraceSummary(trace).clocks.first)
        #expect(pair.time == 250_000_000 && pair.receiver == WallTime(nanoseconds: measured))

        let messages = try RoundTrip.messages(trace)
        let fix = try #require(messages.first { $0.topic == "/gps/fix" })
        #expect(fix.logged == UInt64(arrival) && fix.published == UInt64(measured))
        let reading = try #require(messages.first { $0.topic == "/gyroscope" })
        #expect(reading.logged == 1_774_267_200_500_000_000 && reading.published == 1_774_267_200_498_000_000)
        let events = MCAPFiles.lines(try RoundTrip.through(.mcap, trace).reread.trace).dropFirst()
        #expect(events.elementsEqual(text.split(separator: "\n").dropFirst()))

        func check(_ result: RoundTrip.Result, arrival expected: Int64, _ what: String) throws {
            let read = result.positions
            let report = try #require(read.reports.first, "\(what)")
            #expect(report.report.time == WallTime(nanoseconds: measured), "\(what)")
            let start = try #require(result.reread.trace.start, "\(what)")
            #expect(start.nanoseconds + Int64((report.seconds * 1e9).rounded()) == expected, "\(what)")
        }
        let stamped = try RoundTrip.by(trace) {
            try RecordingFormat.gpsd.write($0, to: $1, options: ExportOptions(includesArrivalTimes: true))
        }
        #expect(stamped.text.hasPrefix(#"2026-03-23 12:00:00 1774267200.250000: {"class":"TPV""#))
        try check(stamped, arrival: arrival, "gpsd's reports with stamps")
        let tagged = try RoundTrip.by(trace) { trace, path in
            var options = ExportOptions()
            options.includesArrivalTimes = true
            return try RecordingFormat.nmea.write(trace, to: path, options: options)
        }
        #expect(tagged.text.hasPrefix(#"\c:1774267200250*"#))
        #expect(tagged.text.contains("$GPGGA,115959.70,"))
        try check(tagged, arrival: arrival, "sentences with tag blocks")
    }

    @Test(
        "6. No date is invented, a given one continues after midnight, and 1024 weeks are added only on request"
    )
    func dates() throws {
        func gga(_ time: String) -> String {
            nmeaSentence("GPGGA,\(time),4404.00000,N,12118.00000,W,1,12,1.0,10.0,M,-20.0,M,,")
        }
        func read(_ lines: [String], weeks: Int = 0) throws -> RecordingFile {
            var options = RecordingOptions()
            options.nmea.weeks = weeks
            return try RecordingFile.read([UInt8](lines.joined(separator: "\n").utf8), name: "t.nmea", options: options)
        }
        func times(_ trace: TraceFile) -> [Double?] { ReadPositions(trace).fixes.map { $0.time?.seconds } }
        let bare = [gga("235959.00"), gga("000001.00")]
        let undated = try read(bare)
        #expect(times(undated.trace) == [nil, nil])
        #expect(undated.remarks.contains { $0.hasPrefix("2 positions have no time") })
        let stillUndated = try RoundTrip.through(.nmea, undated.trace)
        #expect(times(stillUndated.reread.trace) == [nil, nil])
        #expect(!stillUndated.text.contains("ZDA"))

        // The last second of 2016 and the second one of 2017. UTC had a leap second in between, which neither clock
        // counts.
        let dated = try read(["# Date: 2016-12-31"] + bare)
        #expect(times(dated.trace) == [1_483_228_799, 1_483_228_801])
        // The written log contains its dates.
        let back = try RoundTrip.through(.nmea, dated.trace)
        #expect(back.text.contains("$GPZDA,235959.00,31,12,2016,00,00*"))
        #expect(back.text.contains("$GPZDA,000001.00,01,01,2017,00,00*"))
        #expect(times(back.reread.trace) == [1_483_228_799, 1_483_228_801])
        #expect(!back.reread.remarks.contains { $0.contains("date") }, "\(back.reread.remarks)")

        // 25 August 1999 and 10 April 2019 are 1024 weeks (7168 days) apart.
        let old = [
            "# Date: 2019-04-10", nmeaSentence("GPRMC,120000.00,A,4404.00000,N,12118.00000,W,1.0,90.0,250899,,,A"),
        ]
        let unchanged = try read(old)
        #expect(times(unchanged.trace) == [935_582_400])
        #expect(unchanged.remarks.contains { $0.contains("1024") })
        let corrected = try read(old, weeks: 1024)
        #expect(times(corrected.trace) == [1_554_897_600])
        let later = try RoundTrip.through(.nmea, corrected.trace)
        #expect(later.text.contains(",100419,"))
        #expect(times(later.reread.trace) == [1_554_897_600])
    }

    @Test("7. phyphox's metres labelled as degrees, NaN and decimal commas give the intended numbers")
    func phyphox() throws {
        let table = """
            "Time (s)";"Latitude (°)";"Longitude (°)";"Height (m)";"Velocity (m/s)";"Direction (°)";"Horizontal Accuracy (m)";"Vertical Accuracy (°)"
            1,0E0;5,0E1;6,0E0;2,0E2;2,5E0;9,0E1;5,0E0;3,0E0
            2,0E0;5,05E1;6,5E0;NaN;2,5E0;9,0E1;NaN;NaN

            """
        let clock = """
            "event";"experiment time";"system time";"system time text"
            "START";0,000000000E0;1759650000,250;"2025-10-05 09:40:00.250 UTC+02:00"

            """
        let recording = try Recording(
            phyphox: ["Location.csv": [UInt8](table.utf8), "meta/time.csv": [UInt8](clock.utf8)], name: "walk")
        let trace = try recording.trace(named: "walk")
        let back = try RoundTrip.through(.mcap, trace)
        for read in [ReadPositions(trace), back.positions] {
            try #require(read.fixes.count == 2)
            #expect(read.fixes.map { $0.time?.nanoseconds } == [1_759_650_001_250_000_000, 1_759_650_002_250_000_000])
            #expect(read.fixes.map(\.latitude) == [50, 50.5] && read.fixes.map(\.longitude) == [6, 6.5])
            #expect(read.fixes[0].verticalError == 3 && read.fixes[0].horizontalError == 5)
            #expect(read.fixes[0].altitudeMSL == 200 && read.fixes[0].speed == 2.5 && read.fixes[0].track == 90)
            #expect(read.fixes.map(\.mode) == [.threeDimensional, .twoDimensional])
            #expect(
                read.fixes[1].verticalError.isNaN && read.fixes[1].horizontalError.isNaN
                    && read.fixes[1].altitudeMSL.isNaN)
        }
    }

    @Test("8. Rows of files with different rates are merged by time, including those before the start")
    func rates() throws {
        let axes = "time,seconds_elapsed,z,y,x"
        // The recording began at 1700000000 s. The position is 350 ms earlier, and the first gyroscope reading 5 ms
        // earlier.
        let files: [String: [String]] = [
            "Gyroscope.csv": [
                axes, "1699999999995000000,-0.005,3,2,1", "1700000000005000000,0.005,6,5,4",
                "1700000000015000000,0.015,9,8,7",
            ],
            "Magnetometer.csv": [axes, "1700000000000000000,0,-40,20,5", "1700000000040000000,0.04,-41,21,6"],
            "Barometer.csv": ["time,seconds_elapsed,relativeAltitude,pressure", "1700000000010000000,0.01,0,1013.25"],
            "Location.csv": ["time,seconds_elapsed,longitude,latitude", "1699999999650000000,-0.35,13.5,43.25"],
        ]
        let trace = try sensorLogger("android", files).trace(named: "walk")
        let expected = [
            #"{"t":0.000000000,"gpsd":{"class":"TPV","#, #"{"t":0.345000000,"gyroscope":[1.0,2.0,3.0]"#,
            #"{"t":0.350000000,"magnetometer":[0.05,0.2,-0.4]"#, #"{"t":0.355000000,"gyroscope":[4.0,5.0,6.0]"#,
            #"{"t":0.360000000,"pressure":101.325"#, #"{"t":0.365000000,"gyroscope":[7.0,8.0,9.0]"#,
            #"{"t":0.390000000,"magnetometer":[0.06,0.21,-0.41]"#,
        ]
        let back = try RoundTrip.through(.mcap, trace)
        for file in [trace, back.reread.trace] {
            #expect(file.start == WallTime(nanoseconds: 1_699_999_999_650_000_000))
            let lines = MCAPFiles.lines(file).dropFirst()
            #expect(lines.count == expected.count)
            for (line, expected) in zip(lines, expected) { #expect(line.hasPrefix(expected), "\(line)") }
        }
        // A single table has a row for the position and one for each of the six times with readings, with empty cells. The
        // position has 17 columns and the readings have 7. Of the position, only time, lat, lon and mode are known.
        let table = try RoundTrip.text(.csv, trace).split(separator: "\n")
        #expect(table.count == 8)
        #expect(
            table.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).count { $0.isEmpty } }
                == [13 + 7, 17 + 4, 17 + 4, 17 + 4, 17 + 6, 17 + 4, 17 + 4])
    }
}
