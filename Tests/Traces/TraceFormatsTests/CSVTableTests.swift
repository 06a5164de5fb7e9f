// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Tables with a column map")
struct CSVTableTests {
    private func recording(_ text: String, _ map: String) throws(DeviceError) -> Recording {
        try Recording(table: [UInt8](text.utf8), name: "t.csv", columns: try CSVColumnMap(map))
    }

    private func positions(_ text: String, _ map: String) throws -> ReadPositions {
        let recording = try recording(text, map)
        return ReadPositions(try recording.trace(named: "t.csv"), remarks: recording.remarks)
    }

    @Test("A minus sign before a unit negates accelerations, and values are converted to the units of sources")
    func motion() throws {
        let text = """
            ts,ax,ay,az,gx,gy,gz,mx,my,mz,p
            1700000000123,0,0,-1,180,0,-90,50,-25,12.5,1013.25
            1700000000133,-0.5,0,-1,0,0,0,50,-25,12.5,1013.5

            """
        let map =
            "time=ts:ms,accel.x=ax:-g,accel.y=ay:-g,accel.z=az:-g,gyro.x=gx:deg/s,gyro.y=gy:deg/s,gyro.z=gz:deg/s,mag.x=mx:uT,mag.y=my:uT,mag.z=mz:uT,pressure=p:hPa"
        let recording = try recording(text, map)
        // Flat on a table, Apple's -1 g on z is a proper acceleration of +9.80665 m/s².
        #expect(recording.track(.accelerometer)?.values == [[0, 0, 9.80665], [4.903325, 0, 9.80665]])
        #expect(recording.track(.gyroscope)?.values.first == [.pi, 0, -.pi / 2])
        #expect(recording.track(.magnetometer)?.values.first == [0.5, -0.25, 0.125])
        #expect(recording.track(.pressure)?.values.map(\.x) == [101.325, 101.35])
        #expect(recording.start == WallTime(nanoseconds: 1_700_000_000_123_000_000))
        #expect(recording.track(.accelerometer)?.times == [0, 10_000_000])
        #expect(recording.remarks == [])
    }

    @Test("Positions contain all mapped quantities")
    func positions() throws {
        let text = """
            "Time";"Breite, Nord";Länge;Höhe;Ell;v;Kurs;Steigen;hAcc;vAcc;sAcc;cAcc;n;HDOP
            2026-11-21T11:00:00.250+01:00;"50,5";-6,25;100;145,5;36;90;1,5;5;7;0,5;3;9;0,8

            """
        let map =
            #"decimal=comma,time=time:iso,lat="Breite, Nord",lon=länge,alt.msl=#4:ft,alt.hae=ell,speed=v:km/h,course=kurs,climb=steigen,acc.h=hacc,acc.v=vacc,acc.speed=sacc,acc.course=cacc,sats=n,hdop=hdop"#
        let read = try positions(text, map)
        let report = try #require(read.fixes.first)
        #expect(report.latitude == 50.5 && report.longitude == -6.25)
        // 100 ft
        #expect(report.altitudeMSL == 30.48)
        #expect(report.altitudeHAE == 145.5)
        #expect(report.geoidSeparation == 115.02)
        #expect(report.speed == 10)
        #expect(report.track == 90 && report.climb == 1.5)
        #expect(report.horizontalError == 5 && report.verticalError == 7)
        #expect(report.speedError == 0.5 && report.trackError == 3)
        #expect(report.mode == .threeDimensional)
        // From date -u -d 2026-11-21T10:00:00Z +%s.
        #expect(report.time == WallTime(nanoseconds: 1_795_255_200_250_000_000))
        #expect(read.trace.start == report.time)
        #expect(read.skies.first?.usedCount == 9)
        #expect(read.skies.first?.hdop == 0.8)
        #expect(read.remarks == [])
    }

    @Test(
        "Elapsed times and times since 1970 are read in seconds, milliseconds, microseconds or nanoseconds",
        arguments: [
            ("s", "12.5", "13", nil), ("ms", "12500", "13000", nil), ("us", "12500000", "13000000", nil),
            ("ns", "12500000000", "13000000000", nil), ("s", "1700000000.5", "1700000001", 1_700_000_000_500_000_000),
            ("ns", "1700000000500000000", "1700000001000000000", 1_700_000_000_500_000_000),
        ] as [(String, String, String, Int64?)])
    func times(unit: String, first: String, second: String, start: Int64?) throws {
        let recording = try recording("t,p\n\(first),100\n\(second),101\n", "time=t:\(unit),pressure=p")
        #expect(recording.start == start.map { WallTime(nanoseconds: $0) })
        let expected: [Int64] = start == nil ? [12_500_000_000, 13_000_000_000] : [0, 500_000_000]
        #expect(recording.tracks[0].times == expected)
    }

    /// Seconds from Python: `datetime(1971, 6, 1, tzinfo=UTC).timestamp()`.
    @Test("Dates before 1973 are accepted", arguments: [("1971-06-01", 44_582_400), ("1965-01-01", -157_766_400)])
    func earlyDates(date: String, seconds: Int64) throws {
        let read = try positions(
            "ts,a,b\n\(date)T00:00:00Z,1,2\n\(date)T00:00:01Z,1,2\n", "time=ts:iso,lat=a,lon=b")
        #expect(read.trace.start == WallTime(nanoseconds: seconds * 1_000_000_000))
        #expect(read.times == [0, 1])
        #expect(read.fixes.map(\.time) == [0, 1].map { WallTime(nanoseconds: (seconds + $0) * 1_000_000_000) })
    }

    @Test("Times of an unset clock are ignored if other times are since 1970")
    func mixedTimes() throws {
        let late = try positions("t,a,b\n-1,1,2\n1700000000,1,2\n", "time=t,lat=a,lon=b")
        #expect(late.fixes.map { $0.time?.seconds } == [nil, 1_700_000_000])
        #expect(late.times == [0, 1])
        let early = try positions("t,a,b\n1700000000,1,2\n5,1,2\n", "time=t,lat=a,lon=b")
        #expect(early.trace.start == WallTime(nanoseconds: 1_700_000_000_000_000_000))
        #expect(early.fixes.map { $0.time?.seconds } == [1_700_000_000, nil])
        #expect(early.times == [0, 1])
    }

    @Test("The start setting converts elapsed times to civil times")
    func start() throws {
        let read = try positions("t,a,b\n1.5,1,2\n", "time=t,lat=a,lon=b,start=2026-11-21T10:00:00Z")
        #expect(read.fixes.first?.time == WallTime(nanoseconds: 1_795_255_201_500_000_000))
        #expect(read.trace.start == WallTime(nanoseconds: 1_795_255_200_000_000_000))
    }

    @Test("Rows without times are evenly spaced, and header, skipped lines and separator can be set")
    func shape() throws {
        let text = "# made by a logger\nversion 3, 2 columns\n1|2|3\n4|5|6\n"
        let map = "header=no,skip=2,separator=pipe,period=0.25,gyro.x=#3,gyro.y=#2,gyro.z=#1"
        let recording = try recording(text, map)
        #expect(recording.tracks[0].values == [[3, 2, 1], [6, 5, 4]])
        #expect(recording.tracks[0].times == [0, 250_000_000])
        let tabs = try self.recording("x\ty\tz\n1\t2\t3\n", "period=1,gyro.x=X,gyro.y=Y,gyro.z=Z")
        #expect(tabs.tracks[0].values == [[1, 2, 3]])
    }

    @Test("Columns with equal names are selected by number")
    func repeatedNames() throws {
        let text = "t,x,y,z,x,y,z\n0,1,2,3,4,5,6\n"
        let error = #expect(throws: DeviceError.self) { try recording(text, "time=t,gyro.x=x,gyro.y=y,gyro.z=z") }
        #expect(error?.message.contains("there are 2 columns with this name. Write #") == true)
        let chosen = try recording(text, "time=t,gyro.x=#5,gyro.y=#6,gyro.z=#7")
        #expect(chosen.tracks[0].values == [[4, 5, 6]])
    }

    @Test("A position repeated in rows with motion readings counts once a second and when it changes")
    func repetition() throws {
        var text = "t,p,a,b\n"
        for row in 0..<25 { text += "\(Double(row) / 10),100,50,\(row < 5 ? 6.0 : 6.5)\n" }
        let read = try positions(text, "time=t,pressure=p,lat=a,lon=b")
        // At 0 s, at 0.5 s because it changes, and one second after that at 1.5 s. The rows end before 2.5 s.
        #expect(read.times == [0, 0.5, 1.5])
        #expect(read.hasRemark("22 rows repeat the previous position, which was used only once per second"))
        // Without motion readings, each row is a report.
        #expect(try positions(text, "time=t,lat=a,lon=b").times.count == 25)
    }

    @Test("Missing speed and course are derived from the positions")
    func derived() throws {
        let read = try positions("t,a,b\n0,0,1\n2,0,1.001\n", "time=t,lat=a,lon=b")
        // On the equator: 6378137 m * 0.001 * pi / 180 = 111.3195 m in two seconds, due east.
        #expect(read.fixes.last?.speed == 55.66)
        #expect(read.fixes.last?.track == 90)
        #expect(read.hasRemark("1 positions have a speed, course or climb"))
    }

    @Test("Impossible numbers count as unknown")
    func impossible() throws {
        let read = try positions("t,a,b,s\n0,0,1,1\n2,0,1.001,1e300\n", "time=t,lat=a,lon=b,speed=s")
        #expect(read.fixes.map(\.speed).first == 1)
        #expect(read.fixes.last?.speed == 55.66)
        #expect(read.hasRemark("1 impossible values in positions were treated as unknown."))
    }

    @Test("The mode marks rows without a fix, and missing or invalid coordinates give no position")
    func fixes() throws {
        let text = "t,a,b,m\n0,50,6,3\n1,0,0,0\n2,,,\n3,95,6,3\n4,50,6,2\n"
        let read = try positions(text, "time=t,lat=a,lon=b,mode=m")
        #expect(read.times == [0, 1, 4])
        #expect(read.reports.map(\.report.mode) == [.twoDimensional, FixMode.none, .twoDimensional])
        #expect(
            read.hasRemark(
                "the row has no valid latitude and longitude, and its position was skipped (line 5: \"95.0, 6.0\")."))
    }

    @Test("Errors name the line, the column and the remedy")
    func errors() {
        let gyro = "time=t,gyro.x=x,gyro.y=y,gyro.z=z"
        let cases: [(text: String, map: String, expected: String)] = [
            (
                "a,b\n", "time=t,lat=a,lon=b",
                "t.csv, line 1: there is no column \"t\", which the column map assigns to time. The columns are #1 a, #2 b."
            ),
            (
                "a,b\n", "time=#3,lat=a,lon=b",
                "t.csv, line 1: there is no column #3, which the column map assigns to time: the header has 2 columns."
            ),
            ("t,x,y,z\n0,1,2,east\n", gyro, "t.csv, line 2, column 4 (z): \"east\" is not a number"),
            ("t;x;y;z\n0;1,5;2;3\n", gyro, "\"1,5\" has a decimal comma. Add decimal=comma to the column map"),
            ("t,x,y,z\n0,1,2,3,4,5\n", gyro, "t.csv, line 2: the row has 6 cells, but the header has 4"),
            ("t,x,y,z\n,1,2,3\n", gyro, "t.csv, line 2, column 1 (t): the row has readings but no time"),
            ("t,x,y,z\n2026-11-21 10:00:00,1,2,3\n", gyro, "is a date. Write :iso after the column"),
            ("t,a,b\n12,1,2\n", "time=t:iso,lat=a,lon=b", "\"12\" is not a time such as 2026-11-21T10:00:00Z"),
            ("t,x,y,z\n1e12,1,2,3\n", gyro, "the time \"1e12\" is out of range in s. Specify another unit"),
            ("t,x,y,z\n", gyro, "no readings in the columns of the column map"),
            ("", gyro, "t.csv is empty"),
        ]
        for (text, map, expected) in cases {
            let error = #expect(throws: DeviceError.self) { try recording(text, map) }
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
            #expect(error?.code == .invalidTrace)
        }
    }

    @Test("Truncated and partial rows are omitted with a remark")
    func parts() throws {
        let recording = try recording(
            "t,x,y,z\n0,1,2,3\n1,1,,3\n2,nan,null,-\n3,4,5,6\n4,7", "time=t,gyro.x=x,gyro.y=y,gyro.z=z")
        #expect(recording.tracks[0].values == [[1, 2, 3], [4, 5, 6]])
        #expect(
            recording.remarks == [
                "Line 6 of t.csv has no line end and may be truncated. It was skipped.",
                "1 readings had only some axes of their sensor and were skipped.",
            ])
        #expect(
            try self.recording("t,a,b\n2026-11-21T10:00:00,1,2\n", "time=t:iso,lat=a,lon=b").remarks == [
                "1 times have no time zone and were read as UTC."
            ])
    }

    @Test("A column map applies to any kind of file, but not to directories")
    func anyFile() throws {
        var options = RecordingOptions()
        options.columns = try CSVColumnMap("time=a:ms,lat=b,lon=c")
        try Files.withFolder { folder in
            try Files.write([UInt8]("a,b,c\n1500,50,6\n".utf8), folder + "/x.txt")
            let file = try RecordingFile.open(folder + "/x.txt", options: options)
            #expect(file.format == .csv)
            #expect(ReadPositions(file.trace).times == [1.5])
            let error = #expect(throws: DeviceError.self) { try RecordingFile.open(folder, options: options) }
            #expect(error?.message.contains("is a directory") == true)
            #expect(
                try RecordingFile.read([UInt8]("a,b,c\n1500,50,6\n".utf8), name: "-", options: options).format == .csv)
        }
    }
}
