// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// Receives a `UIAccelerometer`'s readings on the source's thread and delivers them on the main thread.
///
/// The device owns the client, so the client holds only a weak reference to the device.
final class AccelerometerClient: Sendable {
    private struct State: @unchecked Sendable {
        // `@unchecked Sendable` because the accelerometer and the delegate are used only in callbacks.
        weak var accelerometer: UIAccelerometer?
        weak var delegate: (any UIAccelerometerDelegate)?
        weak var device: Device?
        var interval = 0.1
        var queue = BoundedQueue<AccelerationSample>()
    }

    /// The queue holds ten seconds of readings at the maximum rate of 100 Hz.
    private static let maximumQueuedReadings = 1024
    /// The permitted intervals between readings, in seconds.
    private static let intervals = 0.01...86_400

    private let source: any MotionSource
    private let executor: any CallbackExecutor
    private let state = Mutex(State())
    private let subscription = RequestSubscription<MotionRequest>()

    init(device: Device) {
        source = device.motionSource
        executor = ExecutorSelection.executor(for: OperationQueue.main, device: device)
        state.withLock { $0.device = device }
    }

    func attach(_ accelerometer: UIAccelerometer) { state.withLock { $0.accelerometer = accelerometer } }

    var interval: Double {
        get { state.withLock { $0.interval } }
        set {
            let range = Self.intervals
            // Comparisons with NaN are false, so NaN is replaced by the minimum.
            let interval = newValue > range.lowerBound ? min(newValue, range.upperBound) : range.lowerBound
            state.withLock { $0.interval = interval }
            updateSubscription()
        }
    }

    var delegate: (any UIAccelerometerDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { state in
                // A new delegate does not receive readings that arrived before it was set.
                state.queue.removeAll()
                state.delegate = newValue
            }
            updateSubscription()
        }
    }

    var droppedCount: Int { state.withLock { $0.queue.droppedCount } }

    private func updateSubscription() {
        var delegate: (any UIAccelerometerDelegate)?
        subscription.update {
            let interval: Double
            (delegate, interval) = state.withLock { ($0.delegate, $0.interval) }
            return delegate.map { _ in MotionRequest(kind: .accelerometer, interval: interval) }
        } subscribe: { request in
            source.subscribe(request) { [weak self] event in self?.receive(event) }
        }
        // Release the delegate outside the locks, in case this is the last reference to it.
        withExtendedLifetime(delegate) {}
    }

    private func receive(_ event: MotionEvent) {
        // Events of other kinds may arrive while `subscribe` is running, when the subscription cannot be changed yet.
        guard case .samples(let batch) = event else { return }
        let delegate = state.withLock { $0.delegate }
        guard delegate != nil else {
            // The delegate was deallocated before the app set the property to nil.
            updateSubscription()
            return
        }
        let needsDrain = state.withLock { state in
            for index in 0..<batch.count {
                state.queue.append(AccelerationSample(batch, at: index), limit: Self.maximumQueuedReadings)
            }
            return state.queue.scheduleDrainIfNeeded()
        }
        if needsDrain { scheduleDrain() }
        withExtendedLifetime(delegate) {}
    }

    private func scheduleDrain() { executor.schedule { [weak self] in self?.drain() } }

    private func drain() {
        let device = state.withLock { state in
            state.queue.beginDrain()
            return state.device
        }
        guard let device else { return }
        device.withCurrent {
            while true {
                let (sample, delegate, accelerometer) = state.withLock { state in
                    (state.queue.isDraining ? state.queue.popFirst() : nil, state.delegate, state.accelerometer)
                }
                guard let sample, let delegate, let accelerometer else { return }
                delegate.accelerometer(accelerometer, didAccelerate: sample.object)
            }
        }
        if state.withLock({ $0.queue.finishDrain() }) { scheduleDrain() }
    }
}
