// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// What is behind the accelerometer object: takes readings on the source's thread and tells them on the main thread.
///
/// It belongs to its device and so holds on to none.
final class AccelerometerClient: Sendable {
    private struct State: @unchecked Sendable {
        // Unchecked because of the delegate and the accelerometer, which are only used in callbacks.
        weak var accelerometer: UIAccelerometer?
        weak var delegate: (any UIAccelerometerDelegate)?
        weak var device: Device?
        var interval = 0.1
        var latest: AccelerationSample?
        var waiting = SampleQueue()
        var isDeliveryScheduled = false
    }

    private static let intervals = 0.01...86_400

    private let source: any MotionSource
    private let delivery: any Delivery
    private let state = Mutex(State())
    /// Held while the subscription is brought in line; never together with a callback.
    private let subscription = Mutex<(subscription: Subscription?, interval: Double)>((nil, 0))

    init(device: Device) {
        source = device.motionSource
        delivery = AppDelivery.on(OperationQueue.main, device: device)
        state.withLock { $0.device = device }
    }

    func attach(_ accelerometer: UIAccelerometer) {
        state.withLock { $0.accelerometer = accelerometer }
    }

    var interval: Double {
        get { state.withLock { $0.interval } }
        set {
            let range = Self.intervals
            // The comparison is false for what is not a number.
            let interval = newValue > range.lowerBound ? min(newValue, range.upperBound) : range.lowerBound
            state.withLock { $0.interval = interval }
            adjust()
        }
    }

    var delegate: (any UIAccelerometerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { state in
                // What came in before is not for a new delegate.
                state.waiting.removeAll()
                if newValue == nil { state.latest = nil }
                state.delegate = newValue
            }
            adjust()
        }
    }

    var latest: AccelerationSample? { state.withLock { $0.latest } }

    var droppedCount: Int { state.withLock { $0.waiting.droppedCount } }

    /// Subscribes or lets go, as the delegate and the interval have it now.
    private func adjust() {
        let delegate = subscription.withLock { current in
            // Read inside, so that the last to come sees the last state.
            let (delegate, interval) = state.withLock { ($0.delegate, $0.interval) }
            guard delegate != nil else {
                current.subscription?.cancel()
                current.subscription = nil
                return delegate
            }
            guard current.subscription == nil || current.interval != interval else { return delegate }
            let former = current.subscription
            current.interval = interval
            current.subscription = source.subscribe(MotionRequest(kind: .accelerometer, interval: interval)) {
                [weak self] event in self?.receive(event)
            }
            former?.cancel()
            return delegate
        }
        // Outside of the locks, should it be the last to hold it.
        withExtendedLifetime(delegate) {}
    }

    private func receive(_ event: MotionEvent) {
        guard case .samples(let batch) = event else {
            // May come from inside `subscribe`, where the subscription is not to be touched.
            state.withLock { $0.latest = nil }
            return
        }
        let delegate = state.withLock { $0.delegate }
        guard delegate != nil else {
            // It is gone without a word.
            state.withLock { $0.latest = nil }
            adjust()
            return
        }
        let schedules = state.withLock { state in
            for index in 0..<batch.count {
                let sample = AccelerationSample(batch, at: index)
                state.waiting.append(sample)
                state.latest = sample
            }
            defer { state.isDeliveryScheduled = true }
            return !state.isDeliveryScheduled
        }
        if schedules { delivery.schedule { [weak self] in self?.deliver() } }
        withExtendedLifetime(delegate) {}
    }

    /// Tells what waits. What comes in meanwhile waits for the next turn.
    private func deliver() {
        let (device, count) = state.withLock { state in
            state.isDeliveryScheduled = false
            return (state.device, state.waiting.count)
        }
        guard let device else { return }
        device.bind {
            for _ in 0..<count {
                let (sample, delegate, accelerometer) = state.withLock { state in
                    (state.waiting.takeFirst(), state.delegate, state.accelerometer)
                }
                guard let sample, let delegate, let accelerometer else { return }
                delegate.accelerometer(accelerometer, didAccelerate: sample.object)
            }
        }
    }
}
