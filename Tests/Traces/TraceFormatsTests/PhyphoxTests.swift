// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("phyphox tables")
struct PhyphoxTests {
    /// The contents of meta/time.csv: two intervals with a pause of 60.5 s between them.
    private static let clock = """
        "event","experiment time","system time","system time text"
        "START",0.000000000E0,1759650000.000,"2025-10-05 10:20:00.000 UTC+02:00"
        "PAUSE",1.000000000E1,1759650010.000,"2025-10-05 10:20:10.000 UTC+02:00"
        "START",1.000000000E1,1759650070.500,"2025-10-05 10:21:10.500 UTC+02:00"

        """
    private static let accelerometer = """
        "Time (s)","Acceleration x (m/s^2)","Acceleration y (m/s^2)","Acceleration z (m/s^2)","Absolute acceleration (m/s^2)"
        5.000000000E0,1.000000000E-1,-2.000000000E-1,9.810000000E0,9.812E0
        1.000000000E1,0.000000000E0,0.000000000E0,9.800000000E0,9.800E0
        1.100000000E1,0.000000000E0,NaN,9.800000000E0,NaN

        """

    private func recording(_ files: [String: String]) throws(DeviceError) -> Recording {
        try Recording(phyphox: files.mapValues { [UInt8]($0.utf8) }, name: "walk")
    }

    private func positions(_ recording: Recording) throws -> ReadPositions {
        ReadPositions(try recording.trace(named: "walk"), remarks: recording.remarks)
    }

    @Test("Acceleration with g has Android's sign on all systems, and a row with NaN gives no reading")
    func acceleration() throws {
        let recording = try recording(["Raw Data.csv": Self.accelerometer])
        #expect(recording.tracks.map(\.sensor.kind) == [.accelerometer])
        #expect(recording.tracks[0].values == [[0.1, -0.2, 9.81], [0, 0, 9.8]])
        #expect(recording.tracks[0].times == [5_000_000_000, 10_000_000_000])
        #expect(recording.start == nil)
        #expect(recording.remarks.count == 1)
        #expect(recording.remarks.first?.contains("The time of recording is unknown") == true)
    }

    @Test("Civil time comes from the phone's clock, and a pause of the experiment is a gap")
    func pause() throws {
        let later = Self.accelerometer + "1.200000000E1,0,0,9.7,9.7\n"
        let recording = try recording(["Raw Data.csv": later, "meta/time.csv": Self.clock])
        #expect(recording.start == WallTime(nanoseconds: 1_759_650_000_000_000_000))
        // The reading at 10 s is the last one before the pause. 12 s of the experiment is 2 s after the second start.
        #expect(recording.tracks[0].times == [5_000_000_000, 10_000_000_000, 72_500_000_000])
        #expect(recording.remarks == [])
    }

    @Test("If the clock is set back during a pause, times do not decrease")
    func setBack() throws {
        let clock = Self.clock.replacing("1759650070.500", with: "1759646400.000")
        let later = Self.accelerometer + "1.200000000E1,0,0,9.7,9.7\n"
        let recording = try recording(["Raw Data.csv": later, "meta/time.csv": clock])
        #expect(recording.tracks[0].times == [5_000_000_000, 10_000_000_000, 12_000_000_000])
        #expect(recording.remarks.first?.contains("set back in 1 pauses") == true)
    }

    @Test("Readings before the start move the start")
    func early() throws {
        let early =
            "\"Time (s)\",\"Gyroscope x (rad/s)\",\"Gyroscope y (rad/s)\",\"Gyroscope z (rad/s)\"\n-0.25,1,2,3\n1,1,2,3\n"
        let recording = try recording(["Raw Data.csv": early, "meta/time.csv": Self.clock])
        #expect(recording.tracks[0].times == [0, 1_250_000_000])
        #expect(recording.start == WallTime(nanoseconds: 1_759_649_999_750_000_000))
    }

    @Test(
        "All separators and decimal marks that phyphox offers are accepted",
        arguments: [(",", "."), ("\t", "."), (";", "."), ("\t", ","), (";", ",")])
    func separators(separator: String, mark: String) throws {
        let table = [
            [
                "\"Time (s)\"", "\"Magnetic field x (\u{b5}T)\"", "\"Magnetic field y (\u{b5}T)\"",
                "\"Magnetic field z (\u{b5}T)\"",
            ],
            ["1.000000000E-1", "3.555450439E1", "-2.000000000E0", "1.006282043E-1"],
        ].map { row in
            row.map { $0.hasPrefix("\"") ? $0 : $0.replacing(".", with: mark) }.joined(separator: separator)
        }.joined(separator: "\n")
        let clock = Self.clock.replacing(",", with: separator == "," ? "," : ";").replacing(
            "1759650000.000", with: "1759650000\(mark)250")
        let recording = try recording(["Raw Data.csv": table + "\n", "meta/time.csv": clock])
        // 100 microtesla are 1 gauss.
        try #require(recording.tracks.first?.count == 1)
        #expect(isClose(recording.tracks[0].values[0], [0.3555450439, -0.02, 0.001006282043], 1e-15))
        #expect(recording.tracks[0].times == [100_000_000])
        #expect(recording.start == WallTime(nanoseconds: 1_759_650_000_250_000_000))
    }

    @Test("Positions contain both altitudes, accuracies in metres and the number of satellites")
    func positions() throws {
        let table = """
            "Time (s)","Latitude (°)","Longitude (°)","Altitude (m)","Altitude WGS84 (m)","Speed (m/s)","Direction (°)","Distance (km)","Horizontal Accuracy (m)","Vertical Accuracy (m)","Satellites"
            1.122599999E0,4.301823739E1,1.382099482E1,1.128235513E2,1.569981079E2,1.129999995E0,2.905000000E2,5.97E-4,8.491168976E0,1.600000000E1,0.000000000E0
            2.150281249E0,4.301824778E1,1.382097718E1,NaN,NaN,NaN,NaN,2.7E-3,NaN,NaN,1.700000000E1

            """
        let read = try positions(try recording(["Raw Data.csv": table, "meta/time.csv": Self.clock]))
        let first = try #require(read.fixes.first)
        // gpsd's precision: 9 decimals for coordinates, 4 for altitudes, 3 for accuracies and speed.
        #expect(first.latitude == 43.01823739)
        #expect(first.longitude == 13.82099482)
        #expect(first.altitudeMSL == 112.8236)
        #expect(first.altitudeHAE == 156.9981)
        // 156.9981079 - 112.8235513 = 44.1745566
        #expect(first.geoidSeparation == 44.175)
        #expect(first.speed == 1.13)
        #expect(first.track == 290.5)
        #expect(first.horizontalError == 8.491)
        #expect(first.verticalError == 16)
        #expect(first.mode == .threeDimensional)
        // gpsd writes milliseconds. The exact time is 1759650001.122599999.
        #expect(first.time == WallTime(nanoseconds: 1_759_650_001_122_000_000))
        let second = try #require(read.fixes.last)
        #expect(second.mode == .twoDimensional)
        #expect(second.speed.isNaN && second.track.isNaN && second.horizontalError.isNaN)
        #expect(read.times == [1.122599999, 2.150281249])
        #expect(read.skies.map(\.usedCount) == [0, 17])
    }

    @Test("A vertical accuracy labelled in degrees is in metres, and negative numbers are unknown")
    func degrees() throws {
        let table = """
            "Time (s)","Latitude (°)","Longitude (°)","Height (m)","Velocity (m/s)","Direction (°)","Horizontal Accuracy (m)","Vertical Accuracy (°)"
            1.0E0,5.0E1,6.0E0,2.0E2,-1.0E0,-1.0E0,5.0E0,3.0E0

            """
        let report = try #require(try positions(try recording(["Location.csv": table])).fixes.first)
        #expect(report.verticalError == 3)
        #expect(report.horizontalError == 5)
        #expect(report.altitudeMSL == 200)
        #expect(report.altitudeHAE.isNaN)
        #expect(report.speed.isNaN && report.track.isNaN)
        #expect(report.time == nil)
    }

    @Test("Speed and course missing in a table are derived from the positions")
    func derived() throws {
        let table = """
            "Time (s)","Latitude (°)","Longitude (°)"
            0,0,1
            1,0,1.001

            """
        let read = try positions(try recording(["Location.csv": table]))
        // On the equator: 6378137 m * 0.001 * pi / 180 = 111.3195 m in a second, due east.
        #expect(read.fixes.last?.speed == 111.319)
        #expect(read.fixes.last?.track == 90)
        #expect(read.hasRemark("1 positions have a speed or course"))
    }

    @Test("Acceleration without gravity is omitted, and never preferred to acceleration with gravity")
    func linear() throws {
        let linear = Self.accelerometer.replacing("\"Acceleration", with: "\"Linear Acceleration")
        let error = #expect(throws: DeviceError.self) { try recording(["Raw Data.csv": linear]) }
        #expect(error?.message.contains("Record acceleration with g") == true)
        let both = try recording(["A.csv": linear, "B.csv": Self.accelerometer])
        #expect(both.tracks[0].values.first == [0.1, -0.2, 9.81])
        let reread = try recording(["A.csv": Self.accelerometer, "B.csv": Self.accelerometer])
        #expect(reread.remarks.contains { $0.contains("Several tables contain the accelerometer") })
        #expect(reread.tracks[0].count == 2)
    }

    @Test("A directory with tables named after sensors is distinguished from one of Sensor Logger")
    func folder() throws {
        try Files.withFolder { folder in
            func write(_ text: String, _ name: String) throws {
                try Files.write([UInt8](text.utf8), "\(folder)/\(name)")
            }
            try Files.makeFolder(folder + "/meta")
            try write("\"Time (s)\",\"X (m/s^2)\",\"Y (m/s^2)\",\"Z (m/s^2)\"\n0.5,0,0,9.8\n", "Accelerometer.csv")
            try write("\"Time (s)\",\"X (m/s^2)\",\"Y (m/s^2)\",\"Z (m/s^2)\"\n0.5,5,5,5\n", "Linear Accelerometer.csv")
            try write("\"Time (s)\",\"X (rad/s)\",\"Y (rad/s)\",\"Z (rad/s)\"\n0.75,1,2,3\n", "Gyroscope.csv")
            try write(
                "\"Time (s)\",\"X (\u{3bc}T)\",\"Y (\u{3bc}T)\",\"Z (\u{3bc}T)\"\n0.25,20,-40,5\n", "Magnetometer.csv")
            try write("\"Time (s)\",\"X (hPa)\"\n1,1013.25\n", "Barometer.csv")
            try write("\"Time (s)\",\"Distance (cm)\"\n1,5\n", "Proximity.csv")
            try write(Self.clock, "meta/time.csv")
            try write(
                "\"property\",\"value\"\n\"version\",\"1.2.0\"\n\"deviceModel\",\"Pixel 6a\"\n", "meta/device.csv")
            let file = try RecordingFile.open(folder)
            #expect(file.format == .phyphox)
            #expect(file.remarks == ["1 other tables contain no supported data and were skipped."])
            let recording = try Recording(path: folder)
            #expect(recording.track(.accelerometer)?.values == [[0, 0, 9.8]])
            #expect(recording.track(.gyroscope)?.values == [[1, 2, 3]])
            #expect(recording.track(.magnetometer)?.values == [[0.2, -0.4, 0.05]])
            #expect(recording.track(.pressure)?.values == [[101.325, 0, 0]])
            // The rates differ, so the trace is ordered by time.
            #expect(recording.track(.magnetometer)?.times == [250_000_000])
            #expect(recording.track(.accelerometer)?.sensor.name == "Pixel 6a")
            // A single table uses the times in its directory.
            let single = try RecordingFile.open(folder + "/Gyroscope.csv")
            #expect(single.format == .phyphox)
            #expect(single.trace.start == WallTime(nanoseconds: 1_759_650_000_000_000_000))
            #expect(try RecordingFile.read([UInt8](Self.accelerometer.utf8), name: "x").format == .phyphox)
        }
    }

    @Test("The archive that the app exports is rejected with the command that unpacks it")
    func archive() throws {
        let error = #expect(throws: DeviceError.self) {
            try RecordingFile.read([0x50, 0x4b, 3, 4, 20, 0, 0, 0], name: "walk.zip")
        }
        #expect(error?.message.contains("unzip walk.zip") == true)
    }

    @Test("Errors name the file, the line and the column")
    func errors() {
        let cases: [(name: String, text: String, expected: String)] = [
            (
                "A.csv", "\"Time (s)\",\"Pressure (hPa)\"\n1,x\n",
                "walk/A.csv, line 2, column 2 (pressure (hpa)): \"x\" is not a number"
            ),
            (
                "A.csv", "\"Time (s)\",\"Pressure (hPa)\"\n1e30,1\n",
                "walk/A.csv, line 2, column 1 (time (s)): the time \"1e30\" is out of range"
            ),
            ("A.csv", "\"Time (s)\",\"Pressure (hPa)\"\n1,2,3,4\n", "walk/A.csv, line 2: the row has 4 cells"),
            ("meta/time.csv", "a,b\n", "walk/meta/time.csv, line 1: the column event, experiment time or system time"),
            ("A.csv", "\"Time (s)\",\"Pressure (hPa)\"\n", "contains neither"),
        ]
        for (name, text, expected) in cases {
            let error = #expect(throws: DeviceError.self) { try recording([name: text]) }
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
    }

    @Test("If columns are padded with NaN to equal lengths, only rows without a time are omitted")
    func lengths() throws {
        let table = "\"Time (s)\",\"Pressure (hPa)\"\n1,1000\nNaN,1001\nNaN,NaN\n2,NaN\n3,1003\n"
        let recording = try recording(["A.csv": table])
        #expect(recording.tracks[0].values.map(\.x) == [100, 100.3])
        #expect(recording.remarks.contains("1 rows have no time and were skipped."))
    }
}
