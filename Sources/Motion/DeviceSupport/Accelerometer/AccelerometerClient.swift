// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// The implementation of `UIAccelerometer`. Receives readings on the source's thread and delivers them on the main
/// thread.
///
/// The device owns the client, so the client holds only a weak reference to the device.
final class AccelerometerClient: Sendable {
    private struct State: @unchecked Sendable {
        // Unchecked because of the delegate and the accelerometer, which are used only in callbacks.
        weak var accelerometer: UIAccelerometer?
        weak var delegate: (any UIAccelerometerDelegate)?
        weak var device: Device?
        var interval = 0.1
        var latest: AccelerationSample?
        var outbox = Outbox<AccelerationSample>()
    }

    /// The maximum number of queued readings, enough for ten seconds at the maximum rate.
    private static let limit = 1024
    private static let intervals = 0.01...86_400

    private let source: any MotionSource
    private let delivery: any Delivery
    private let state = Mutex(State())
    private let subscription = StandingSubscription<MotionRequest>()

    init(device: Device) {
        source = device.motionSource
        delivery = AppDelivery.on(OperationQueue.main, device: device)
        state.withLock { $0.device = device }
    }

    func attach(_ accelerometer: UIAccelerometer) { state.withLock { $0.accelerometer = accelerometer } }

    var interval: Double {
        get { state.withLock { $0.interval } }
        set {
            let range = Self.intervals
            // The comparison is false for NaN.
            let interval = newValue > range.lowerBound ? min(newValue, range.upperBound) : range.lowerBound
            state.withLock { $0.interval = interval }
            adjust()
        }
    }

    var delegate: (any UIAccelerometerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { state in
                // Readings that arrived earlier are not delivered to a new delegate.
                state.outbox.removeAll()
                if newValue == nil { state.latest = nil }
                state.delegate = newValue
            }
            adjust()
        }
    }

    var latest: AccelerationSample? { state.withLock { $0.latest } }

    var droppedCount: Int { state.withLock { $0.outbox.dropped } }

    /// Creates, replaces or cancels the subscription according to the delegate and the interval.
    private func adjust() {
        var delegate: (any UIAccelerometerDelegate)?
        subscription.follow {
            let interval: Double
            (delegate, interval) = state.withLock { ($0.delegate, $0.interval) }
            return delegate.map { _ in MotionRequest(kind: .accelerometer, interval: interval) }
        } subscribe: { request in
            source.subscribe(request) { [weak self] event in self?.receive(event) }
        }
        // The delegate is released outside the locks, in case this is the last reference to it.
        withExtendedLifetime(delegate) {}
    }

    private func receive(_ event: MotionEvent) {
        guard case .samples(let batch) = event else {
            // The event may arrive while `subscribe` runs, when the subscription must not be changed.
            state.withLock { $0.latest = nil }
            return
        }
        let delegate = state.withLock { $0.delegate }
        guard delegate != nil else {
            // The delegate has been released without being set to nil.
            state.withLock { $0.latest = nil }
            adjust()
            return
        }
        let schedules = state.withLock { state in
            for index in 0..<batch.count {
                let sample = AccelerationSample(batch, at: index)
                state.outbox.append(sample, limit: Self.limit)
                state.latest = sample
            }
            return state.outbox.claimTurn()
        }
        if schedules { schedule() }
        withExtendedLifetime(delegate) {}
    }

    private func schedule() { delivery.schedule { [weak self] in self?.deliver() } }

    /// Drains the queue: delivers the queued readings to the delegate.
    private func deliver() {
        let device = state.withLock { state in
            state.outbox.beginTurn()
            return state.device
        }
        guard let device else { return }
        device.bind {
            while true {
                let (sample, delegate, accelerometer) = state.withLock { state in
                    (state.outbox.isInTurn ? state.outbox.takeFirst() : nil, state.delegate, state.accelerometer)
                }
                guard let sample, let delegate, let accelerometer else { return }
                delegate.accelerometer(accelerometer, didAccelerate: sample.object)
            }
        }
        if state.withLock({ $0.outbox.endTurn() }) { schedule() }
    }
}
