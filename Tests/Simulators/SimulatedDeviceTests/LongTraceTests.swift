// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice
import Testing
import Trace

@Suite("Traces long enough for read-ahead", .timeLimit(.minutes(30)))
struct LongTraceTests {
    /// Returns a trace of `count` numbered readings with one invalid line.
    private static func file(_ count: Int, brokenAt broken: Int, lastSensor: String? = nil) throws -> TraceFile {
        var text = MotionPlaybackTests.start
        text +=
            #","sensors":[{"id":"accelerometer","kind":"accelerometer"},{"id":"gyroscope","kind":"gyroscope"}]}"# + "\n"
        text.reserveCapacity(count * 80)
        for index in 0..<count {
            if index == broken { text += "no event\n" }
            let kind = index % 2 == 0 ? "accelerometer" : "gyroscope"
            text += "{\"t\":\(index / 1000).\(String(1000 + index % 1000).dropFirst())000000,"
            text += "\"\(kind)\":[\(index),0.054861095999999996,-1.5],\"stamp\":\(index / 1000).0}\n"
        }
        if let lastSensor { text += "{\"t\":\(count),\"gyroscope\":[1,2,3],\"sensor\":\"\(lastSensor)\"}\n" }
        return try TraceFile(bytes: Array(text.utf8), name: "long")
    }

    private final class Sums: @unchecked Sendable {
        var count = 0
        var isInOrder = true

        func add(_ event: MotionEvent) {
            guard case .samples(let batch) = event else { return }
            for value in batch.values {
                if value.x != Double(count) { isInOrder = false }
                count += 1
            }
        }
    }

    @Test("Every reading arrives in file order, and a warning appears when its line is played")
    func readsEverything() throws {
        let count = 60_000
        let device = SimulatedDevice(try Self.file(count, brokenAt: 40_000))
        let sums = Sums()
        let subscriptions = [SensorKind.accelerometer, .gyroscope].map { kind in
            device.device.motionSource.subscribe(MotionRequest(kind: kind)) { sums.add($0) }
        }
        device.advance(by: 30)
        #expect(sums.count == 30_001)
        #expect(device.warnings.isEmpty)
        device.advance(by: 15)
        #expect(device.warnings.map(\.description) == ["\(TraceWarning(line: 40_002, reason: .malformedLine))"])
        try device.play()
        #expect(sums.count == count)
        #expect(sums.isInOrder)
        #expect(device.warnings.count == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test("Sensor discovery finds a sensor that only the last line of a large file names")
    func findsLateSensors() throws {
        let file = try Self.file(110_000, brokenAt: 50_000, lastSensor: "late")
        #expect(file.bytes.count > 8 << 20)
        #expect(file.findSensors().map(\.id) == ["accelerometer", "gyroscope", "late"])
        let plain = try Self.file(110_000, brokenAt: -1)
        #expect(plain.findSensors().map(\.id) == ["accelerometer", "gyroscope"])
    }

    @Test("Releasing a device in the middle of a trace releases its reader")
    func goesEarly() throws {
        for _ in 0..<20 {
            let device = SimulatedDevice(try Self.file(15_000, brokenAt: -1))
            device.advance(by: 1)
        }
    }
}
