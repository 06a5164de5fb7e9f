// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import Synchronization

/// A device that a test moves: readings go in by hand, and the clock stands still until it is moved.
final class EngineBench: Sendable {
    /// Metres per second squared.
    static let gravity = 9.81

    let clock = VirtualClock(now: BootTime(nanoseconds: 100_000_000_000))
    let hub: MotionHub
    let position = PositionHub(demandChanged: {})
    let device: Device

    init(
        _ kinds: [SensorKind] = [.gyroscope, .accelerometer, .magnetometer], rates: SensorRates = .unknown,
        store: any CalibrationStore = FixedCalibrations()
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

    /// The interval that a sensor is asked for; nil when it is off.
    func interval(_ kind: SensorKind) -> Double? { hub.demand(of: kind.rawValue)?.interval }

    /// Moves the clock to so many seconds after the start.
    func move(to seconds: Double) {
        let limit = Self.time(seconds)
        while clock.runNextTimer(upTo: limit) {}
        clock.move(to: limit)
    }

    /// That many seconds after the start.
    static func time(_ seconds: Double) -> BootTime {
        BootTime(nanoseconds: 100_000_000_000).advanced(bySeconds: seconds)
    }

    /// A reading that was measured then and comes in now.
    func post(_ kind: SensorKind, _ value: SIMD3<Double>, at seconds: Double) {
        hub.post(
            MotionBatch(
                sensor: kind.rawValue, kind: kind, values: [value], times: [Self.time(seconds)], arrival: clock.now))
    }

    /// Moves the clock there, and has all sensors say that the device lies flat, its top edge to the north.
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

    /// Rests at 100 Hz, in numbers of hundredths.
    func rest(_ steps: ClosedRange<Int>, _ kinds: [SensorKind] = [.gyroscope, .accelerometer, .magnetometer]) {
        for step in steps { rest(at: Double(step) / 100, kinds) }
    }
}

/// Keeps what the engine says.
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

    /// Losses and returns in words.
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
