// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Synchronization

/// Determines the device orientation on the motion engine's threads, and posts a notification on the main thread when
/// the orientation changes.
///
/// The `orientation` property changes immediately. If it changes several times while the main thread is busy, only one
/// notification is posted.
final class OrientationMonitor: Sendable {
    private struct State {
        var beginCount = 0
        var detector = OrientationDetector()
        var orientation = UIDeviceOrientation.unknown
        var postedOrientation = UIDeviceOrientation.unknown
        var isPostScheduled = false
    }

    /// The interval between readings, in seconds. The detector needs 10 to 20 readings per second.
    static let interval = 1.0 / 15

    private let engine: MotionEngine
    let poster: NotificationPoster
    private let state = Mutex(State())
    private let subscription = RequestSubscription<FusionRequest>()

    init(device: Device) {
        engine = MotionEngine.of(device)
        poster = NotificationPoster(device: device)
    }

    var orientation: UIDeviceOrientation { state.withLock { $0.orientation } }
    var isGenerating: Bool { state.withLock { $0.beginCount > 0 } }

    func begin() {
        state.withLock { $0.beginCount += 1 }
        updateSubscription()
    }

    func end() {
        state.withLock { state in
            guard state.beginCount > 0 else { return }
            state.beginCount -= 1
            guard state.beginCount == 0 else { return }
            state.detector.reset()
            state.orientation = .unknown
            state.postedOrientation = .unknown
        }
        updateSubscription()
    }

    private func updateSubscription() {
        subscription.update {
            isGenerating ? FusionRequest(need: .gravity, interval: Self.interval) : nil
        } subscribe: { request in
            engine.subscribe(request) { [weak self] event in self?.receive(event) }
        }
    }

    private func receive(_ event: FusionEvent) {
        let schedules = state.withLock { state in
            guard state.beginCount > 0 else { return false }
            switch event {
            case .states(let states):
                for fused in states {
                    let sample = AccelerationSample(gravityOf: fused)
                    let change = state.detector.update(
                        acceleration: sample.acceleration, timestamp: sample.time.seconds)
                    if let change { state.orientation = UIDeviceOrientation(rawValue: change.rawValue) ?? .unknown }
                }
            case .lost(.accelerometer, _):
                state.detector.reset()
                state.orientation = .unknown
            case .lost, .regained: break
            }
            guard state.orientation != state.postedOrientation, !state.isPostScheduled else { return false }
            state.isPostScheduled = true
            return true
        }
        if schedules { poster.schedule { [weak self] in self?.namesToPost() ?? [] } }
    }

    private func namesToPost() -> [NSNotification.Name] {
        state.withLock { state in
            state.isPostScheduled = false
            guard state.beginCount > 0, state.orientation != state.postedOrientation else { return [] }
            state.postedOrientation = state.orientation
            return [UIDevice.orientationDidChangeNotification]
        }
    }
}
