// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion
import Synchronization
import TestSupport
import Testing

@Suite("Subscribers of the motion engine")
struct EngineClientTests {
    private final class Box: Sendable {
        private let value = Mutex<Subscription?>(nil)
        let count = Atomic<Int>(0)

        func put(_ subscription: Subscription) { value.withLock { $0 = subscription } }

        func cancel() {
            let subscription = value.withLock { value in
                defer { value = nil }
                return value
            }
            subscription?.cancel()
        }
    }

    @Test("A subscriber that cancels in its callback receives no further events")
    func cancelInside() {
        let bench = EngineBench()
        let box = Box()
        box.put(
            bench.engine.subscribe(FusionRequest(need: .heading)) { _ in
                box.count.add(1, ordering: .relaxed)
                box.cancel()
            })
        bench.rest(1...10)
        #expect(box.count.load(ordering: .relaxed) == 1)
        #expect(!bench.hub.hasSubscribers)
    }

    @Test("A subscriber may subscribe again in its callback")
    func subscribeInside() {
        let bench = EngineBench()
        let engine = bench.engine
        let (box, log) = (Box(), FusionLog())
        let outer = engine.subscribe(FusionRequest(need: .gravity, interval: 0.05)) { _ in
            guard box.count.add(1, ordering: .relaxed).oldValue == 0 else { return }
            box.put(engine.subscribe(FusionRequest(need: .heading, interval: 0.01), receive: log.receive))
        }
        bench.rest(1...20)
        #expect(bench.interval(.gyroscope) == 0.01)
        #expect(log.states.last?.northOffset != nil)
        #expect(log.states.count >= 18)
        box.cancel()
        outer.cancel()
        #expect(!bench.hub.hasSubscribers)
    }

    @Test("A sensor's loss and recovery are each reported once to the affected subscribers")
    func losses() {
        let bench = EngineBench()
        let (heading, attitude, late) = (FusionLog(), FusionLog(), FusionLog())
        let first = bench.engine.subscribe(FusionRequest(need: .heading), receive: heading.receive)
        let second = bench.engine.subscribe(FusionRequest(need: .attitude), receive: attitude.receive)
        bench.rest(1...10)
        bench.hub.setStatus(.unavailable(DeviceError(.connectionLost, "Unplugged.")), of: "magnetometer")
        bench.hub.setStatus(.unavailable(DeviceError(.connectionLost, "Unplugged.")), of: "gyroscope")
        let third = bench.engine.subscribe(FusionRequest(need: .heading), receive: late.receive)
        #expect(heading.words == ["lost magnetometer", "lost gyroscope"])
        #expect(attitude.words == ["lost gyroscope"])
        #expect(late.words == ["lost gyroscope", "lost magnetometer"])
        // States continue without these sensors.
        bench.rest(11...20, [.accelerometer])
        #expect(attitude.states.count == 20)
        #expect(attitude.states.last?.usesGyroscope == false)
        #expect(heading.states.last?.magneticField == nil)
        bench.hub.setStatus(.available, of: "gyroscope")
        bench.hub.setStatus(.available, of: "magnetometer")
        bench.rest(21...30)
        #expect(late.words == ["lost gyroscope", "lost magnetometer", "regained gyroscope", "regained magnetometer"])
        #expect(attitude.words == ["lost gyroscope", "regained gyroscope"])
        #expect(attitude.states.count == 30)
        #expect(attitude.states.last?.usesGyroscope == true)
        #expect(heading.states.last?.magneticField != nil)
        for subscription in [first, second, third] { subscription.cancel() }
    }

    @Test("Without recent accelerometer readings, states contain no user acceleration")
    func withoutAccelerometer() throws {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive)
        bench.rest(1...10)
        bench.rest(11...100, [.gyroscope])
        bench.hub.postInputIdle()
        #expect(log.states.count == 100)
        let last = try #require(log.states.last)
        let moved = last.acceleration - last.up * 9.80665
        #expect((moved * moved).sum() < 1e-12)
        subscription.cancel()
    }

    @Test("A state that waits for a sensor is delivered after 0.1 s if nothing else arrives")
    func timer() {
        let bench = EngineBench([.gyroscope, .accelerometer])
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive)
        bench.rest(1...10)
        bench.rest(at: 0.11, [.gyroscope])
        #expect(log.states.count == 10)
        bench.move(to: 0.2)
        #expect(log.states.count == 10)
        bench.move(to: 0.32)
        #expect(log.milliseconds.last == 110)
        subscription.cancel()
    }

    @Test("All waiting states are delivered when the input becomes idle")
    func quiet() {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
        bench.rest(1...10)
        bench.rest(at: 0.11, [.gyroscope, .accelerometer])
        #expect(log.states.count == 10)
        bench.hub.postInputIdle()
        #expect(log.milliseconds.last == 110)
        subscription.cancel()
    }

    @Test("Accelerometer and magnetometer alone yield a heading")
    func withoutGyroscope() throws {
        let bench = EngineBench([.accelerometer, .magnetometer])
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading, interval: 0.05), receive: log.receive)
        // The top edge points east, so the field points to the left, along -x.
        for step in 1...100 {
            let seconds = Double(step) / 20
            bench.move(to: seconds)
            bench.post(.accelerometer, [0, 0, 9.81], at: seconds)
            bench.post(.magnetometer, [-0.2, 0, -0.4], at: seconds)
        }
        let state = try #require(log.states.last)
        #expect(log.states.count == 100)
        #expect(state.rotationRate == .zero)
        let top = try #require(state.magneticAttitude).rotate([0, 1, 0])
        #expect(abs(top.x - 1) < 1e-3)
        #expect(abs(top.y) < 1e-3)
        subscription.cancel()
    }

    @Test("The declination is that of the last fix, and the engine does not subscribe to positions")
    func declination() throws {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
        bench.clock.setWallTime(WallTime(nanoseconds: 1_767_225_600_000_000_000))  // 2026-01-01
        bench.rest(1...10)
        #expect(log.states.last?.declination == nil)
        var report = PositionReport()
        report.mode = .threeDimensional
        report.latitude = 48.137
        report.longitude = 11.575
        report.altitudeHAE = 560
        report.arrival = bench.clock.now
        bench.position.post(report)
        bench.rest(11...80)
        let declination = try #require(log.states.last?.declination)
        // The declination in Munich at the beginning of 2026, according to NOAA's calculator for WMM2025, is about 4.5
        // degrees east.
        #expect(abs(declination * 180 / .pi - 4.5) < 0.4)
        subscription.cancel()
    }

    @Test("A sensor with random readings does not affect the others")
    func faultySensors() {
        for faulty in [SensorKind.accelerometer, .magnetometer] {
            let bench = EngineBench()
            let log = FusionLog()
            let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
            bench.rest(1...10)
            var state: UInt64 = 7
            for step in 11...400 {
                let seconds = Double(step) / 100
                bench.rest(at: seconds, [.gyroscope, .accelerometer, .magnetometer].filter { $0 != faulty })
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let extreme = Double(Int64(bitPattern: state) >> 20) / 1e9
                bench.post(faulty, [.nan, extreme * 1e6, .infinity], at: extreme)
            }
            bench.hub.postInputIdle()
            #expect(log.states.count == 400)
            #expect(log.states.allSatisfy { $0.attitude.w.isFinite })
            #expect(log.states.last?.up.z ?? 0 > 0.99)
            subscription.cancel()
        }
    }

    @Test("After a pause, the filter is reset but keeps the gyroscope's bias")
    func pause() throws {
        let bench = EngineBench()
        func drift(_ steps: ClosedRange<Int>) {
            for step in steps {
                let seconds = Double(step) / 100
                bench.move(to: seconds)
                bench.post(.gyroscope, [0.01, -0.02, 0.005], at: seconds)
                bench.post(.accelerometer, [0, 0, 9.81], at: seconds)
            }
        }
        let log = FusionLog()
        bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive).cancel()
        let first = bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive)
        drift(1...1000)
        first.cancel()
        bench.move(to: 100)
        let second = bench.engine.subscribe(FusionRequest(need: .attitude), receive: log.receive)
        drift(10_001...10_010)
        bench.hub.postInputIdle()
        #expect(log.states.count == 1010)
        let rate = try #require(log.states.last?.rotationRate)
        #expect((rate * rate).sum().squareRoot() < 0.001)
        second.cancel()
    }

    /// A source that runs a closure before each subscription.
    private final class BusySource: MotionSource {
        let hub: MotionHub
        let gap = Mutex<(@Sendable () -> Void)?>(nil)

        init(_ hub: MotionHub) { self.hub = hub }

        var sensors: [SensorDescription] { hub.sensors }
        var contextDescriptions: [String] { [] }
        func description(of sensor: SensorDescription.ID) -> SensorDescription? { hub.description(of: sensor) }
        func measuredRate(of sensor: SensorDescription.ID) -> Double? { nil }

        func subscribe(
            _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
            onInputIdle: @escaping @Sendable () -> Void
        ) -> Subscription {
            gap.withLock { $0 }?()
            return hub.subscribe(request, receive: receive, onInputIdle: onInputIdle)
        }
    }

    @Test("No sample is lost while a new subscriber causes the sensor subscriptions to be replaced")
    func rewiring() {
        let bench = EngineBench()
        let source = BusySource(bench.hub)
        let device = Device(
            name: "busy", clock: bench.clock, configuration: Configuration(), positionSource: bench.position,
            motionSource: source, calibrations: InMemoryCalibrationStore())
        let engine = MotionEngine.of(device)
        let log = FusionLog()
        var request = FusionRequest(need: .heading)
        request.pollingExecutor = ExecutorIdentity(ManualPollingExecutor())
        let first = engine.subscribe(request, receive: log.receive)
        bench.rest(1...10)
        let steps = Box()
        source.gap.withLock { gap in
            gap = { bench.rest(at: Double(11 + steps.count.add(1, ordering: .relaxed).oldValue) / 100) }
        }
        // The subscribers no longer share an executor.
        let second = engine.subscribe(FusionRequest(need: .heading)) { _ in }
        source.gap.withLock { $0 = nil }
        #expect(steps.count.load(ordering: .relaxed) == 3)
        bench.rest(14...20)
        #expect(log.milliseconds == (1...20).map { $0 * 10 })
        second.cancel()
        first.cancel()
    }

    @Test("An executor may poll the sensors only if all subscribers share it")
    func executors() {
        let bench = EngineBench()
        let (here, there) = (ManualPollingExecutor(), ManualPollingExecutor())
        func subscribe(_ executor: ManualPollingExecutor?) -> Subscription {
            var request = FusionRequest(need: .heading)
            request.pollingExecutor = ExecutorIdentity(executor)
            return bench.engine.subscribe(request) { _ in }
        }
        let sensors = bench.hub.sensors.map(\.id)
        #expect(sensors.count == 3)
        let first = subscribe(here)
        for sensor in sensors { #expect(bench.hub.executor(of: [sensor]) === here) }
        let second = subscribe(here)
        #expect(bench.hub.executor(of: sensors) === here)
        for other in [there, nil] {
            let third = subscribe(other)
            #expect(bench.hub.executor(of: sensors) == nil)
            third.cancel()
            #expect(bench.hub.executor(of: sensors) === here)
        }
        first.cancel()
        second.cancel()
        #expect(bench.hub.executor(of: sensors) == nil)
    }
}
