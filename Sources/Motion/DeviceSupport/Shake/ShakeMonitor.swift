// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Synchronization

/// Detects shakes while there is a first responder, and delivers motion events to that responder.
///
/// The device owns the monitor, so the monitor holds only a weak reference to the device.
final class ShakeMonitor: Sendable {
    private struct QueuedEvent: Sendable {
        var event: ShakeEvent
        var sample: AccelerationSample
    }

    private struct State {
        weak var firstResponder: UIResponder?
        /// The responder that has received `motionBegan`, but not yet `motionEnded` or `motionCancelled`.
        weak var notifiedResponder: UIResponder?
        var detector = ShakeDetector()
        var last: AccelerationSample?
        var timer: ClockTimer?
        var queue = BoundedQueue<QueuedEvent>()
        weak var device: Device?

        mutating func reset() {
            queue.removeAll()
            detector.reset()
        }
    }

    /// The interval between readings, in seconds. It is short enough to obtain several readings per stroke of a shake.
    static let interval = 1.0 / 50
    /// The maximum duration of a shake, in seconds. When it expires, a timer cancels the shake. Usually, a reading ends
    /// or cancels the shake earlier.
    private static let timeout = 3.0
    private static let maximumQueuedEvents = 64

    private let engine: MotionEngine
    private let clock: any DeviceClock
    private let executor: any CallbackExecutor
    private let state = Mutex(State())
    private let subscription = RequestSubscription<FusionRequest>()

    static func of(_ device: Device) -> ShakeMonitor {
        device.component(ShakeMonitor.self) { ShakeMonitor(device: $0) }
    }

    init(device: Device) {
        engine = MotionEngine.of(device)
        clock = device.clock
        executor = ExecutorSelection.executor(for: OperationQueue.main, device: device)
        state.withLock { $0.device = device }
    }

    var firstResponder: UIResponder? {
        get { state.withLock { $0.firstResponder } }
        set {
            // Release responders outside the lock, because their deinitializers may access this property.
            let (former, notified, schedules) = state.withLock { state in
                let (former, notified) = (state.firstResponder, state.notifiedResponder)
                state.firstResponder = newValue
                guard former !== newValue else { return (former, notified, false) }
                // If the former responder has received `motionBegan`, it now receives `motionCancelled`.
                state.reset()
                guard notified != nil, let last = state.last else { return (former, notified, false) }
                return (former, notified, enqueue(.cancelled, last, to: &state))
            }
            if schedules { scheduleDrain() }
            updateSubscription()
            withExtendedLifetime((former, notified)) {}
        }
    }

    private func updateSubscription() {
        var responder: UIResponder?
        subscription.update {
            responder = firstResponder
            return responder.map { _ in FusionRequest(need: .gravity, interval: Self.interval) }
        } subscribe: { request in
            engine.subscribe(request) { [weak self] event in self?.receive(event) }
        }
        // Release the responder outside the locks, in case this is the last reference to it.
        withExtendedLifetime(responder) {}
    }

    private func receive(_ event: FusionEvent) {
        guard case .states(let states) = event else {
            // This event may arrive while `subscribe` is running, so it must not change the subscription.
            if case .lost(.accelerometer, _) = event, state.withLock({ cancelShake(&$0) }) { scheduleDrain() }
            return
        }
        let responder = firstResponder
        guard responder != nil else {
            // The first responder has been released without resigning.
            state.withLock { $0.reset() }
            updateSubscription()
            return
        }
        let needsDrain = state.withLock { state in
            var needsDrain = false
            for fused in states {
                let sample = AccelerationSample(fused)
                state.last = sample
                let event = state.detector.update(acceleration: sample.acceleration, timestamp: sample.time.seconds)
                if let event, enqueue(event, sample, to: &state) { needsDrain = true }
            }
            return needsDrain
        }
        if needsDrain { scheduleDrain() }
        withExtendedLifetime(responder) {}
    }

    /// Returns true if a drain must be scheduled.
    private func cancelShake(_ state: inout State) -> Bool {
        guard let event = state.detector.reset(), let last = state.last else { return false }
        return enqueue(event, last, to: &state)
    }

    /// Returns true if a drain must be scheduled.
    private func enqueue(_ event: ShakeEvent, _ sample: AccelerationSample, to state: inout State) -> Bool {
        if event == .began {
            let due = clock.now.advanced(bySeconds: Self.timeout)
            state.timer = clock.timer(at: due) { [weak self] in self?.timeoutExpired() }
        } else {
            state.timer = nil
        }
        if state.queue.count >= Self.maximumQueuedEvents {
            // Drop the oldest shake whose two events are both queued. If the queue begins with the second event of a
            // shake, keep it, because that shake's `began` event has already been delivered.
            var position = state.queue.first?.event == .began ? 1 : 0
            state.queue.removeAll { _ in
                defer { position += 1 }
                return (1...2).contains(position)
            }
        }
        state.queue.append(QueuedEvent(event: event, sample: sample))
        return state.queue.scheduleDrainIfNeeded()
    }

    private func timeoutExpired() { if state.withLock({ cancelShake(&$0) }) { scheduleDrain() } }

    private func scheduleDrain() {
        executor.schedule { [weak self] in
            // This executor always runs its closures on the main queue.
            MainActor.assumeIsolated { self?.drain() }
        }
    }

    @MainActor private func drain() {
        let device = state.withLock { state in
            state.queue.beginDrain()
            return state.device
        }
        device?.withCurrent {
            while let item = state.withLock({ $0.queue.isDraining ? $0.queue.popFirst() : nil }) { deliver(item) }
        }
        if state.withLock({ $0.queue.finishDrain() }) { scheduleDrain() }
    }

    @MainActor private func deliver(_ item: QueuedEvent) {
        let responder = state.withLock { state in
            let notified = item.event == .began ? state.firstResponder : state.notifiedResponder
            state.notifiedResponder = item.event == .began ? notified : nil
            return notified
        }
        guard let responder else { return }
        let event = UIEvent(shakeAt: item.sample)
        switch item.event {
        case .began: responder.motionBegan(.motionShake, with: event)
        case .ended: responder.motionEnded(.motionShake, with: event)
        case .cancelled: responder.motionCancelled(.motionShake, with: event)
        }
    }
}
