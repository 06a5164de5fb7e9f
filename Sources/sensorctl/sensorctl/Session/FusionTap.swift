// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import Synchronization

/// Listens to the motion engine for what Core Motion does not tell: the gyroscope's bias, rest, disturbance.
final class FusionTap: Sendable {
    private let engine: MotionEngine
    private let latest = Mutex<FusedState?>(nil)
    private let subscription = Mutex<Subscription?>(nil)

    init(_ device: Device) {
        engine = MotionEngine.of(device)
    }

    func start() {
        let new = engine.subscribe(FusionRequest(need: .attitude, interval: 0.05)) { [weak self] event in
            guard case .states(let states) = event, let last = states.last else { return }
            self?.latest.withLock { $0 = last }
        }
        subscription.withLock { $0 = new }
    }

    func end() {
        let old = subscription.withLock { subscription in
            defer { subscription = nil }
            return subscription
        }
        old?.cancel()
    }

    /// As of now; nil before anything is known.
    var condition: DeviceMotionReading.Condition? {
        guard let state = latest.withLock({ $0 }) else { return nil }
        return DeviceMotionReading.Condition(
            bias: engine.gyroscopeBias?.bias, isResting: state.isResting, isDisturbed: state.isMagneticallyDisturbed)
    }
}
