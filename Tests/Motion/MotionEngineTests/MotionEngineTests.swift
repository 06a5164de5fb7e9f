// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion
import Synchronization
import Testing

@Suite("Motion engine")
struct MotionEngineTests {
    @Test("Each reading of the gyroscope yields a state with the same time")
    func stateForEachReading() {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
        bench.rest(1...20)
        #expect(log.milliseconds == (1...20).map { Int64($0) * 10 })
        let last = log.states.last
        #expect(last?.up.z ?? 0 > 0.999_999)
        #expect(last?.northOffset.map { abs($0) < 1e-6 } ?? false)
        #expect(last?.magneticField == SIMD3(0, 0.2, -0.4))
        #expect(last?.acceleration == SIMD3(0, 0, 9.81))
        #expect(last?.usesGyroscope == true)
        subscription.cancel()
    }

    @Test("The delivery order of simultaneous readings does not affect the states")
    func orderDoesNotMatter() {
        let orders: [[SensorKind]] = [
            [.gyroscope, .accelerometer, .magnetometer], [.magnetometer, .accelerometer, .gyroscope],
            [.accelerometer, .gyroscope, .magnetometer], [.gyroscope, .magnetometer, .accelerometer],
        ]
        var results: [[SIMD4<Double>]] = []
        for order in orders {
            let bench = EngineBench()
            let log = FusionLog()
            let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
            for step in 1...100 {
                let seconds = Double(step) / 100
                bench.move(to: seconds)
                for kind in order {
                    let phase = Double(step) * 0.3
                    switch kind {
                    case .gyroscope:
                        bench.post(kind, [0.5 * phase.truncatingRemainder(dividingBy: 1), 0.2, -0.1], at: seconds)
                    case .accelerometer: bench.post(kind, [0.1 * phase, 0.5, 9.7], at: seconds)
                    default: if step % 2 == 0 { bench.post(kind, [0.01 * phase, 0.2, -0.4], at: seconds) }
                    }
                }
            }
            bench.hub.postInputIdle()
            #expect(log.states.count == 100)
            results.append(log.states.map { $0.attitude.components + SIMD4($0.northOffset ?? 9, 0, 0, 0) })
            subscription.cancel()
        }
        for result in results { #expect(result == results[0]) }
    }
}
