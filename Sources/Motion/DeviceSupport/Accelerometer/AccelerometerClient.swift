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
        var outbox = Outbox<AccelerationSample>()
    }

    /// More readings than these do not wait: ten seconds at the greatest rate.
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
                state.outbox.removeAll()
                if newValue == nil { state.latest = nil }
                state.delegate = newValue
            }
            adjust()
        }
    }

    var latest: AccelerationSample? { state.withLock { $0.latest } }

    var droppedCount: Int { state.withLock { $0.outbox.dropped } }

    /// Subscribes or lets go, as the delegate and the interval have it now.
    private func adjust() {
        var delegate: (any UIAccelerometerDelegate)?
        subscription.follow {
            let interval: Double
            (delegate, interval) = state.withLock { ($0.delegate, $0.interval) }
            return delegate.map { _ in MotionRequest(kind: .accelerometer, interval: interval) }
        } subscribe: { request in
            source.subscribe(request) { [weak self] event in self?.receive(event) }
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
                state.outbox.append(sample, limit: Self.limit)
                state.latest = sample
            }
            return state.outbox.claimTurn()
        }
        if schedules { schedule() }
        withExtendedLifetime(delegate) {}
    }

    private func schedule() { delivery.schedule { [weak self] in self?.deliver() } }

    /// A turn: tells what waits.
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
