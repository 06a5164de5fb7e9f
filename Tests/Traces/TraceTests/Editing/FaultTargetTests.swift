// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing
import Trace

@testable import TraceEditing

@Suite("Targets of faults")
struct FaultTargetTests {
    /// Returns a trace with two kinds of sensors, two receivers and an accessory.
    private static func trace() throws -> TraceFile {
        let position = tpvLine(50, 8)
        return try makeTrace(
            [
                #"{"t":0,"attach":{"id":"1","name":"Scale","port":"1-2","protocols":["com.example.a"]}}"#,
                #"{"t":1,"gyroscope":[1,2,3]}"#,
                #"{"t":2,"gpsd":\#(position)}"#,
                #"{"t":3,"gpsd":\#(position.replacing("/dev/ttyACM0", with: "/dev/ttyUSB1"))}"#,
                #"{"t":4,"open":"com.example.a","accessory":"1"}"#,
            ], sensors: FaultTests.sensors)
    }

    @Test(
        "A target missing from the trace is an error that lists the available ones",
        arguments: [
            ("drop=1(gyro)", "gyroscope, m (magnetometer)"), ("stuck(gyro.x)", "gyroscope, m (magnetometer)"),
            ("loss(magnetometer1)", "not a sensor"), ("silence(accelerometer)", "not a sensor"),
            ("drop=1(/dev/ttyACM0)", "not a sensor"), ("stuck(gpsd)", "not a sensor"),
            ("nofix(/dev/other)", "the recording has /dev/ttyACM0, /dev/ttyUSB1"),
            ("clockstep=1s(1)", "not a receiver"),
            ("nofix(gyroscope)", "not to sensors"), ("clockstep=1s(m)", "not to sensors"),
            ("nofix(pressure)", "not to sensors"), ("unplug(Scale)", "the recording has 1 (Scale)"),
            ("cut(/dev/ttyACM0)", "not an accessory"), ("unplug(gpsd)", "not to gpsd"),
        ])
    func unknown(text: String, words: String) throws {
        let trace = try Self.trace()
        #expect {
            try FaultTests.apply(text, to: trace)
        } throws: { error in
            let error = error as? DeviceError
            return error?.code == .invalidConfiguration && error?.message.contains(words) == true
        }
    }

    @Test(
        "A target in the trace is accepted",
        arguments: [
            "drop=1(gyroscope)", "drop=1(m)", "drop=1(magnetometer)", "drop=1(gpsd)", "stuck(m.y)", "loss(gpsd)",
            "nofix(gpsd)", "nofix(/dev/ttyUSB1)", "clockstep=1s(/dev/ttyACM0)", "unplug(1)", "cut(1)", "unplug",
            "nofix",
        ])
    func known(text: String) throws {
        _ = try FaultTests.apply(text, to: try Self.trace())
    }

    @Test("A fault that begins after the last event is an error, and one that begins with it is not")
    func behindTheEnd() throws {
        let trace = try Self.trace()
        for text in ["nofix@4.1s", "loss@99s", "unplug@4.001s", "drop=0.1@0s,stuck(m)@3600s+1s"] {
            #expect {
                try FaultTests.apply(text, to: trace)
            } throws: { error in
                let error = error as? DeviceError
                return error?.code == .invalidConfiguration && error?.message.contains("which is at 4.0 s") == true
            }
        }
        for text in ["nofix@4s", "loss@4s+3600s"] { _ = try FaultTests.apply(text, to: trace) }
    }

    @Test("With several kinds of sensors, a value in the unit of one kind requires a target")
    func kinds() throws {
        let trace = try Self.trace()
        for text in ["saturate=4.36", "disturb=1/0/0"] {
            #expect(throws: DeviceError.self, "\(text)") { try FaultTests.apply(text, to: trace) }
        }
        let one = try makeTrace([#"{"t":1,"gyroscope":[1,2,3]}"#])
        var reading = TimedEventReader(try FaultTests.apply("saturate=1.5", to: one))
        guard case .sample(let value, _, _, _)? = reading.next()?.contents else {
            Issue.record("no reading")
            return
        }
        #expect(value == [1, 1.5, 1.5])
    }

    @Test("Instantaneous faults reject a duration", arguments: ["unplug(1)@1s+3s", "cut(1)@0s+1s", "cut@1s+1s"])
    func durations(text: String) throws {
        #expect(throws: DeviceError.self) { try TraceFault.list(text) }
        let trace = try Self.trace()
        #expect(throws: DeviceError.self) {
            try TraceEditor.trace(
                trace, edits: [FaultEdit([TraceFault(.unplug, target: "1", at: .seconds(1), for: .seconds(3))])],
                named: "f")
        }
    }

    @Test("Only the named receiver loses its fix")
    func oneReceiver() throws {
        let positions = try FaultTests.apply("nofix(/dev/ttyUSB1)", to: try Self.trace()).positions
        #expect(positions.map(\.receiver) == ["/dev/ttyACM0", "/dev/ttyUSB1"])
        #expect(positions.map(\.hasFix) == [true, false])
    }

    @Test("Only the clock of the named receiver is stepped")
    func oneClock() throws {
        let seconds = try FaultTests.apply("clockstep=5s(/dev/ttyUSB1)", to: try Self.trace()).positions.compactMap {
            $0.time?.seconds
        }
        #expect(seconds.count == 2)
        #expect((seconds.last ?? 0) - (seconds.first ?? 0) == 5)
    }
}
