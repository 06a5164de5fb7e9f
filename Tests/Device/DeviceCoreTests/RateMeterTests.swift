// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Sensor rate measurement")
struct RateMeterTests {
    private static func times(from start: Double, rate: Double, count: Int) -> [BootTime] {
        (0..<count).map { BootTime.zero.advanced(bySeconds: start + Double($0) / rate) }
    }

    @Test("The rate is computed from the time stamps, regardless of the batch size", arguments: [1, 7, 100])
    func rate(batch: Int) throws {
        var meter = RateMeter()
        let times = Self.times(from: 3, rate: 95.238, count: 700)
        for start in stride(from: 0, to: times.count, by: batch) {
            meter.record(Array(times[start..<min(start + batch, times.count)]))
        }
        #expect(abs(try #require(meter.rate) - 95.238) < 0.01)
    }

    @Test("A few readings yield no rate, and a change of rate is detected within two seconds")
    func change() throws {
        var meter = RateMeter()
        meter.record(Self.times(from: 0, rate: 100, count: 5))
        #expect(meter.rate == nil)
        for time in Self.times(from: 0.05, rate: 100, count: 200) { meter.record([time]) }
        #expect(abs(try #require(meter.rate) - 100) < 0.5)
        for time in Self.times(from: 2.05, rate: 25, count: 51) { meter.record([time]) }
        #expect(abs(try #require(meter.rate) - 25) < 1)
    }

    @Test("The rate measured from decimated readings is that of the sensor")
    func decimated() throws {
        var meter = RateMeter()
        for time in Self.times(from: 3, rate: 10, count: 40) { meter.record([time], decimationFactor: 10) }
        #expect(abs(try #require(meter.rate) - 100) < 0.01)
    }

    @Test("A pause restarts the measurement")
    func gap() {
        var meter = RateMeter()
        meter.record(Self.times(from: 0, rate: 100, count: 300))
        meter.record(Self.times(from: 60, rate: 100, count: 2))
        #expect(meter.rate == nil)
    }
}
