// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import Trace

/// Uses hubs as sources, because all sources post their readings to hubs.
@Suite("Recording motion and battery")
struct MotionRecorderTests {
    private let clock = VirtualClock(now: BootTime(nanoseconds: 100_000_000_000), wallTime: .epoch)
    private let position = PositionHub(demandChanged: {})
    private let motion: MotionHub
    private let status = StatusHub(battery: BatteryReading(level: 0.8, state: .unplugged))
    private let accelerometer: SensorDescription

    init() {
        var accelerometer = SensorDescription(id: "local:/iio:device0/accel", kind: .accelerometer)
        accelerometer.mountMatrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        accelerometer.mode = .buffered
        self.accelerometer = accelerometer
        motion = MotionHub(sensors: [accelerometer], contextDescriptions: ["<context/>"], demandChanged: {})
    }

    private func recorder(
        _ folder: Folder, parts: TraceParts = .default, motionInterval: Duration = .milliseconds(10)
    ) throws -> TraceRecorder {
        let device = Device(
            name: "test", clock: clock, configuration: Configuration(), positionSource: position, motionSource: motion,
            statusSource: status)
        return TraceRecorder(
            device: device, writer: try TraceWriter(path: folder.file("a"), clock: clock), parts: parts,
            motionInterval: motionInterval)
    }

    private func post(_ value: SIMD3<Double>, at milliseconds: Int64, arrival: Int64, sensor: SensorDescription) {
        let now = BootTime(nanoseconds: 100_000_000_000 + arrival * 1_000_000)
        clock.move(to: now)
        motion.post(
            MotionBatch(
                sensor: sensor.id, kind: sensor.kind, values: [value],
                times: [BootTime(nanoseconds: 100_000_000_000 + milliseconds * 1_000_000)], arrival: now))
    }

    private func events(_ folder: Folder) throws -> [String] {
        String(decoding: try folder.bytes("a"), as: UTF8.self).split(separator: "\n").dropFirst().map(String.init)
    }

    @Test("Readings in the sensor's axes, losses and the battery are recorded in order of arrival")
    func records() throws {
        let folder = try Folder()
        let recorder = try recorder(folder)
        #expect(!motion.hasSubscribers && !status.hasSubscribers)
        try recorder.start()
        #expect(motion.demand(of: accelerometer.id)?.interval == 0.01)
        post([1, 2, 3], at: -1, arrival: 2, sensor: accelerometer)
        [UInt8](tpv.utf8).withUnsafeBytes { position.post(line: $0, arrival: clock.now) }
        status.post(BatteryReading(level: 0.79, state: .unplugged))
        motion.setStatus(.unavailable(DeviceError(.silent, "gone")), of: accelerometer.id)
        clock.move(to: BootTime(nanoseconds: 100_500_000_000))
        motion.setStatus(.available, of: accelerometer.id)
        post([4, 5, 6], at: 600, arrival: 600, sensor: accelerometer)
        status.post(nil)
        #expect(recorder.recordedSamples == 2)
        #expect(recorder.recordedLines == 1)
        try recorder.stop()
        #expect(!motion.hasSubscribers && !status.hasSubscribers && !position.hasSubscribers)
        post([7, 8, 9], at: 700, arrival: 700, sensor: accelerometer)
        let id = #""sensor":"local:/iio:device0/accel""#
        #expect(
            try events(folder) == [
                #"{"t":0.002000000,"accelerometer":[1.0,2.0,3.0],\#(id),"stamp":-0.001000000}"#,
                #"{"t":0.002000000,"gpsd":\#(tpv)}"#,
                #"{"t":0.002000000,"battery":{"level":0.79,"state":"unplugged"}}"#,
                #"{"t":0.002000000,"lost":{"code":"silent","message":"gone"},\#(id)}"#,
                #"{"t":0.500000000,"regained":true,\#(id)}"#,
                #"{"t":0.600000000,"accelerometer":[4.0,5.0,6.0],\#(id)}"#, #"{"t":0.600000000,"battery":null}"#,
            ])
        let header = try #require(try TraceFile(path: folder.file("a")).header)
        var recorded = accelerometer
        recorded.mode = .recorded
        #expect(header.sensors == [recorded])
        #expect(header.contexts == ["<context/>"])
        #expect(header.battery == BatteryReading(level: 0.8, state: .unplugged))
        #expect(header.units == ["t": "s", "accelerometer": "m/s^2"])
    }

    @Test("Only the chosen parts are recorded", arguments: [TraceParts.position, .motion, .battery, []])
    func parts(parts: TraceParts) throws {
        let folder = try Folder()
        let recorder = try recorder(folder, parts: parts)
        try recorder.start()
        #expect(position.hasSubscribers == parts.contains(.position))
        #expect(motion.hasSubscribers == parts.contains(.motion))
        #expect(status.hasSubscribers == parts.contains(.battery))
        post([1, 2, 3], at: 1, arrival: 1, sensor: accelerometer)
        [UInt8](tpv.utf8).withUnsafeBytes { position.post(line: $0, arrival: clock.now) }
        status.post(nil)
        try recorder.stop()
        #expect(try events(folder).count == (parts.isEmpty ? 0 : 1))
        let header = try #require(try TraceFile(path: folder.file("a")).header)
        #expect(header.sensors.isEmpty == !parts.contains(.motion))
        #expect((header.battery == nil) == !parts.contains(.battery))
        #expect(header.source.isEmpty == !parts.contains(.position))
    }

    @Test("A recorder requests the chosen interval from a sensor")
    func interval() throws {
        let folder = try Folder()
        let recorder = try recorder(folder, motionInterval: .seconds(0.5))
        try recorder.start()
        #expect(motion.demand(of: accelerometer.id)?.interval == 0.5)
        // Two seconds at 100 Hz for another subscriber; every 50th reading is recorded.
        for step in 0..<200 {
            post([Double(step), 0, 0], at: Int64(step) * 10, arrival: Int64(step) * 10, sensor: accelerometer)
        }
        try recorder.stop()
        #expect(recorder.recordedSamples == 4)
        #expect(
            try events(folder).map { $0.prefix(16) } == [
                #"{"t":0.000000000"#, #"{"t":0.500000000"#, #"{"t":1.000000000"#, #"{"t":1.500000000"#,
            ])
    }

    @Test("A sensor of a kind that was missing at the start is recorded under its id")
    func laterSensor() throws {
        let folder = try Folder()
        let recorder = try recorder(folder)
        try recorder.start()
        let gyroscope = SensorDescription(id: "usb:1.2/gyro", kind: .gyroscope)
        motion.post(sensors: [accelerometer, gyroscope], contextDescriptions: [])
        post([1, 2, 3], at: 1, arrival: 1, sensor: gyroscope)
        try recorder.stop()
        #expect(
            try events(folder) == [#"{"t":0.001000000,"gyroscope":[1.0,2.0,3.0],"sensor":"usb:1.2/gyro"}"#])
        #expect(try TraceFile(path: folder.file("a")).findSensors().map(\.id) == [accelerometer.id, gyroscope.id])
    }

    @Test(
        "If the disk becomes full during recording, all sources are released",
        .enabled(if: access("/dev/full", W_OK) == 0, "there is no /dev/full"))
    func fullDisk() throws {
        let folder = try Folder()
        let path = folder.file("a")
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let device = Device(
            name: "test", clock: clock, configuration: Configuration(), positionSource: position, motionSource: motion,
            statusSource: status)
        let recorder = TraceRecorder(
            device: device, writer: TraceWriter(descriptor: descriptor, name: path, clock: clock), motionInterval: .zero
        )
        try recorder.start()
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        try #require(dup2(full, descriptor) == descriptor)
        close(full)
        // More than the buffer holds, which is 65,536 bytes.
        for step in 0..<1000 { post([1, 2, 3], at: Int64(step), arrival: Int64(step), sensor: accelerometer) }
        #expect(!motion.hasSubscribers && !status.hasSubscribers && !position.hasSubscribers)
        #expect(recorder.failure?.cause == .system(call: "write", errno: ENOSPC))
        #expect(throws: DeviceError.self) { try recorder.stop() }
    }
}
