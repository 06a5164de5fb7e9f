// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

@Suite("Folders for Sensor Logger")
struct SensorLoggerExportTests {
    /// Two positions, the first one reported twice; a sensor that is built in a quarter turn about z; a second
    /// accelerometer; the battery.
    private func drive() throws -> TraceFile {
        let builder = TraceBuilder(name: "drive")
        var header = TraceHeader(
            start: .init(wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000), boot: .zero))
        var sensor = SensorDescription(id: "a", kind: .accelerometer)
        sensor.name = "mpu6050"
        // The device's x is the sensor's y, the device's y is the sensor's -x.
        sensor.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        header.add(sensor)
        header.add(SensorDescription(id: "b", kind: .accelerometer))
        header.add(SensorDescription(id: "m", kind: .magnetometer))
        header.add(SensorDescription(id: "p", kind: .pressure))
        try builder.write(header)
        func tpv(_ rest: String) -> [UInt8] { [UInt8]("{\"class\":\"TPV\",\"device\":\"/dev/gps\",\(rest)}".utf8) }
        let events: [(Int64, TraceEvent.Contents)] = [
            (0, .battery(BatteryReading(level: 0.5, state: .charging))),
            (0, .sample([1, 2, 9.5], kind: .accelerometer, sensor: "a", stamp: nil)),
            (0, .sample([9, 9, 9], kind: .accelerometer, sensor: "b", stamp: nil)),
            (5_000_000, .sample([0.25, -0.5, 0.125], kind: .magnetometer, sensor: "m", stamp: 4_000_000)),
            (10_000_000, .sample([3, 4, 5], kind: .accelerometer, sensor: "a", stamp: nil)),
            (20_000_000, .sample([101.325, 0, 0], kind: .pressure, sensor: "p", stamp: nil)),
            (1_100_000_000, .gpsd(tpv(#""mode":3,"time":"2023-11-14T22:13:21.000Z","lat":43.25,"lon":13.5"#))),
            (
                1_110_000_000,
                .gpsd(
                    tpv(
                        #""mode":3,"time":"2023-11-14T22:13:21.000Z","lat":43.25,"lon":13.5,"altHAE":150.25,"altMSL":106.125,"epv":5.5,"track":90.25,"speed":2.5,"climb":0.5,"epd":3.5,"eps":0.75,"geoidSep":44.125,"eph":8.25"#
                    ))
            ),
            (
                1_500_000_000,
                .accessory(
                    TraceAccessoryEvent(
                        accessory: "1", .attached(AccessoryDescription(identity: "port:1", name: "Scale"))))
            ),
            (2_100_000_000, .gpsd(tpv(#""mode":2,"time":"2023-11-14T22:13:22.000Z","lat":-43.25,"lon":-13.5"#))),
            (2_200_000_000, .lost(DeviceError(.connectionLost, "gone"))),
        ]
        for (time, contents) in events { try builder.write(TraceEvent(time: time, contents)) }
        return try builder.file()
    }

    private func text(_ path: String) throws -> String { String(decoding: try Files.bytes(path), as: UTF8.self) }

    @Test("Where it fails a folder that was not there before is gone, and one that was stays")
    func failure() throws {
        try Files.withFolder { folder in
            let options = ExportOptions(receiver: "/dev/other")
            // Readings are written before it is known that there are no positions of that receiver.
            let error = #expect(throws: DeviceError.self) {
                try RecordingFormat.sensorLogger.write(try drive(), to: folder + "/out", options: options)
            }
            #expect(error?.message.contains("/dev/other") == true)
            #expect(Folder.isFolder(folder) && !Folder.isFolder(folder + "/out"))
            #expect(throws: DeviceError.self) {
                try RecordingFormat.sensorLogger.write(try drive(), to: folder, options: options)
            }
            #expect(Folder.isFolder(folder))
        }
    }

    @Test("Each kind has its file, in the device's axes and the app's units")
    func files() throws {
        try Files.withFolder { folder in
            let remarks = try RecordingFormat.sensorLogger.write(try drive(), to: folder + "/out")
            // Turned: x = 2, y = -1.
            #expect(
                try text(folder + "/out/TotalAcceleration.csv") == """
                    time,seconds_elapsed,z,y,x
                    1700000000000000000,0.000000000,9.5,-1.0,2.0
                    1700000000010000000,0.010000000,5.0,-3.0,4.0

                    """)
            // At the time of measurement; 100 microtesla are a gauss.
            #expect(
                try text(folder + "/out/Magnetometer.csv") == """
                    time,seconds_elapsed,z,y,x
                    1700000000004000000,0.004000000,12.5,-50.0,25.0

                    """)
            #expect(
                try text(folder + "/out/Barometer.csv") == """
                    time,seconds_elapsed,relativeAltitude,pressure
                    1700000000020000000,0.020000000,,1013.25

                    """)
            // 0.994458 standard deviations along an axis in the place of 1.959964, 1.509592 in the plane of 2.447747: the errors
            // times 0.507386, and times 0.616727 the horizontal one.
            #expect(
                try text(folder + "/out/Location.csv") == """
                    time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,altitudeAboveMeanSeaLevel,altitude,longitude,latitude
                    1700000001000000000,1.000000000,1.7759,0.38,2.791,5.088,2.5,90.25,106.125,150.25,13.5,43.25
                    1700000002000000000,2.000000000,-1,-1,-1,-1,-1,-1,,,-13.5,-43.25

                    """)
            #expect(
                try text(folder + "/out/Battery.csv") == """
                    time,seconds_elapsed,batteryLevel,batteryState,lowPowerMode
                    1700000000000000000,0.000000000,0.5,charging,

                    """)
            // 10 ms from row to row, and a second.
            #expect(
                try text(folder + "/out/Metadata.csv").contains(
                    "3,mpu6050,1700000000000,2023-11-14_22-13-20,UTC,android,,,TotalAcceleration|Magnetometer|Barometer|Location|Battery,10|0|0|1000|0,true,"
                ))
            #expect(
                remarks == [
                    "1 readings of further sensors were left out: Sensor Logger has one of each kind.",
                    "1 events of accessories were left out.",
                    "1 notes that a source was lost or was back were left out.",
                    "Sensor Logger has no place for satellites, dilutions and the times at which positions arrived.",
                    "The climb of 1 positions was left out.",
                ])
        }
    }

    @Test("What is written is read back the same")
    func again() throws {
        try Files.withFolder { folder in
            _ = try RecordingFormat.sensorLogger.write(try drive(), to: folder + "/out")
            let recording = try Recording(sensorLoggerFolder: folder + "/out")
            #expect(recording.start == WallTime(nanoseconds: 1_700_000_000_000_000_000))
            #expect(recording.track(.accelerometer)?.values == [[2, -1, 9.5], [4, -3, 5]])
            #expect(recording.track(.accelerometer)?.times == [0, 10_000_000])
            #expect(recording.track(.magnetometer)?.values == [[0.25, -0.5, 0.125]])
            #expect(recording.track(.magnetometer)?.times == [4_000_000])
            #expect(recording.track(.pressure)?.values == [[101.325, 0, 0]])
            #expect(recording.battery.readings == [BatteryReading(level: 0.5, state: .charging)])
            let read = ReadPositions(try recording.trace(named: "again"))
            #expect(read.times == [1, 2])
            let report = try #require(read.fixes.first)
            #expect(report.latitude == 43.25 && report.longitude == 13.5)
            #expect(report.altitudeHAE == 150.25 && report.altitudeMSL == 106.125 && report.geoidSeparation == 44.125)
            #expect(report.speed == 2.5 && report.track == 90.25)
            #expect(report.horizontalError == 5.088 && report.verticalError == 2.791)
            #expect(recording.hasPhoneAccuracies)
            #expect(report.speedError == 0.38 && report.trackError == 1.7759)
            #expect(report.time == WallTime(nanoseconds: 1_700_000_001_000_000_000))
            let flat = try #require(read.fixes.last)
            #expect(flat.mode == .twoDimensional)
            #expect(flat.speed.isNaN && flat.horizontalError.isNaN && flat.altitudeHAE.isNaN)
            // And once more: the same bytes.
            _ = try RecordingFormat.sensorLogger.write(try recording.trace(named: "again"), to: folder + "/twice")
            for name in ["TotalAcceleration", "Magnetometer", "Barometer", "Location", "Battery"] {
                #expect(try text("\(folder)/out/\(name).csv") == text("\(folder)/twice/\(name).csv"), "\(name)")
            }
        }
    }

    @Test("Files that are there are not written over unless they may be; then none of them stays")
    func overwrite() throws {
        try Files.withFolder { folder in
            try Files.write([UInt8]("old".utf8), folder + "/Gyroscope.csv")
            let error = #expect(throws: DeviceError.self) {
                try RecordingFormat.sensorLogger.write(try drive(), to: folder)
            }
            #expect(error?.message.contains("Gyroscope.csv exists already") == true)
            #expect(try text(folder + "/Gyroscope.csv") == "old")
            _ = try RecordingFormat.sensorLogger.write(try drive(), to: folder, options: .init(overwrite: true))
            #expect(throws: (any Error).self) { try Files.bytes(folder + "/Gyroscope.csv") }
            #expect(try Recording(sensorLoggerFolder: folder).reports.count == 2)
        }
    }

    @Test("A trace without anything for it is refused, and so is a receiver that has no positions")
    func nothing() throws {
        try Files.withFolder { folder in
            let empty = #expect(throws: DeviceError.self) {
                try RecordingFormat.sensorLogger.write(try gpsdTrace([]), to: folder + "/a")
            }
            #expect(empty?.message.contains("nothing to write") == true)
            let other = #expect(throws: DeviceError.self) {
                try RecordingFormat.sensorLogger.write(
                    try drive(), to: folder + "/b", options: .init(receiver: "/dev/x"))
            }
            #expect(other?.message.contains("no positions of the receiver /dev/x") == true)
            #expect(throws: DeviceError.self) { try RecordingFormat.sensorLogger.write(try drive(), to: "-") }
        }
    }

    @Test("A receiver's clock that is far from that of the trace does not count")
    func clocks() throws {
        try Files.withFolder { folder in
            let trace = try gpsdTrace([
                (1.5, #"{"class":"TPV","mode":2,"time":"2003-01-01T00:00:00.000Z","lat":1,"lon":2}"#)
            ])
            let remarks = try RecordingFormat.sensorLogger.write(trace, to: folder)
            #expect(try text(folder + "/Location.csv").contains("\n1700000001500000000,1.500000000,"))
            #expect(remarks.contains { $0.contains("1 positions have a time more than a minute") })
        }
    }
}
