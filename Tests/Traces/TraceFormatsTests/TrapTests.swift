// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceFormats

/// Silent errors in the conversion of recordings. Each test converts to a format and back. The expected numbers were
/// computed by hand.
@Suite("Eight pitfalls of converting recordings")
struct TrapTests {
    @Test("1. Accelerations of all programs are converted to one sign and one unit")
    func acceleration() throws {
        // The same push of a phone in each program's convention. Proper acceleration is the opposite of Apple's, and
        // standard gravity is 9.80665 m/s²: 9.80665 / 4 = 2.4516625 and 9.80665 / 2 = 4.903325.
        let expected: SIMD3<Double> = [2.4516625, -4.903325, 9.80665]
        let axes = "time,seconds_elapsed,z,y,x"
        let rotated = "1700000000000000000,0,-9.80665,4.903325,-2.4516625"
        let proper = "1700000000000000000,0,9.80665,-4.903325,2.4516625"
        let none = "1700000000000000000,0,0,0,0"
        let columns = "time=t:ns,accel.x=x:-g,accel.y=y:-g,accel.z=z:-g"
        let recordings: [(String, Recording)] = [
            (
                "Sensor Logger on iOS",
                try sensorLogger("ios", ["Gravity.csv": [axes, rotated], "Accelerometer.csv": [axes, none]])
            ),
            ("the same in one file", try sensorLogger("ios", ["TotalAcceleration.csv": [axes, rotated]])),
            ("standardised", try sensorLogger("ios", standardised: true, ["TotalAcceleration.csv": [axes, proper]])),
            ("Sensor Logger on Android", try sensorLogger("android", ["TotalAcceleration.csv": [axes, proper]])),
            (
                "Core Motion, in g",
                try Recording(
                    table: [UInt8]("t,x,y,z\n1700000000000000000,-0.25,0.5,-1\n".utf8), name: "t.csv",
                    columns: try CSVColumnMap(columns))
            ),
            (
                "MotionSense, gravity and the rest in 1e-4 g",
                try Recording(
                    text: "roll,pitch,yaw,gx,gy,gz,rx,ry,rz,ux,uy,uz\n0,0,0,-2500,4000,-10000,0,0,0,0,1000,0\n")
            ),
            ("SI", try Recording(text: "t,ax,ay,az\n1700000000,2.4516625,-4.903325,9.80665\n")),
            (
                "phyphox, on iOS too",
                try Recording(
                    phyphox: [
                        "A.csv": [UInt8](
                            "\"Time (s)\",\"Acceleration x (m/s^2)\",\"Acceleration y (m/s^2)\",\"Acceleration z (m/s^2)\"\n0,2.4516625,-4.903325,9.80665\n"
                                .utf8)
                    ], name: "walk")
            ),
        ]
        for (what, recording) in recordings {
            let values = try #require(recording.track(.accelerometer)?.values)
            #expect(values.count == 1 && isClose(values[0], expected, 1e-12), "\(what): \(values)")
            let back = try RoundTrip.through(.csv, try recording.trace(named: "walk"))
            #expect(back.text.hasSuffix(",2.4516625,-4.903325,9.80665\n"), "\(what)")
            let reread = try Recording(trace: back.reread.trace).track(.accelerometer)?.values
            #expect(reread == values, "\(what)")
        }
    }

    @Test(
        "2. The yaws of phones are omitted because they differ, and headings are clockwise from the named north"
    )
    func north() throws {
        // 0.5 rad/s to the left is positive about the upward axis on both systems, but their yaws differ.
        for (platform, yaw) in [("ios", "1.57"), ("android", "-1.57")] {
            let recording = try sensorLogger(
                platform,
                [
                    "Gyroscope.csv": ["time,seconds_elapsed,z,y,x", "1700000000000000000,0,0.5,0,0"],
                    "Orientation.csv": ["time,yaw", "1700000000000000000,\(yaw)"],
                ])
            #expect(recording.track(.gyroscope)?.values == [[0, 0, 0.5]])
            #expect(recording.remarks.count { $0.hasPrefix("Orientation.csv was skipped") } == 1, "\(platform)")
            let back = try RoundTrip.through(.csv, try recording.trace(named: "walk"))
            #expect(back.text.hasSuffix(",0.0,0.0,0.5\n"))
        }
        // Flat on a table, with the upper edge to magnetic north, and then to the west: a quarter turn to the left,
        // which is (0, 0, sin 45°, cos 45°) from the device's axes to east, north and up. The field points north and
        // down.
        let half = 0.5.squareRoot()
        for (field, expected) in [("[0,0.2,-0.4]", [0, 1]), ("[0.2,0,-0.4]", [half, half])] {
            var text =
                #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-03-23T12:00:00Z","boot":0},"sensors":[{"id":"accelerometer","kind":"accelerometer"},{"id":"magnetometer","kind":"magnetometer"},{"id":"gyroscope","kind":"gyroscope"}]}"#
            for tick in 0..<300 {
                let t = Double(tick) / 100
                text += "\n{\"t\":\(t),\"accelerometer\":[0,0,9.80665]}\n{\"t\":\(t),\"magnetometer\":\(field)}"
                text += "\n{\"t\":\(t),\"gyroscope\":[0,0,0]}"
            }
            let trace = try MCAPFiles.trace(text + "\n")
            let last = try #require(try RoundTrip.messages(trace).last { $0.topic == "/attitude" })
            #expect(last.contents["parent_frame_id"] as? String == "earth")
            let rotation = try #require(last.contents["rotation"] as? [String: Double])
            for (key, value) in zip(["x", "y", "z", "w"], [0, 0] + expected) {
                #expect(abs((rotation[key] ?? .nan) - value) < 0.01, "\(key) with the field \(field)")
            }
            // The readings are read back, without the computed attitudes.
            #expect(MCAPFiles.lines(try RoundTrip.through(.mcap, trace).reread.trace).count == 901)
        }
        // A compass that shows 265.0 with a deviation of 1.5 E points to 266.5 magnetic; with a variation of 3.5 W that
        // is 263 true.
        let log = [
            nmeaSentence("GPRMC,120000,A,4404.0,N,12118.0,W,1.0,90.0,230326,,,A"), "$HCHDG,265.0,1.5,E,3.5,W*53",
        ]
        let read = try RecordingFile.read([UInt8](log.joined(separator: "\n").utf8), name: "t.nmea")
        let attitude = #""heading":263.0000,"mheading":266.5000"#
        #expect(MCAPFiles.lines(read.trace).contains { $0.contains(attitude) })
        let back = try RoundTrip.through(.nmea, read.trace)
        #expect(back.text.contains("$GPHDT,263.000,T*32\r\n$HCHDG,266.500,,,3.5,W*3A\r\n"))
        #expect(MCAPFiles.lines(back.reread.trace).contains { $0.contains(attitude) })
    }

    @Test(
        "3. Altitudes above the ellipsoid and above mean sea level are never confused")
    func altitude() throws {
        // 106.25 m above mean sea level, where the geoid is 44.125 m above the ellipsoid.
        let both = try gpsdTrace([
            (
                0,
                #"{"class":"TPV","device":"/dev/gps","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":43.25,"lon":13.5,"altHAE":150.375,"altMSL":106.25,"track":90,"speed":2.5,"geoidSep":44.125}"#
            )
        ])
        let formats: [(RecordingFormat, fileName: String)] = [
            (.gpx, "<ele>106.25</ele><time>2023-11-14T22:13:20Z</time><geoidheight>44.125</geoidheight>"),
            (.nmea, ",106.25,M,44.125,M,"),
            (.gpsd, #""altHAE":150.375,"altMSL":106.25,"#), (.mcap, #""altHAE":150.375,"altMSL":106.25,"#),
        ]
        for (format, fileName) in formats {
            let back = try RoundTrip.through(format, both)
            #expect(back.files.values.contains { $0.contains(fileName) }, "\(format): \(back.files)")
            let fix = try #require(back.positions.fixes.first, "\(format)")
            #expect(fix.altitudeMSL == 106.25 && fix.altitudeHAE == 150.375, "\(format)")
        }
        #expect(try RoundTrip.text(.kml, both).contains("13.5,43.25,106.25\n"))
        #expect(try RoundTrip.text(.geojson, both).contains("[13.5,43.25,150.375]"))
        let message = try #require(try RoundTrip.messages(both).first { $0.topic == "/gps/fix" })
        #expect(message.contents["altitude"] as? Double == 150.375)

        // If only one altitude is known, the other is not derived from it.
        let line =
            #"{"class":"TPV","device":"/dev/gps","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":43.25,"lon":13.5,"ALT":150.25,"track":90,"speed":2.5}"#
        let ellipsoid = try gpsdTrace([(0, line.replacing("ALT", with: "altHAE"))])
        let sea = try gpsdTrace([(0, line.replacing("ALT", with: "altMSL"))])
        for format in [RecordingFormat.gpx, .nmea] {
            let high = try #require(try RoundTrip.through(format, sea).positions.fixes.first)
            #expect(high.altitudeMSL == 150.25 && high.altitudeHAE.isNaN, "\(format)")
            let none = try RoundTrip.through(format, ellipsoid)
            #expect(none.positions.fixes.first?.altitudeMSL.isNaN == true, "\(format)")
            #expect(none.remarks.contains { $0.contains("altitude") }, "\(format): \(none.remarks)")
        }
        let high = try #require(try RoundTrip.through(.mcap, ellipsoid).positions.fixes.first)
        #expect(high.altitudeHAE == 150.25 && high.altitudeMSL.isNaN)
        // A column with the same name is above the ellipsoid on a phone, and above mean sea level on a watch.
        let column = ["time,latitude,longitude,altitude,verticalAccuracy", "1700000000000000000,43.25,13.5,106.25,5"]
        for (file, isAboveSea) in [("Location.csv", false), ("WatchLocation.csv", true)] {
            let trace = try sensorLogger("ios", [file: column]).trace(named: "walk")
            let fix = try #require(try RoundTrip.through(.mcap, trace).positions.fixes.first)
            #expect(isAboveSea ? fix.altitudeMSL == 106.25 : fix.altitudeHAE == 106.25, "\(file)")
            #expect(isAboveSea ? fix.altitudeHAE.isNaN : fix.altitudeMSL.isNaN, "\(file)")
        }
    }

    @Test("4. Radii are kept, standard deviations are read back unchanged, and negative values are unknown")
    func accuracy() throws {
        let header =
            "time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,altitude,longitude,latitude"
        let rows = ["4.5,0.25,3,12.5,1.5,270,150,13.5,43.25", "-1,-1,-1,-1,1.5,270,150,13.5,43.25"]
        let lines = rows.enumerated().map { "\(1_700_000_000 + $0.offset)000000000,\($0.offset),\($0.element)" }
        let phone = try sensorLogger("android", ["Location.csv": [header] + lines]).trace(named: "walk")
        let back = try RoundTrip.through(.mcap, phone)
        for read in [ReadPositions(phone), back.positions] {
            try #require(read.fixes.count == 2)
            let (received, untold) = (read.fixes[0], read.fixes[1])
            #expect(received.horizontalError == 12.5 && received.verticalError == 3)
            #expect(received.speedError == 0.25 && received.trackError == 4.5)
            #expect(untold.horizontalError.isNaN && untold.verticalError.isNaN)
            #expect(untold.speedError.isNaN && untold.trackError.isNaN)
        }
        // On iOS, a negative accuracy means that there is no position.
        let nowhere = try sensorLogger("ios", ["Location.csv": [header, lines[1]]]).trace(named: "walk")
        #expect(ReadPositions(nowhere).reports.map(\.report.mode) == [FixMode.none])

        // The standard deviations are 1 m north, 2 m east and 5 m up. In a normal distribution, 95 % lie within 1.96
        // standard deviations, and in the plane within 2.4477. The mean of both directions is the root of (1 + 4) / 2:
        // 1.5811 * 2.4477 = 3.870.
        let log = [
            nmeaSentence("GPRMC,120000.00,A,4404.00000,N,12118.00000,W,1.0,90.0,230326,,,A"),
            nmeaSentence("GPGGA,120000.00,4404.00000,N,12118.00000,W,1,12,1.0,10.0,M,-20.0,M,,"),
            nmeaSentence("GPGST,120000.00,,,,,1.000,2.000,5.000"),
        ]
        let receiver = try RecordingFile.read([UInt8](log.joined(separator: "\n").utf8), name: "t.nmea").trace
        let fileName = try RoundTrip.through(.nmea, receiver)
        #expect(fileName.text.contains("\(log[2])\r\n"))
        for read in [ReadPositions(receiver), fileName.positions] {
            let fix = try #require(read.fixes.first)
            #expect(fix.latitudeError == 1.96 && fix.longitudeError == 3.92 && fix.verticalError == 9.8)
            #expect(fix.horizontalError == 3.87)
        }
    }
}
