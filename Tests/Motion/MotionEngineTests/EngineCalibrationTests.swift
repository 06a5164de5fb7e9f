// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion
import Synchronization
import Testing

@testable import MotionEngine

/// An in-memory store of calibrations.
private final class MemoryStore: CalibrationStore {
    let table = Mutex<[SensorIdentity: SensorCalibration]>([:])
    let count = Atomic<Int>(0)

    var isWritable: Bool { true }
    var problems: [DeviceError] { [] }

    func load(_ sensor: SensorIdentity) -> SensorCalibration? { table.withLock { $0[sensor] } }

    func store(_ calibration: SensorCalibration, for sensor: SensorIdentity) throws(DeviceError) {
        table.withLock { $0[sensor] = calibration }
        count.add(1, ordering: .relaxed)
    }

    func remove(_ sensor: SensorIdentity) throws(DeviceError) { table.withLock { $0[sensor] = nil } }
}

@Suite("Stored calibrations in the motion engine")
struct EngineCalibrationTests {
    private static func identity(_ kind: SensorKind) -> SensorIdentity {
        SensorIdentity(SensorDescription(id: kind.rawValue, kind: kind))
    }

    @Test("A stored bias is applied from the first sample")
    func storedBias() throws {
        let store = MemoryStore()
        var stored = SensorCalibration()
        stored.offset = [0.05, -0.03, 0.02]
        stored.sigma = 0.0005
        try store.store(stored, for: Self.identity(.gyroscope))
        let bench = EngineBench(store: store)
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive)
        bench.move(to: 0.01)
        bench.post(.gyroscope, [0.05, -0.03, 0.02], at: 0.01)
        bench.post(.accelerometer, [0, 0, 9.81], at: 0.01)
        let rate = try #require(log.states.first?.rotationRate)
        #expect((rate * rate).sum().squareRoot() < 1e-9)
        subscription.cancel()
    }

    @Test("A stored accelerometer calibration is applied in the sensor's axes, before the mount matrix")
    func storedAccelerometer() throws {
        var sensor = SensorDescription(id: "accelerometer", kind: .accelerometer)
        // The sensor's x axis is the device's y axis, and its y axis is the device's -x axis.
        sensor.mountMatrix = MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1])
        let store = MemoryStore()
        var stored = SensorCalibration()
        stored.offset = [0.5, 0, -0.2]
        stored.matrix = ([1.25, 0, 0], [0, 1, 0], [0, 0, 1])
        try store.store(stored, for: SensorIdentity(sensor))
        let hub = MotionHub(sensors: [sensor], demandChanged: {})
        let device = Device(
            name: "bench", clock: VirtualClock(), configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}), motionSource: hub, calibrations: store)
        let log = FusionLog()
        let subscription = MotionEngine.of(device).subscribe(FusionRequest(need: .gravity), receive: log.receive)
        // The sensor reads 8.348 on x. The corrected value is 1.25 · (8.348 - 0.5) = 9.81, along the device's y axis.
        hub.post(
            MotionBatch(
                sensor: sensor.id, kind: .accelerometer, values: [[8.348, 0, -0.2]],
                times: [BootTime(nanoseconds: 1)], arrival: BootTime(nanoseconds: 1)))
        let value = try #require(log.states.first?.acceleration)
        #expect(abs(value.x) < 1e-9)
        #expect(abs(value.y - 9.81) < 1e-9)
        #expect(abs(value.z) < 1e-9)
        subscription.cancel()
    }

    @Test("A stored magnetometer calibration is applied at once, with low quality until the device has been rotated")
    func storedMagnetometer() throws {
        let store = MemoryStore()
        var stored = SensorCalibration()
        stored.offset = [0.1, -0.2, 0.3]
        stored.quality = 1
        stored.fieldStrength = 0.45
        stored.residual = 0.03
        try store.store(stored, for: Self.identity(.magnetometer))
        let bench = EngineBench(store: store)
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
        bench.rest(1...3)
        let state = try #require(log.states.last)
        #expect(state.magneticQuality == .low)
        let field = try #require(state.magneticField)
        let difference = field - SIMD3(-0.1, 0.4, -0.7)
        #expect((difference * difference).sum() < 1e-20)
        subscription.cancel()
    }

    @Test("The bias of a gyroscope is neither applied to nor stored for its replacement")
    func otherGyroscope() {
        let store = MemoryStore()
        let bench = EngineBench([.gyroscope, .accelerometer], store: store)
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive)
        for step in 1...500 {
            let seconds = Double(step) / 100
            bench.move(to: seconds)
            bench.post(.gyroscope, [0.02, 0, 0], at: seconds)
            bench.post(.accelerometer, [0, 0, 9.81], at: seconds)
        }
        #expect(abs((log.states.last?.rotationRate.x ?? 1)) < 0.001)
        let other = SensorDescription(id: "other", kind: .gyroscope)
        let accelerometer = SensorDescription(id: "accelerometer", kind: .accelerometer)
        bench.hub.post(sensors: [other, accelerometer], contextDescriptions: [])
        bench.move(to: 5.01)
        bench.hub.post(
            MotionBatch(
                sensor: "other", kind: .gyroscope, values: [[0.02, 0, 0]], times: [EngineBench.time(5.01)],
                arrival: bench.clock.now))
        bench.post(.accelerometer, [0, 0, 9.81], at: 5.01)
        // The bias is unknown, so the whole reading is reported as rotation rate.
        #expect(abs((log.states.last?.rotationRate.x ?? 0) - 0.02) < 1e-6)
        subscription.cancel()
        #expect(store.table.withLock { $0[SensorIdentity(other)] } == nil)
    }

    @Test("Non-finite readings are ignored")
    func notFinite() throws {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
        bench.rest(1...3)
        for (step, odd) in zip(4..., [Double.nan, .infinity, -.infinity]) {
            let seconds = Double(step) / 100
            bench.move(to: seconds)
            bench.post(.gyroscope, .zero, at: seconds)
            bench.post(.accelerometer, [odd, 0, 9.81], at: seconds)
            bench.post(.magnetometer, [odd, 0.2, -0.4], at: seconds)
        }
        bench.rest(7...7)
        #expect(log.states.count >= 6)
        #expect(log.states.allSatisfy { $0.acceleration == [0, 0, EngineBench.gravity] })
        #expect(log.states.allSatisfy { $0.magneticField == [0, 0.2, -0.4] })
        subscription.cancel()
    }

    @Test("The bias is stored when the last subscription ends, but only if it has changed")
    func storesBias() throws {
        let store = MemoryStore()
        let bench = EngineBench([.gyroscope, .accelerometer], store: store)
        func run(_ steps: ClosedRange<Int>) {
            let subscription = bench.engine.subscribe(FusionRequest(need: .attitude)) { _ in }
            for step in steps {
                let seconds = Double(step) / 100
                bench.move(to: seconds)
                bench.post(.gyroscope, [0.01, -0.02, 0.005], at: seconds)
                bench.post(.accelerometer, [0, 0, 9.81], at: seconds)
            }
            subscription.cancel()
        }
        run(1...2000)
        let stored = try #require(store.load(Self.identity(.gyroscope)))
        let error = stored.offset - SIMD3(0.01, -0.02, 0.005)
        #expect((error * error).sum().squareRoot() < 0.0005)
        #expect(stored.sigma < 0.002)
        #expect(store.count.load(ordering: .relaxed) == 1)
        run(2001...4000)
        #expect(store.count.load(ordering: .relaxed) == 1)
    }

    @Test("An implausible stored calibration is ignored")
    func absurd() throws {
        let store = MemoryStore()
        var stored = SensorCalibration()
        stored.offset = [.nan, 0, 0]
        store.table.withLock { $0[Self.identity(.accelerometer)] = stored }
        let bench = EngineBench(store: store)
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .gravity), receive: log.receive)
        bench.rest(1...3)
        #expect(log.states.last?.acceleration == SIMD3(0, 0, 9.81))
        subscription.cancel()
    }

    @Test("The uncertainty of a bias grows with its age up to a limit, and ages below zero count as zero")
    func age() {
        let degree = Double.pi / 180
        var stored = SensorCalibration()
        stored.sigma = 0.03 * degree
        stored.date = WallTime(nanoseconds: 1_700_000_000_000_000_000)
        func sigma(_ days: Double) -> Double {
            CalibrationRules.sigma(of: stored, at: stored.date.advanced(bySeconds: days * 86_400)) / degree
        }
        // √(0.03² + 0.05²) initially, and √(0.03² + 0.05² + 0.1²) after a day.
        #expect(abs(sigma(0) - 0.0583) < 1e-4)
        #expect(abs(sigma(1) - 0.1158) < 1e-4)
        #expect(sigma(1000) == 0.5)
        #expect(sigma(-1000) == sigma(0))
        stored.sigma = .nan
        #expect(sigma(0) > 0.05)
    }
}
