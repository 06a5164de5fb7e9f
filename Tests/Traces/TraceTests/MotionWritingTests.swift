// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import Trace

@Suite("Writing motion and battery")
struct MotionWritingTests {
    private let clock = VirtualClock()

    /// Returns the lines after the header.
    private func written(_ body: (TraceWriter) throws -> Void) throws -> [String] {
        let folder = try Folder()
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(TraceHeader())
        try body(writer)
        try writer.close()
        let text = String(decoding: try folder.bytes("a"), as: UTF8.self)
        #expect(text.hasSuffix("\n"))
        let lines = text.split(separator: "\n").map(String.init)
        for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        return Array(lines.dropFirst())
    }

    @Test("Each event is written in a fixed form")
    func forms() throws {
        let lines = try written { writer in
            try writer.write(sample: [0.1, -0.2, 9.81], kind: .accelerometer, at: 1_250_000_000)
            try writer.write(
                sample: [1e-5, 0, -0.0], kind: .gyroscope, sensor: "gyroscope", stamp: 1_248_300_001, at: 1_250_000_000)
            try writer.write(
                sample: [1e9, 0.30000000000000004, 1], kind: .magnetometer, sensor: "local:/iio:device1/\"magn\"",
                stamp: -1, at: 1_250_000_001)
            try writer.write(sample: [101.325, .nan, .nan], kind: .pressure, stamp: 2_000_000_000, at: 2_000_000_000)
            try writer.write(.battery(BatteryReading(level: 0.79, state: .charging)), at: 2_500_000_000)
            try writer.write(.battery(BatteryReading(level: nil, state: .unknown)), at: 2_500_000_000)
            try writer.write(.battery(nil), at: 2_500_000_000)
            try writer.write(.sensorLost(DeviceError(.silent, "gone"), sensor: "accelerometer"), at: 3_000_000_000)
            try writer.write(.sensorRegained(sensor: "accelerometer"), at: 4_000_000_000)
        }
        #expect(
            lines == [
                #"{"t":1.250000000,"accelerometer":[0.1,-0.2,9.81]}"#,
                #"{"t":1.250000000,"gyroscope":[1e-05,0.0,-0.0],"stamp":1.248300001}"#,
                #"{"t":1.250000001,"magnetometer":[1000000000.0,0.30000000000000004,1.0],"sensor":"local:/iio:device1/\"magn\"","stamp":-0.000000001}"#,
                #"{"t":2.000000000,"pressure":101.325}"#,
                #"{"t":2.500000000,"battery":{"level":0.79,"state":"charging"}}"#,
                #"{"t":2.500000000,"battery":{"state":"unknown"}}"#, #"{"t":2.500000000,"battery":null}"#,
                #"{"t":3.000000000,"lost":{"code":"silent","message":"gone"},"sensor":"accelerometer"}"#,
                #"{"t":4.000000000,"regained":true,"sensor":"accelerometer"}"#,
            ])
    }

    @Test("Each reading of a batch is a line, stamped with its time if that differs from the arrival")
    func batches() throws {
        let batch = MotionBatch(
            sensor: "accelerometer", kind: .accelerometer, values: [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
            times: [100, 110, 120].map { BootTime(nanoseconds: $0 * 1_000_000) },
            arrival: BootTime(nanoseconds: 120_000_000))
        let lines = try written { writer in
            try writer.write(batch, since: BootTime(nanoseconds: 105_000_000))
            try writer.write(
                MotionBatch(sensor: "accelerometer", kind: .accelerometer, arrival: batch.arrival), since: .zero)
        }
        #expect(
            lines == [
                #"{"t":0.015000000,"accelerometer":[1.0,2.0,3.0],"stamp":-0.005000000}"#,
                #"{"t":0.015000000,"accelerometer":[4.0,5.0,6.0],"stamp":0.005000000}"#,
                #"{"t":0.015000000,"accelerometer":[7.0,8.0,9.0]}"#,
            ])
    }

    @Test("Readings that a trace cannot store are omitted, and the others are kept")
    func unusable() throws {
        let batch = MotionBatch(
            sensor: "g", kind: .gyroscope, values: [[.nan, 0, 0], [0, .infinity, 0], [0, 0, 1e10], [0, 0, 1]],
            times: Array(repeating: .zero, count: 4))
        let lines = try written { writer in
            try writer.write(sample: [.nan, 0, 0], kind: .accelerometer, at: 0)
            try writer.write(batch, since: .zero)
        }
        #expect(lines == [#"{"t":0.000000000,"gyroscope":[0.0,0.0,1.0],"sensor":"g"}"#])
    }

    @Test("Times never decrease in a file, and a late reading is stamped with its own time")
    func lateEvents() throws {
        let lines = try written { writer in
            try writer.write(sample: [1, 2, 3], kind: .accelerometer, at: 5)
            try writer.write(sample: [4, 5, 6], kind: .gyroscope, at: 3)
            try writer.write(.regained, at: 4)
            try writer.write(.regained, at: 6)
        }
        #expect(
            lines == [
                #"{"t":0.000000005,"accelerometer":[1.0,2.0,3.0]}"#,
                #"{"t":0.000000005,"gyroscope":[4.0,5.0,6.0],"stamp":0.000000003}"#,
                #"{"t":0.000000005,"regained":true}"#, #"{"t":0.000000006,"regained":true}"#,
            ])
    }

    @Test("Written readings have the form that the fast path of the cursor parses")
    func fastForms() throws {
        let lines = try written { writer in
            for (number, kind) in SensorKind.allCases.enumerated() {
                for sensor in [nil, "local:/iio:device\(number)/x"] {
                    for stamp in [nil, Int64(-1_500_000_000)] {
                        try writer.write(
                            sample: [0.1, -1e-7, 1e9], kind: kind, sensor: sensor, stamp: stamp, at: 12_345_678_901)
                    }
                }
            }
        }
        #expect(lines.count == 16)
        for line in lines {
            // The first line of a sensor takes the slow path, which adds the sensor.
            let text = "\(headerLine)\n\(line)\n"
            let file = try TraceFile(bytes: [UInt8](text.utf8), name: "x")
            var cursor = TraceCursor(file)
            try file.bytes.withUnsafeBytes { bytes in
                let next = cursor.next(bytes)
                let record = try #require(next)
                let start = headerLine.utf8.count + 1 + "{\"t\":12.345678901".utf8.count
                var fast = cursor.canonicalSample(bytes, start, end: bytes.count - 1)
                fast?.time = record.time
                #expect(fast == record, "\(line)")
            }
        }
    }

    @Test("Written readings are read back bit for bit")
    func roundTrip() throws {
        let folder = try Folder()
        var state: UInt64 = 7
        func random() -> Double {
            // Knuth's linear congruential generator (MMIX). Any bit pattern of a number in range is valid.
            while true {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = Double(bitPattern: state)
                if abs(number) <= TraceSample.maximumMagnitude { return number }
            }
        }
        let values = (0..<5000).map { _ in SIMD3(random(), random(), random()) }
        let kinds: [SensorKind] = [.accelerometer, .gyroscope, .magnetometer, .pressure]
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        try writer.write(TraceHeader())
        for (index, value) in values.enumerated() {
            let time = Int64(index) * 1_000_000_007
            try writer.write(
                sample: value, kind: kinds[index % 4], sensor: index % 3 == 0 ? "sensor \(index % 4)" : nil,
                stamp: index % 2 == 0 ? time - 999_999_999 : nil, at: time)
        }
        try writer.close()
        let file = try TraceFile(path: folder.file("a"))
        var cursor = TraceCursor(file)
        file.bytes.withUnsafeBytes { bytes in
            var index = 0
            while let record = cursor.next(bytes) {
                let time = Int64(index) * 1_000_000_007
                let kind = kinds[index % 4]
                let value = kind == .pressure ? SIMD3(values[index].x, 0, 0) : values[index]
                let sample = record.sample
                if record.time != time || sample?.kind != kind || sample?.value.x.bitPattern != value.x.bitPattern
                    || sample?.value.y.bitPattern != value.y.bitPattern
                    || sample?.value.z.bitPattern != value.z.bitPattern
                    || sample?.stamp != (index % 2 == 0 ? time - 999_999_999 : nil)
                    || record.sensor.map({ cursor.sensors[$0].id })
                        != (index % 3 == 0 ? "sensor \(index % 4)" : kind.rawValue)
                {
                    Issue.record("event \(index) differs: \(String(describing: sample))")
                }
                index += 1
            }
            #expect(index == values.count)
        }
        #expect(cursor.warnings.isEmpty)
    }
}
