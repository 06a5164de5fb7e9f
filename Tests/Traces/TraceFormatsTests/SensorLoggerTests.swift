// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("Sensor Logger directories")
struct SensorLoggerTests {
    private static let header =
        "version,device name,recording epoch time,recording time,recording timezone,platform,appVersion,device id,sensors,sampleRateMs,standardisation,platform version\n"
    private static let origin: Int64 = 1_767_620_467_000_000_000

    private func metadata(_ platform: String, _ standardisation: String, epoch: String = "1767620467000") -> String {
        Self.header
            + "3,\"My, Phone\",\(epoch),2026-01-05_13-41-07,Europe/Berlin,\(platform),1.47,id,Accelerometer|Gravity,10|10,\(standardisation),18\n"
    }

    private func recording(
        _ files: [String: String], options: SensorLoggerOptions = .init()
    ) throws(DeviceError) -> Recording {
        try Recording(sensorLogger: files.mapValues { [UInt8]($0.utf8) }, name: "walk", options: options)
    }

    /// Returns a row at a time in milliseconds after the start.
    private func row(_ milliseconds: Int64, _ rest: String) -> String {
        "\(Self.origin + milliseconds * 1_000_000),\(Double(milliseconds) / 1000),\(rest)\n"
    }

    private let axes = "time,seconds_elapsed,z,y,x\n"

    @Test("On iOS acceleration and gravity are added and negated, and columns are found by name")
    func iOS() throws {
        let recording = try recording([
            "Metadata.csv": metadata("ios", "false"),
            // Flat on a table, gravity points down along z. The phone is pushed to the right, which is negative in
            // Apple's convention.
            "Gravity.csv": axes + row(10, "-9.80665,0.5,0.25") + row(20, "-9.80665,0,0"),
            "Accelerometer.csv": axes + row(10, "0,0.5,-2") + row(20, "0,0,0"),
            "Gyroscope.csv": axes + row(12, "0.3,0.2,0.1"),
            "Magnetometer.csv": axes + row(15, "-40,20,5"),
            "AccelerometerUncalibrated.csv": "nonsense",
        ])
        #expect(recording.track(.accelerometer)?.values == [[1.75, -1, 9.80665], [0, 0, 9.80665]])
        #expect(recording.track(.accelerometer)?.times == [10_000_000, 20_000_000])
        #expect(recording.track(.gyroscope)?.values == [[0.1, 0.2, 0.3]])
        #expect(recording.track(.magnetometer)?.values == [[0.05, 0.2, -0.4]])
        #expect(recording.start == WallTime(nanoseconds: Self.origin))
        #expect(recording.track(.accelerometer)?.sensor.name == "My, Phone")
        #expect(recording.remarks == [])
    }

    @Test(
        "Values from Android and standardised values keep their sign",
        arguments: [("android", "false"), ("ios", "true"), ("android", "true")])
    func android(platform: String, standardisation: String) throws {
        let recording = try recording([
            "Metadata.csv": metadata(platform, standardisation),
            "TotalAcceleration.csv": axes + row(0, "9.8,0.1,0.2"),
            // The file that includes gravity is preferred, so these are ignored.
            "Accelerometer.csv": axes + row(0, "1,1,1"), "Gravity.csv": axes + row(0, "1,1,1"),
            "Barometer.csv": "time,seconds_elapsed,relativeAltitude,pressure\n" + row(0, "0.5,1013.25"),
        ])
        #expect(recording.track(.accelerometer)?.values == [[0.2, 0.1, 9.8]])
        #expect(recording.track(.pressure)?.values == [[101.325, 0, 0]])
    }

    @Test("Gravity is interpolated to the times of the acceleration, but not across gaps")
    func gravity() throws {
        let recording = try recording([
            "Metadata.csv": metadata("android", "false"),
            "Gravity.csv": axes + row(0, "9,0,0") + row(100, "10,1,0") + row(900, "10,1,0"),
            "Accelerometer.csv": axes + row(25, "0,0,1") + row(400, "0,0,1") + row(950, "0,0,1"),
        ])
        // Interpolated at a quarter: 9.25 and 0.25. The reading at 0.4 s is in a gap of 0.8 s.
        #expect(recording.track(.accelerometer)?.values == [[1, 0.25, 9.25], [1, 1, 10]])
        #expect(recording.remarks.count == 1)
    }

    @Test("Acceleration without gravity is omitted, and is an error if there are no other readings")
    func withoutGravity() throws {
        let files = ["Metadata.csv": metadata("ios", "false"), "Accelerometer.csv": axes + row(0, "0,0,1")]
        let error = #expect(throws: DeviceError.self) { try recording(files) }
        #expect(error?.message.contains("Record Gravity too") == true)
        let others = try recording(files.merging(["Gyroscope.csv": axes + row(0, "1,2,3")]) { $1 })
        #expect(others.tracks.map(\.sensor.kind) == [.gyroscope])
        #expect(others.remarks.count == 1)
    }

    @Test("Without a platform the sign is not guessed, and an option can set the platform")
    func platform() throws {
        let files = ["TotalAcceleration.csv": axes + row(0, "9.8,0.1,0.2")]
        let error = #expect(throws: DeviceError.self) { try recording(files) }
        #expect(error?.message.contains("iOS or Android") == true)
        #expect(try recording(files, options: .init(platform: .android)).tracks[0].values == [[0.2, 0.1, 9.8]])
        #expect(try recording(files, options: .init(platform: .iOS)).tracks[0].values == [[-0.2, -0.1, -9.8]])
        #expect(
            try recording(files, options: .init(platform: .iOS, isStandardised: true)).tracks[0].values == [
                [0.2, 0.1, 9.8]
            ])
        #expect(try recording(["Gyroscope.csv": axes + row(0, "1,2,3")]).tracks[0].values == [[3, 2, 1]])
    }

    @Test(
        "The start in the metadata, in seconds, milliseconds or nanoseconds, is used if the readings agree",
        arguments: [
            ("1767620467000", 0), ("1767620467000000000", 0), ("1767620467", 0), ("", 20), ("1600000000000", 20),
            ("1767620467500", 20),
        ])
    func start(epoch: String, milliseconds: Int64) throws {
        let recording = try recording([
            "Metadata.csv": metadata("android", "false", epoch: epoch),
            "Gyroscope.csv": axes + row(20, "1,2,3") + row(30, "1,2,3"),
        ])
        #expect(recording.start == WallTime(nanoseconds: Self.origin + milliseconds * 1_000_000))
        #expect(recording.tracks[0].times.first == (20 - milliseconds) * 1_000_000)
    }

    @Test("Readings before the start move the start, and repeated readings count once")
    func early() throws {
        let recording = try recording([
            "Metadata.csv": metadata("android", "false"),
            "Gyroscope.csv": axes + row(-5, "1,2,3") + row(5, "4,5,6") + row(5, "4,5,6"),
        ])
        #expect(recording.tracks[0].times == [0, 10_000_000])
        #expect(recording.start == WallTime(nanoseconds: Self.origin - 5_000_000))
        #expect(recording.remarks.count == 1)
    }

    @Test("Without a time column, the elapsed seconds are used")
    func elapsed() throws {
        let recording = try recording(["Gyroscope.csv": "seconds_elapsed,x,y,z\n-0.5,1,2,3\n0.25,1,2,3\n"])
        #expect(recording.tracks[0].times == [0, 750_000_000])
        let later = try self.recording(["Gyroscope.csv": "seconds_elapsed,x,y,z\n0.5,1,2,3\n"])
        #expect(later.tracks[0].times == [500_000_000])
        #expect(later.start == nil)
    }

    @Test("Errors name the file, the line and the column")
    func errors() {
        let cases: [(String, String)] = [
            ("time,seconds_elapsed,z,y\n", "walk/Gyroscope.csv, line 1: there is no column x"),
            ("a,x,y,z\n", "walk/Gyroscope.csv, line 1: there is neither a column time"),
            (axes + "1,2,3,4,5x\n", "walk/Gyroscope.csv, line 2, column 5 (x): \"5x\" is not a number"),
            (axes + ",,3,4,5\n", "walk/Gyroscope.csv, line 2, column 1 (time): the row has readings but no time"),
        ]
        for (text, expected) in cases {
            let error = #expect(throws: DeviceError.self) { try recording(["Gyroscope.csv": text]) }
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
        #expect(throws: DeviceError.self) { try recording(["Metadata.csv": Self.header, "Gyroscope.csv": axes]) }
        #expect(throws: DeviceError.self) { try recording([:]) }
    }

    @Test(
        "Dates agree with the calendar",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_825_600, "2000-02-29T12:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (1_795_232_362, "2026-11-21T03:39:22Z"),
        ])
    func dates(seconds: Int64, text: String) {
        #expect(CivilDate(WallTime(nanoseconds: seconds * 1_000_000_000)).iso8601(decimals: 0) == text)
    }
}
