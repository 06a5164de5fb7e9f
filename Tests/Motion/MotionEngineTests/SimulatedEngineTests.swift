// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion
import SimulatedDevice
import Testing
import Trace

@Suite("Motion engine during playback")
struct SimulatedEngineTests {
    private static let start =
        #"{"format":"device-services-trace","version":1,"start":{"utc":"2026-05-01T10:00:00Z","boot":100},"sensors":["#

    /// Returns the nanoseconds since boot for an offset from the start in microseconds.
    private static func nanoseconds(_ microseconds: Int) -> Int64 { 100_000_000_000 + Int64(microseconds) * 1000 }

    private func file(_ sensors: String, _ events: [String]) throws -> TraceFile {
        let lines = [Self.start + sensors + "]}"] + events
        return try TraceFile(bytes: [UInt8](lines.joined(separator: "\n").utf8), name: "motion")
    }

    private func states(
        _ trace: TraceFile, _ request: FusionRequest = FusionRequest(need: .heading),
        calibrations: [SensorDescription.ID: SensorCalibration] = [:]
    ) -> [FusedState] {
        let device = SimulatedDevice(trace, calibrations: calibrations)
        let log = FusionLog()
        let subscription = MotionEngine.of(device.device).subscribe(request, receive: log.receive)
        do { try device.play() } catch { Issue.record(error) }
        subscription.cancel()
        return log.states
    }

    private static let three =
        #"{"id":"gyroscope","kind":"gyroscope"},{"id":"accelerometer","kind":"accelerometer"},{"id":"magnetometer","kind":"magnetometer"}"#

    /// One second of rotation. Simultaneous events are in one of several orders, and every third time has a
    /// magnetometer event.
    private func events(order: Int) -> [String] {
        (1...100).flatMap { step -> [String] in
            let hundredths = step % 100 < 10 ? "0\(step % 100)" : "\(step % 100)"
            let time = "\(step / 100).\(hundredths)3517"
            let phase = Double(step) * 0.07
            var lines = [
                #"{"t":\#(time),"gyroscope":[\#(0.3 + phase * 0.1),-0.2,\#(phase * 0.05)]}"#,
                #"{"t":\#(time),"accelerometer":[\#(phase * 0.2),1.5,9.6]}"#,
            ]
            if step % 3 == 0 { lines.append(#"{"t":\#(time),"magnetometer":[\#(phase * 0.02),0.21,-0.4]}"#) }
            if order >= 3 { lines.reverse() }
            return Array(lines[(order % lines.count)...] + lines[..<(order % lines.count)])
        }
    }

    @Test("Each gyroscope reading, including the last, yields a state in any order of simultaneous events")
    func orders() throws {
        let reference = states(try file(Self.three, events(order: 0)))
        let times = (1...100).map { Self.nanoseconds($0 * 10_000 + 3517) }
        #expect(reference.map(\.time.nanoseconds) == times)
        for order in 1..<6 {
            let other = states(try file(Self.three, events(order: order)))
            #expect(other.map(\.time) == reference.map(\.time))
            #expect(other.map(\.attitude) == reference.map(\.attitude))
            #expect(other.map(\.northOffset) == reference.map(\.northOffset))
            #expect(other.map(\.acceleration) == reference.map(\.acceleration))
        }
    }

    @Test("Readings that arrive together yield states at their timestamps")
    func batches() throws {
        var lines: [String] = []
        for batch in 1...10 {
            for kind in ["accelerometer", "gyroscope"] {
                for sample in 0..<10 {
                    let stamp = Double(batch * 10 + sample - 10) / 100
                    let value = kind == "gyroscope" ? "[0,0,0.1]" : "[0,0,9.81]"
                    lines.append(#"{"t":\#(Double(batch) / 10),"\#(kind)":\#(value),"stamp":\#(stamp)}"#)
                }
            }
        }
        let found = states(
            try file(Self.three.split(separator: ",{\"id\":\"m")[0].description, lines), FusionRequest(need: .attitude))
        let times = (0..<100).map { Self.nanoseconds($0 * 10_000) }
        #expect(found.map(\.time.nanoseconds) == times)
    }

    @Test(
        "Calibrations of the header are used, and those given to the device take precedence")
    func calibrations() throws {
        let event = [
            #"{"t":0.01,"gyroscope":[0,0,0]}"#, #"{"t":0.01,"accelerometer":[0.5,0,9.81]}"#,
        ]
        let plain = Self.three.split(separator: ",{\"id\":\"m")[0].description
        let calibrated =
            plain.dropLast() + #","calibration":{"offset":[0.5,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}}"#
        let attitude = FusionRequest(need: .attitude)
        #expect(states(try file(plain, event), attitude).first?.acceleration == SIMD3(0.5, 0, 9.81))
        #expect(states(try file(String(calibrated), event), attitude).first?.acceleration == SIMD3(0, 0, 9.81))
        var given = SensorCalibration()
        given.offset = [0, 0, 0.01]
        let found = states(try file(String(calibrated), event), attitude, calibrations: ["accelerometer": given])
        #expect(found.first?.acceleration == SIMD3(0.5, 0, 9.81 - 0.01))
    }

    @Test("A recording preserves the calibrations of its device")
    func recorded() throws {
        let calibrated =
            #"{"id":"g","kind":"gyroscope","path":"i2c-1/1-0068","calibration":{"offset":[0.01,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]],"sigma":0.001,"quality":0,"coverage":0,"date":1800000000}}"#
        let trace = try file(calibrated, [])
        let header = try #require(trace.header)
        let stored = try #require(header.calibrations["g"])
        #expect(stored.offset == [0.01, 0, 0])
        #expect(stored.sigma == 0.001)
        #expect(header.sensors.first?.path == "i2c-1/1-0068")
        let again = try TraceFile(bytes: header.line() + [10], name: "again")
        #expect(again.header?.line() == header.line())
        #expect(again.header?.calibrations["g"]?.offset == [0.01, 0, 0])
        let device = SimulatedDevice(trace)
        let sensor = try #require(device.device.motionSource.sensors.first)
        #expect(device.device.calibrations.load(SensorIdentity(sensor))?.offset == [0.01, 0, 0])
        #expect(!device.device.calibrations.isWritable)
    }

    @Test("An implausible calibration is ignored with a remark")
    func absurd() throws {
        let trace = try file(
            #"{"id":"g","kind":"gyroscope","calibration":{"offset":[900,0,0],"matrix":[[1,0,0],[0,1,0],[0,0,1]]}}"#, [])
        let header = try #require(trace.header)
        #expect(header.calibrations.isEmpty)
        #expect(header.sensors.first?.remarks.count == 1)
    }
}
