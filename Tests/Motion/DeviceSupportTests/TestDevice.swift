// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A device that a test moves: readings go in by hand, the clock stands still until it is moved, and callbacks run when
/// the reading that brought them about has been taken.
final class TestDevice: Sendable {
    /// Standard gravity in m/s².
    static let gravity = 9.80665

    /// Runs callbacks on the thread of the test, in order.
    final class Callbacks: PlaybackDelivery, Delivery {
        private let waiting = Mutex<[@Sendable () -> Void]>([])
        let deliversAsLive = false
        let consumers = ConsumerGate()

        func delivery(onMainThread: Bool) -> any Delivery { self }

        func tracked(_ delivery: any Delivery) -> any Delivery { delivery }

        func schedule(_ work: @escaping @Sendable () -> Void) {
            waiting.withLock { $0.append(work) }
        }

        var count: Int { waiting.withLock { $0.count } }

        func run() {
            while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
        }
    }

    let clock = VirtualClock(now: BootTime(nanoseconds: 100_000_000_000))
    let motion: MotionHub
    let status: StatusHub
    let position = PositionHub(demandChanged: {})
    let callbacks = Callbacks()
    let device: Device
    let sensor = "test/accel"

    init(_ kinds: [SensorKind] = [.accelerometer], battery: BatteryReading? = nil) {
        var sensors: [SensorDescription] = []
        for kind in kinds {
            sensors.append(SensorDescription(id: kind == .accelerometer ? sensor : "test/\(kind)", kind: kind))
        }
        motion = MotionHub(sensors: sensors, demandChanged: {})
        status = StatusHub(battery: battery)
        device = Device(
            name: "bench", clock: clock, configuration: Configuration(), positionSource: position,
            motionSource: motion, statusSource: status, playback: callbacks)
    }

    /// Runs the closure with this device in force.
    func use<Result>(_ body: () throws -> Result) rethrows -> Result { try device.bind(body) }

    /// The interval that the accelerometer is asked for; nil when it is off.
    var interval: Double? { motion.demand(of: sensor)?.interval }

    /// A reading in m/s², positive upwards, now.
    func post(_ value: SIMD3<Double>, runsCallbacks: Bool = true) {
        let now = clock.now
        motion.post(MotionBatch(sensor: sensor, kind: .accelerometer, values: [value], times: [now], arrival: now))
        if runsCallbacks { callbacks.run() }
    }

    /// Readings at 100 Hz for that long, each a hundredth of a second after the one before.
    func hold(seconds: Double, runsCallbacks: Bool = true, _ value: (_ time: Double) -> SIMD3<Double>) {
        for step in 1...Int((seconds * 100).rounded()) {
            advance(by: 0.01, runsCallbacks: runsCallbacks)
            post(value(Double(step) / 100), runsCallbacks: runsCallbacks)
        }
    }

    /// Lets time pass without readings.
    func advance(by seconds: Double, runsCallbacks: Bool = true) {
        let limit = clock.now.advanced(bySeconds: seconds)
        while clock.runNextTimer(upTo: limit) {
            if runsCallbacks { callbacks.run() }
        }
        clock.move(to: limit)
        if runsCallbacks { callbacks.run() }
    }
}
