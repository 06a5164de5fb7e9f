// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Foundation
import MotionEngine
import Synchronization

/// Prints a motion manager's device-motion updates. Must be used on the main thread.
final class DeviceMotionListener: StreamListener {
    let outlet: ReadingOutlet
    private let manager = CMMotionManager()
    private let frame: FrameName
    private let interval: Double
    private let origin: BootTime
    private let fusionMonitor: FusionStateMonitor?
    /// True if roll, pitch and yaw are computed. They are not part of the JSON output.
    private let showsAngles: Bool

    init(
        frame: FrameName, interval: Double, origin: BootTime, fusionMonitor: FusionStateMonitor?, showsAngles: Bool,
        outlet: ReadingOutlet
    ) {
        (self.frame, self.showsAngles, self.interval, self.origin) = (frame, showsAngles, interval, origin)
        (self.fusionMonitor, self.outlet) = (fusionMonitor, outlet)
    }

    func start() {
        fusionMonitor?.start()
        manager.deviceMotionUpdateInterval = interval
        manager.startDeviceMotionUpdates(using: frame.frame, to: .main) { [weak self] motion, error in
            self?.process(motion, error)
        }
    }

    func end() {
        manager.stopDeviceMotionUpdates()
        fusionMonitor?.end()
    }

    private func process(_ motion: CMDeviceMotion?, _ error: (any Error)?) {
        if let error { outlet.printUncounted(StreamFailure(stream: .deviceMotion, error: error)) }
        guard let motion else { return }
        let (attitude, field) = (motion.attitude, motion.magneticField)
        let q = attitude.quaternion
        var reading = DeviceMotionReading(
            timestamp: origin.secondsTo(motion.timestamp), quaternion: SIMD4(q.x, q.y, q.z, q.w),
            gravity: motion.gravity.axes, userAcceleration: motion.userAcceleration.axes,
            rotationRate: motion.rotationRate.axes, magneticField: field.field.axes,
            magneticAccuracy: field.accuracy.rawValue, heading: motion.heading, frame: frame,
            condition: fusionMonitor?.condition)
        if showsAngles { (reading.roll, reading.pitch, reading.yaw) = (attitude.roll, attitude.pitch, attitude.yaw) }
        outlet.print(reading)
    }
}

extension BootTime {
    /// Converts a timestamp in seconds since boot to seconds relative to this time. The result is exact to the
    /// nanosecond. NaN and values outside `BootTime`'s range are returned unchanged.
    func secondsTo(_ seconds: Double) -> Double {
        guard nanoseconds != 0, let time = Int64(exactly: (seconds * 1e9).rounded()) else { return seconds }
        return BootTime(nanoseconds: time).seconds(since: self)
    }
}

/// Provides the fusion state that Core Motion does not expose: gyroscope bias, rest and magnetic disturbances.
final class FusionStateMonitor: Sendable {
    private let engine: MotionEngine
    private let latest = Mutex<FusedState?>(nil)
    private let subscription = Mutex<Subscription?>(nil)

    init(_ device: Device) { engine = MotionEngine.of(device) }

    func start() {
        let new = engine.subscribe(FusionRequest(need: .attitude, interval: 0.05)) { [weak self] event in
            guard case .states(let states) = event, let last = states.last else { return }
            self?.latest.withLock { $0 = last }
        }
        subscription.withLock { $0 = new }
    }

    func end() { subscription.withLock { $0.take() }?.cancel() }

    var condition: DeviceMotionReading.Condition? {
        guard let state = latest.withLock({ $0 }) else { return nil }
        return DeviceMotionReading.Condition(
            bias: engine.gyroscopeBias?.bias, isResting: state.isResting, isDisturbed: state.isMagneticallyDisturbed)
    }
}
