// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import Testing

@Suite("Sensor rates requested by the motion engine")
struct RatesTests {
    private func intervals(_ bench: EngineBench) -> [Double?] {
        [bench.interval(.gyroscope), bench.interval(.accelerometer), bench.interval(.magnetometer)]
    }

    @Test("The filter runs at 100 Hz even for a slow client")
    func slowClient() {
        let bench = EngineBench()
        let heading = bench.engine.subscribe(FusionRequest(need: .heading, interval: 0.2)) { _ in }
        #expect(intervals(bench) == [0.01, 0.01, 0.02])
        let attitude = bench.engine.subscribe(FusionRequest(need: .attitude, interval: 0.005)) { _ in }
        #expect(intervals(bench) == [0.005, 0.005, 0.02])
        heading.cancel()
        #expect(intervals(bench) == [0.005, 0.005, nil])
        attitude.cancel()
        #expect(intervals(bench) == [nil, nil, nil])
        #expect(!bench.hub.hasSubscribers)
    }

    @Test("An interval of 0 requests every sample at the maximum rate")
    func greatestRate() {
        let bench = EngineBench()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading)) { _ in }
        #expect(intervals(bench) == [0, 0, 0])
        subscription.cancel()
    }

    @Test("A client that needs only gravity uses only the accelerometer")
    func gravity() {
        let bench = EngineBench()
        let slow = bench.engine.subscribe(FusionRequest(need: .gravity, interval: 5)) { _ in }
        #expect(intervals(bench) == [nil, 0.1, nil])
        let shake = bench.engine.subscribe(FusionRequest(need: .gravity, interval: 0.02)) { _ in }
        #expect(intervals(bench) == [nil, 0.02, nil])
        let attitude = bench.engine.subscribe(FusionRequest(need: .attitude, interval: 0.05)) { _ in }
        #expect(intervals(bench) == [0.01, 0.01, nil])
        attitude.cancel()
        shake.cancel()
        #expect(intervals(bench) == [nil, 0.1, nil])
        slow.cancel()
    }

    @Test("Without a gyroscope, sensors run no faster than the client requires")
    func withoutGyroscope() {
        let bench = EngineBench([.accelerometer, .magnetometer])
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading, interval: 0.1)) { _ in }
        #expect(intervals(bench) == [nil, 0.05, 0.02])
        subscription.cancel()
    }

    @Test("Availability depends on the sensors")
    func available() {
        let needs: [FusionRequest.Need] = [.gravity, .attitude, .heading]
        func available(_ kinds: [SensorKind]) -> [Bool] {
            let engine = EngineBench(kinds).engine
            return needs.map { engine.isAvailable($0) }
        }
        #expect(available([.gyroscope, .accelerometer, .magnetometer]) == [true, true, true])
        #expect(available([.accelerometer, .magnetometer]) == [true, false, true])
        #expect(available([.gyroscope, .accelerometer]) == [true, true, false])
        #expect(available([.accelerometer]) == [true, false, false])
        #expect(available([.gyroscope, .magnetometer]) == [false, false, false])
    }

    @Test("Each client receives states at its own interval, based on timestamps")
    func decimation() {
        let bench = EngineBench()
        let (fast, slow) = (FusionLog(), FusionLog())
        let first = bench.engine.subscribe(FusionRequest(need: .attitude, interval: 0.01), receive: fast.receive)
        let second = bench.engine.subscribe(FusionRequest(need: .gravity, interval: 0.05), receive: slow.receive)
        bench.rest(1...100)
        #expect(fast.states.count == 100)
        let wanted: [Int64] = (0..<20).map { 10 + 50 * $0 }
        #expect(slow.milliseconds == wanted)
        first.cancel()
        second.cancel()
    }
}
