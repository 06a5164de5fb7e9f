// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import Synchronization

/// A device controlled by a test: the test posts the readings and advances the clock.
final class EngineBench: Sendable {
    /// Metres per second squared.
    static let gravity = 9.81

    let clock = VirtualClock(now: BootTime(nanoseconds: 100_000_000_000))
    let hub: MotionHub
    let position = PositionHub(demandChanged: {})
    let device: Device

    init(
        _ kinds: [SensorKind] = [.gyroscope, .accelerometer, .magnetometer], rates: SensorRates = .unknown,
        store: any CalibrationStore = InMemoryCalibrationStore()
    ) {
        let sensors = kinds.map { kind in
            var sensor = SensorDescription(id: kind.rawValue, kind: kind)
            sensor.rates = rates
            return sensor
        }
        hub = MotionHub(sensors: sensors, demandChanged: {})
        device = Device(
            name: "bench", clock: clock, configuration: Configuration(), positionSource: position, motionSource: hub,
            calibrations: store)
    }

    var engine: MotionEngine { MotionEngine.of(device) }

    /// Returns the interval requested from a sensor; nil if it is off.
    func interval(_ kind: SensorKind) -> Double? { hub.demand(of: kind.rawValue)?.interval }

    /// Advances the clock to an offset from the start, in seconds.
    func move(to seconds: Double) {
        let limit = Self.time(seconds)
        while clock.runNextTimer(upTo: limit) {}
        clock.move(to: limit)
    }

    /// Returns the time at an offset from the start, in seconds.
    static func time(_ seconds: Double) -> BootTime {
        BootTime(nanoseconds: 100_000_000_000).advanced(bySeconds: seconds)
    }

    /// Posts a reading that was measured at an offset from the start and arrives now.
    func post(_ kind: SensorKind, _ value: SIMD3<Double>, at seconds: Double) {
        hub.post(
            MotionBatch(
                sensor: kind.rawValue, kind: kind, values: [value], times: [Self.time(seconds)], arrival: clock.now))
    }

    /// Advances the clock and posts readings of a device that lies flat with its top edge pointing north.
    func rest(at seconds: Double, _ kinds: [SensorKind] = [.gyroscope, .accelerometer, .magnetometer]) {
        move(to: seconds)
        for kind in kinds {
            switch kind {
            case .gyroscope: post(kind, .zero, at: seconds)
            case .accelerometer: post(kind, [0, 0, Self.gravity], at: seconds)
            case .magnetometer: post(kind, [0, 0.2, -0.4], at: seconds)
            case .pressure: break
            }
        }
    }

    /// Posts readings of a device at rest at 100 Hz, for a range of steps of 10 ms.
    func rest(_ steps: ClosedRange<Int>, _ kinds: [SensorKind] = [.gyroscope, .accelerometer, .magnetometer]) {
        for step in steps { rest(at: Double(step) / 100, kinds) }
    }
}

/// A log of the engine's events.
final class FusionLog: Sendable {
    private let events = Mutex<[FusionEvent]>([])

    var receive: @Sendable (FusionEvent) -> Void {
        { [self] event in events.withLock { $0.append(event) } }
    }

    var states: [FusedState] {
        events.withLock { events in
            events.flatMap { event in
                if case .states(let states) = event { states } else { [FusedState]() }
            }
        }
    }

    /// The times of the states, in milliseconds since the start.
    var milliseconds: [Int64] {
        states.map { ($0.time.nanoseconds - EngineBench.time(0).nanoseconds) / 1_000_000 }
    }

    /// The losses and recoveries of sensors as text.
    var words: [String] {
        events.withLock { events in
            events.compactMap { event in
                switch event {
                case .states: nil
                case .lost(let kind, _): "lost \(kind)"
                case .regained(let kind): "regained \(kind)"
                }
            }
        }
    }

    func clear() { events.withLock { $0.removeAll() } }
}
