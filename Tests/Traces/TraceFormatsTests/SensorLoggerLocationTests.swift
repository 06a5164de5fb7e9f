// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Positions of Sensor Logger")
struct SensorLoggerLocationTests {
    private static let header =
        "time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,altitude,longitude,latitude\n"
    private static let origin: Int64 = 1_767_620_467_000_000_000

    private func metadata(_ platform: String) -> String {
        "version,device name,recording epoch time,platform,standardisation\n3,Phone,1767620467000,\(platform),false\n"
    }

    private func recording(
        _ files: [String: String], options: SensorLoggerOptions = .init()
    ) throws(DeviceError) -> Recording {
        try Recording(sensorLogger: files.mapValues { [UInt8]($0.utf8) }, name: "walk", options: options)
    }

    private func positions(
        _ files: [String: String], options: SensorLoggerOptions = .init()
    ) throws -> ReadPositions {
        let recording = try recording(files, options: options)
        return ReadPositions(try recording.trace(named: "walk"), remarks: recording.remarks)
    }

    private func row(_ milliseconds: Int64, _ rest: String) -> String {
        "\(Self.origin + milliseconds * 1_000_000),\(Double(milliseconds) / 1000),\(rest)\n"
    }

    @Test("A phone's altitude is above the ellipsoid, and accuracies are kept")
    func phone() throws {
        let read = try positions([
            "Metadata.csv": metadata("android"),
            "Location.csv": Self.header + row(500, "4.5,0.25,3,12.5,1.5,270,150.25,13.5,43.25"),
        ])
        let report = try #require(read.fixes.first)
        #expect(report.latitude == 43.25)
        #expect(report.longitude == 13.5)
        #expect(report.altitudeHAE == 150.25)
        #expect(report.altitudeMSL.isNaN)
        #expect(report.speed == 1.5)
        #expect(report.track == 270)
        #expect(report.horizontalError == 12.5)
        #expect(report.verticalError == 3)
        #expect(report.speedError == 0.25)
        #expect(report.trackError == 4.5)
        #expect(report.mode == .threeDimensional)
        #expect(report.time == WallTime(nanoseconds: Self.origin + 500_000_000))
        #expect(read.times == [0.5])
    }

    @Test("iOS also provides the altitude above mean sea level, and a watch provides only that")
    func altitudes() throws {
        let phone =
            "time,latitude,longitude,altitude,altitudeAboveMeanSeaLevel,verticalAccuracy\n\(Self.origin),1,2,150,106,5\n"
        let report = try #require(
            try positions(["Metadata.csv": metadata("ios"), "Location.csv": phone]).fixes.first)
        #expect(report.altitudeHAE == 150)
        #expect(report.altitudeMSL == 106)
        #expect(report.geoidSeparation == 44)
        let watch = "time,latitude,longitude,altitude,verticalAccuracy\n\(Self.origin),1,2,106,5\n"
        let watchRecording = try #require(
            try positions(["Metadata.csv": metadata("ios"), "WatchLocation.csv": watch]).fixes.first)
        #expect(watchRecording.altitudeMSL == 106)
        #expect(watchRecording.altitudeHAE.isNaN)
    }

    @Test("Negative values are unknown, and on iOS a position without accuracy is not a fix")
    func unknown() throws {
        let row = "\(Self.origin),0,-1,-1,-1,-1,-1,-1,100,13,43\n"
        let android = try #require(
            try positions(["Metadata.csv": metadata("android"), "Location.csv": Self.header + row]).fixes.first)
        #expect(android.altitudeHAE == 100)
        #expect(android.speed.isNaN && android.track.isNaN && android.horizontalError.isNaN)
        #expect(android.verticalError.isNaN && android.speedError.isNaN && android.trackError.isNaN)
        let iOS = try positions(["Metadata.csv": metadata("ios"), "Location.csv": Self.header + row])
        #expect(iOS.fixes.isEmpty)
        #expect(iOS.reports.map(\.report.mode) == [FixMode.none])
        // Android writes 0 for an unknown accuracy. On iOS, an altitude with an accuracy of 0 is ignored.
        let zero = "\(Self.origin),0,0,0,0,8,1,0,100,13,43\n"
        let still = try #require(
            try positions(["Metadata.csv": metadata("ios"), "Location.csv": Self.header + zero]).fixes.first)
        #expect(still.mode == .twoDimensional)
        #expect(still.trackError.isNaN && still.speedError.isNaN)
        #expect(still.track == 0)
    }

    @Test("Speed and course are derived only for files that contain neither")
    func derived() throws {
        let still = row(0, "-1,-1,-1,5,-1,-1,10,0,0")
        let files = { (second: String) in
            ["Metadata.csv": self.metadata("android"), "LocationNetwork.csv": Self.header + still + second]
        }
        let read = try positions(files(row(2000, "-1,-1,-1,5,-1,-1,10,0.001,0")))
        // On the equator: 6378137 m * 0.001 * pi / 180 = 111.3195 m in two seconds, due east.
        #expect(read.fixes.last?.speed == 55.66 && read.fixes.last?.track == 90)
        #expect(read.fixes.first?.speed.isNaN == true)
        #expect(
            read.hasRemark(
                "1 positions in LocationNetwork.csv have a speed or course derived from the previous position."))
        let received = try positions(files(row(2000, "-1,-1,-1,5,-1,45,10,0.001,0")))
        #expect(received.fixes.last?.speed.isNaN == true && received.fixes.last?.track == 45)
        #expect(!received.hasRemark("derived from the previous"))
    }

    @Test("Readings of all files are merged by time, including those before the start")
    func merge() throws {
        let recording = try recording([
            "Metadata.csv": metadata("android"),
            "Location.csv": Self.header + row(-1500, "1,1,1,5,0,0,10,13,43") + row(2000, "1,1,1,5,0,0,10,13,43"),
            "Gyroscope.csv": "time,seconds_elapsed,z,y,x\n" + row(10, "3,2,1") + row(20, "3,2,1"),
        ])
        #expect(recording.start == WallTime(nanoseconds: Self.origin - 1_500_000_000))
        #expect(recording.reports.times == [0, 3_500_000_000])
        #expect(recording.track(.gyroscope)?.times == [1_510_000_000, 1_520_000_000])
        let trace = try recording.trace(named: "walk")
        let kinds = trace.bytes.withUnsafeBytes { bytes in
            var cursor = TraceCursor(trace)
            var kinds: [String] = []
            while let record = cursor.next(bytes) { kinds.append("\(record.kind)") }
            return kinds
        }
        #expect(kinds == ["gpsd", "sample", "sample", "gpsd"])
    }

    @Test("Attitudes and further position files are omitted with the reason")
    func skipped() throws {
        let location = Self.header + row(0, "1,1,1,5,0,0,10,13,43")
        let other = Self.header + row(0, "1,1,1,50,0,0,10,13.001,43")
        let files = [
            "Metadata.csv": metadata("android"), "Location.csv": location, "LocationNetwork.csv": other,
            "Orientation.csv": "anything",
        ]
        let read = try positions(files)
        #expect(read.hasRemark("Orientation.csv was skipped"))
        #expect(read.hasRemark("Its yaw differs in direction and reference between iOS and Android"))
        #expect(read.hasRemark("read from Location.csv; those in LocationNetwork.csv"))
        #expect(read.fixes.map(\.longitude) == [13])
        let chosen = try positions(files, options: .init(locationFile: "LocationNetwork.csv"))
        #expect(chosen.fixes.map(\.longitude) == [13.001])
        let missing = #expect(throws: DeviceError.self) {
            try recording(files, options: .init(locationFile: "LocationGps.csv"))
        }
        #expect(missing?.message.contains("contains no file LocationGps.csv") == true)
    }

    @Test("The battery's level and state are read")
    func battery() throws {
        let recording = try recording([
            "Gyroscope.csv": "time,z,y,x\n\(Self.origin),3,2,1\n",
            "Battery.csv":
                "time,seconds_elapsed,batteryLevel,batteryState,lowPowerMode\n"
                + row(0, "0.75,unplugged,false") + row(60_000, "0.5,full,false") + row(70_000, "7,odd,false"),
        ])
        #expect(
            recording.battery.readings == [
                BatteryReading(level: 0.75, state: .unplugged), BatteryReading(level: 0.5, state: .full),
                BatteryReading(level: nil, state: .unknown),
            ])
        #expect(recording.battery.times == [0, 60_000_000_000, 70_000_000_000])
        #expect(recording.duration == 70_000_000_000)
    }

    @Test("Elapsed seconds without a start give no civil time")
    func seconds() throws {
        let read = try positions(["Location.csv": "seconds_elapsed,latitude,longitude\n1.5,43,13\n"])
        #expect(read.times == [1.5])
        #expect(read.fixes.first?.time == nil)
        #expect(read.trace.start == nil)
    }

    @Test("Errors name the file, the line and the column")
    func errors() {
        let cases: [(text: String, expected: String)] = [
            ("time,latitude\n1,2\n", "walk/Location.csv, line 1: the column latitude or longitude is missing"),
            ("latitude,longitude\n1,2\n", "walk/Location.csv, line 1: there is neither a column time"),
            (
                "time,latitude,longitude\n1,2,east\n",
                "walk/Location.csv, line 2, column 3 (longitude): \"east\" is not a number"
            ),
            (
                "time,latitude,longitude\n,2,3\n",
                "walk/Location.csv, line 2, column 1 (time): the row has readings but no time"
            ),
            ("time,latitude,longitude\n1,91,3\n", "1 rows of Location.csv have no valid coordinates"),
        ]
        for (text, expected) in cases {
            let error = #expect(throws: DeviceError.self) { try recording(["Location.csv": text]) }
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
    }
}
