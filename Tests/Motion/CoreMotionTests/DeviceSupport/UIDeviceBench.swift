// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// A device controlled by a test: the test posts readings and advances the clock, and the callbacks run after each
/// reading.
final class UIDeviceBench: Sendable {
    /// Standard gravity in m/s².
    static let gravity = 9.80665

    /// An executor that runs callbacks in order on the test's thread.
    final class Callbacks: PlaybackExecutorProvider, CallbackExecutor {
        private let waiting = Mutex<[@Sendable () -> Void]>([])
        let usesLiveExecutors = false
        let consumerGate = ConsumerGate()

        func executor(onMainThread: Bool) -> any CallbackExecutor { self }

        func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor { executor }

        func schedule(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

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

    /// Runs the closure with this device as the current device.
    func use<Result>(_ body: () throws -> Result) rethrows -> Result { try device.withCurrent(body) }

    /// The interval requested from the accelerometer; nil while it is off.
    var interval: Double? { motion.demand(of: sensor)?.interval }

    /// Posts a reading in m/s² with the current time. An axis that points up reads positive at rest.
    func post(_ value: SIMD3<Double>, runsCallbacks: Bool = true) {
        let now = clock.now
        motion.post(MotionBatch(sensor: sensor, kind: .accelerometer, values: [value], times: [now], arrival: now))
        if runsCallbacks { callbacks.run() }
    }

    /// Posts readings at 100 Hz for a number of seconds and advances the clock.
    func feed(seconds: Double, runsCallbacks: Bool = true, _ value: (_ time: Double) -> SIMD3<Double>) {
        for step in 1...Int((seconds * 100).rounded()) {
            advance(by: 0.01, runsCallbacks: runsCallbacks)
            post(value(Double(step) / 100), runsCallbacks: runsCallbacks)
        }
    }

    /// Advances the clock without readings.
    func advance(by seconds: Double, runsCallbacks: Bool = true) {
        let limit = clock.now.advanced(bySeconds: seconds)
        while clock.runNextTimer(upTo: limit) {
            if runsCallbacks { callbacks.run() }
        }
        clock.move(to: limit)
        if runsCallbacks { callbacks.run() }
    }
}
