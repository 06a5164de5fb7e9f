// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Sensors in trace headers")
struct MotionHeaderTests {
    private func header(_ members: String) throws -> TraceHeader {
        let line = "{\"format\":\"device-services-trace\",\"version\":1,\(members)}\n"
        return try #require(try TraceFile(bytes: [UInt8](line.utf8), name: "x").header)
    }

    @Test("A header with sensors is written in a fixed form and read back unchanged")
    func roundTrip() throws {
        var header = TraceHeader(start: .init(wallTime: .epoch, boot: BootTime(nanoseconds: 1)))
        var accelerometer = SensorDescription(id: "local:/iio:device0/accel", kind: .accelerometer)
        accelerometer.name = "mpu6050"
        accelerometer.label = "accel-display"
        accelerometer.location = "display"
        accelerometer.source = "local:"
        accelerometer.rates = .list([12.5, 100])
        accelerometer.mode = .recorded
        accelerometer.mountMatrix = MountMatrix([0, 1, 0], [-0.5, 0, 0.25], [0, 0, -1])
        accelerometer.mountMatrixOrigin = "in_accel_mount_matrix"
        accelerometer.clock = "boottime"
        header.add(accelerometer)
        var pressure = SensorDescription(id: "pressure", kind: .pressure)
        pressure.mode = .recorded
        pressure.rates = .range(minimum: 1, step: 0.5, maximum: 10)
        header.add(pressure)
        header.contexts = ["<?xml version=\"1.0\"?>\n<context/>"]
        header.battery = BatteryReading(level: 0.8, state: .unplugged)
        let line = header.line()
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"format":"device-services-trace","version":1,"start":{"utc":"1970-01-01T00:00:00.000000000Z","boot":0.000000001},"clock":"CLOCK_BOOTTIME","devices":[],"sensors":["#
                + #"{"id":"local:/iio:device0/accel","kind":"accelerometer","name":"mpu6050","label":"accel-display","location":"display","source":"local:","rates":[12.5,100.0],"mountMatrix":"0, 1, 0; -0.5, 0, 0.25; 0, 0, -1","mountMatrixOrigin":"in_accel_mount_matrix","clock":"boottime"},"#
                + #"{"id":"pressure","kind":"pressure","rates":{"minimum":1.0,"step":0.5,"maximum":10.0}}],"#
                + #""contexts":["<?xml version=\"1.0\"?>\n<context/>"],"units":{"accelerometer":"m/s^2","pressure":"kPa","t":"s"},"battery":{"level":0.8,"state":"unplugged"},"frame":"sensor"}"#
        )
        let file = try TraceFile(bytes: line + [10], name: "x")
        #expect(file.header == header)
        #expect(file.header?.line() == line)
    }

    @Test("A header without sensors omits all members about sensors")
    func withoutSensors() {
        #expect(
            String(decoding: TraceHeader().line(), as: UTF8.self)
                == #"{"format":"device-services-trace","version":1,"clock":"CLOCK_BOOTTIME","devices":[],"units":{"t":"s"},"frame":"sensor"}"#
        )
    }

    @Test("Invalid sensors are omitted, and invalid properties of a sensor are unknown")
    func damaged() throws {
        let sensors = try header(
            """
            "sensors":[5,null,[],{},{"id":"a"},{"id":"","kind":"pressure"},{"id":"t","kind":"temperature"},\
            {"kind":"gyroscope","id":"g","rates":"fast","mountMatrix":"1, 0, 0","new":{"x":[1]},"name":7},\
            {"id":"g","kind":"pressure"},\
            {"id":"s","kind":"magnetometer","rates":[-1,0,"x",1e999,5,2],"mountMatrix":"1, 0, 0; 1, 0, 0; 0, 0, 1"},\
            {"id":"r","kind":"accelerometer","rates":{"minimum":5,"maximum":1}}]
            """
        ).sensors
        #expect(sensors.map(\.id) == ["g", "s", "r"])
        #expect(sensors.map(\.kind) == [.gyroscope, .magnetometer, .accelerometer])
        #expect(sensors.map(\.rates) == [.unknown, .list([2, 5]), .unknown])
        #expect(sensors.allSatisfy { $0.mountMatrix == .identity })
        #expect(sensors.map(\.remarks.count) == [1, 1, 0])
        #expect(sensors.allSatisfy { $0.name.isEmpty })
    }

    @Test("Members of the wrong type are ignored")
    func wrongTypes() throws {
        let read = try header(#""sensors":{},"contexts":"<xml/>","battery":[1]"#)
        #expect(read.sensors.isEmpty)
        #expect(read.contexts.isEmpty)
        #expect(read.battery == nil)
        #expect(try header(#""contexts":[1,"<a/>",null]"#).contexts == ["<a/>"])
        #expect(try header(#""battery":{"state":"full"}"#).battery == BatteryReading(level: nil, state: .full))
    }

    @Test("Sensors beyond the maximum are ignored")
    func crowd() throws {
        let many = (0..<2000).map { "{\"id\":\"\($0)\",\"kind\":\"gyroscope\"}" }.joined(separator: ",")
        #expect(try header("\"sensors\":[\(many)]").sensors.count == TraceSensors.maximumCount)
    }
}
