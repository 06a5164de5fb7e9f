// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Geodesy
import Testing
import Trace

@testable import TraceEditing

@Suite("Scrubbing traces")
struct ScrubTests {
    static let sensors =
        #"{"id":"local:/iio:device0/gyro","kind":"gyroscope","name":"mpu6050","serial":"S3CR3T","path":"i2c-1","source":"ip:10.1.2.3"}"#

    @Test("A scrubbed drive keeps its shape and loses its location")
    func shape() throws {
        // A square with sides of about 1 km.
        let corners = [(50.0, 8.0), (50.009, 8.0), (50.009, 8.014), (50.0, 8.014), (50.0, 8.0)]
        let trace = try makeTrace(
            corners.enumerated().map {
                #"{"t":\#($0.offset),"gpsd":\#(tpvLine($0.element.0, $0.element.1, second: $0.offset, more: #","altHAE":247.5,"altMSL":200.0,"geoidSep":47.5,"magvar":3.2,"speed":10.0"#))}"#
            }, start: "2024-05-01T10:00:00.000000000Z")
        var options = ScrubOptions()
        options.place = GeodeticCoordinate(latitude: 10, longitude: 20)
        let scrubbed = try TraceEditor.trace(trace, edits: [ScrubEdit(options)], named: "s")
        let (before, after) = (trace.positions, scrubbed.positions)
        #expect(after.count == 5)
        #expect(abs(after[0].latitude - 10) < 1e-8 && abs(after[0].longitude - 20) < 1e-8)
        func point(_ report: PositionReport) -> GeodeticCoordinate {
            GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        }
        for index in 1..<4 {
            let was = Geodesic.inverse(from: point(before[0]), to: point(before[index]))
            let now = Geodesic.inverse(from: point(after[0]), to: point(after[index]))
            // The text has a resolution of 1e-9 degrees, which is 0.1 mm.
            #expect(abs(was.distance - now.distance) < 0.001)
            #expect(abs(was.initialAzimuth - now.initialAzimuth) < 1e-4)
        }
        #expect(after[0].altitudeMSL == 200 && after[0].altitudeHAE.isNaN && after[0].geoidSeparation.isNaN)
        #expect(after[0].magneticVariation.isNaN && after[0].speed == 10)
        // The times begin at 2000-01-01, one second apart.
        #expect(after.map { $0.time?.seconds } == [946_684_800, 946_684_801, 946_684_802, 946_684_803, 946_684_804])
    }

    @Test("Names of owners and a calibration's date and field are removed, and chip names are kept")
    func sensorNames() throws {
        var header = TraceHeader()
        for (id, name, place) in [("a", "Anna Example's iPhone", "S3CR3T"), ("b", "bmi160-accel", "accel-base")] {
            var sensor = SensorDescription(id: id, kind: id == "a" ? .magnetometer : .accelerometer)
            sensor.name = name
            sensor.location = place
            header.add(sensor)
        }
        var calibration = SensorCalibration()
        calibration.offset = [0.1, 0.2, 0.3]
        calibration.date = WallTime(nanoseconds: 1_767_225_600_000_000_000)
        calibration.dip = 64.5
        calibration.fieldStrength = 0.4875
        header.calibrations["a"] = calibration
        var edit = ScrubEdit()
        let scrubbed = try edit.header(header)
        #expect(scrubbed.sensors.map(\.name) == ["", "bmi160-accel"])
        #expect(scrubbed.sensors.map(\.location) == ["", "accel-base"])
        let scrubbedCalibration = try #require(scrubbed.calibrations["magnetometer"])
        #expect(scrubbedCalibration.offset == [0.1, 0.2, 0.3])
        #expect(
            scrubbedCalibration.dip.isNaN && scrubbedCalibration.fieldStrength.isNaN
                && scrubbedCalibration.date == .epoch)
    }

    @Test("Names of machines, devices and locations are removed")
    func names() throws {
        let lines = [
            #"{"t":0,"gpsd":{"class":"DEVICES","devices":[{"path":"/dev/serial-S3CR3T","subtype":"S3CR3T"}]}}"#,
            #"{"t":0,"gpsdText":"$GPGGA,S3CR3T"}"#,
            #"{"t":0,"gpsd":{"class":"AIS","mmsi":"S3CR3T"}}"#,
            #"{"t":0,"gpsd":{"class":"SKY","device":"/dev/serial-S3CR3T","nSat":1,"satellites":[{"PRN":5,"el":77.0,"az":123.0,"ss":40,"used":true}]}}"#,
            #"{"t":1,"gyroscope":[1.0,0.0,0.0],"sensor":"local:/iio:device0/gyro"}"#,
            #"{"t":1,"lost":{"code":"silent","message":"gpsd on S3CR3T is silent."}}"#,
            #"{"t":1,"attach":{"id":"S3CR3T","name":"Scale of S3CR3T","model":"X-1","serial":"S3CR3T","port":"1-2","protocols":["com.example.a"]}}"#,
            #"{"t":2,"open":"com.example.a","accessory":"S3CR3T"}"#,
            #"{"t":3,"out":"S3CR3T","accessory":"S3CR3T","protocol":"com.example.a"}"#,
            #"{"t":3,"attach":{"id":"2","name":"S3CR3T","port":"/dev/serial/by-id/usb-S3CR3T","protocols":["com.example.b"]}}"#,
            #"{"t":4,"lost":{"code":"silent","message":"S3CR3T"},"sensor":"local:/iio:device0/gyro"}"#,
            #"{"t":5,"regained":true,"sensor":"local:/iio:device0/gyro"}"#,
            #"{"t":6,"gpsd":{"class":"TPV","device":"/dev/serial-S3CR3T","mode":3,"time":"2024-05-01T10:00:06.000Z","lat":48.123456789,"lon":11.987654321,"altHAE":555.125,"ecefx":4177123.45,"note":"S3CR3T"}}"#,
        ]
        let header =
            #"{"format":"device-services-trace","version":1,"start":{"utc":"2024-05-01T10:00:00.000000000Z","boot":5.0},"clock":"S3CR3T","frame":"S3CR3T","units":{"t":"S3CR3T"},"devices":[{"kind":"gpsd","path":"/dev/serial-S3CR3T","driver":"u-blox","subtype":"S3CR3T"}],"recorder":"S3CR3T","source":"gpsd://S3CR3T","contexts":["<context S3CR3T/>"],"note":"S3CR3T","sensors":[\#(Self.sensors)]}"#
        let trace = try TraceFile(bytes: [UInt8](([header] + lines).joined(separator: "\n").utf8), name: "S3CR3T")
        let scrubbed = try TraceEditor.trace(trace, edits: [ScrubEdit()], named: "s")
        let text = String(decoding: scrubbed.bytes, as: UTF8.self)
        #expect(!text.contains("S3CR3T"))
        for part in [
            "77", "123", "10.1.2.3", "48.1", "11.98", "987654", "4177", "2024", "05-01", "T10:00", "i2c", "by-id",
        ] { #expect(!text.contains(part), "\(part)") }
        // The receiver's time is still 6 s after the start.
        #expect(text.contains("2000-01-01T00:00:06.000Z") && text.contains("u-blox") && text.contains("X-1"))
        #expect(text.contains("mpu6050") && text.contains("PRN") && text.contains("attach"))
        #expect(scrubbed.eventLines.contains(#"{"t":1.0,"gyroscope":[1.0,0.0,0.0]}"#))
        #expect(scrubbed.findSensors().map(\.id) == ["gyroscope"])
    }

    @Test("Motion readings are unchanged")
    func motion() throws {
        let trace = try makeTrace(
            [#"{"t":1,"gyroscope":[0.1,0.2,0.3],"stamp":0.99}"#], sensors: #"{"id":"gyroscope","kind":"gyroscope"}"#)
        let scrubbed = try TraceEditor.trace(trace, edits: [ScrubEdit()], named: "s")
        #expect(scrubbed.eventLines == trace.eventLines)
    }
}
