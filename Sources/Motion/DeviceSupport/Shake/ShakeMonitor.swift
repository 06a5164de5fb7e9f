// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Synchronization

/// A monitor that detects shakes while there is a first responder, and delivers motion events to it.
///
/// The device owns the monitor, so the monitor holds only a weak reference to the device.
final class ShakeMonitor: Sendable {
    /// A motion event for a responder.
    private struct Item: Sendable {
        var event: ShakeEvent
        var sample: AccelerationSample
    }

    private struct State {
        weak var firstResponder: UIResponder?
        /// The responder that received `motionBegan` and has to receive the event that follows.
        weak var told: UIResponder?
        var detector = ShakeDetector()
        var last: AccelerationSample?
        var timer: ClockTimer?
        var outbox = Outbox<Item>()
        weak var device: Device?

        mutating func forget() {
            outbox.removeAll()
            detector.reset()
        }
    }

    /// The interval between readings, in seconds. It results in several readings for each stroke of a shake.
    static let interval = 1.0 / 50
    /// The time after which a shake is cancelled, in seconds. It is reached only if readings have stopped.
    private static let patience = 3.0
    /// The maximum number of events that are queued while the main thread is busy.
    private static let limit = 64

    private let engine: MotionEngine
    private let clock: any DeviceClock
    private let delivery: any Delivery
    private let state = Mutex(State())
    private let subscription = StandingSubscription<FusionRequest>()

    static func of(_ device: Device) -> ShakeMonitor {
        device.component(ShakeMonitor.self) { ShakeMonitor(device: $0) }
    }

    init(device: Device) {
        engine = MotionEngine.of(device)
        clock = device.clock
        delivery = AppDelivery.on(OperationQueue.main, device: device)
        state.withLock { $0.device = device }
    }

    var firstResponder: UIResponder? {
        get { state.withLock { $0.firstResponder } }
        set {
            // Responders are released outside the lock, because their deinitializers may access this property.
            let (former, told, schedules) = state.withLock { state in
                let (former, told) = (state.firstResponder, state.told)
                state.firstResponder = newValue
                guard former !== newValue else { return (former, told, false) }
                // A queued `motionBegan` of the former responder is discarded. If the former responder has already
                // received it, it receives `motionCancelled`.
                state.forget()
                guard told != nil, let last = state.last else { return (former, told, false) }
                return (former, told, add(.cancelled, last, to: &state))
            }
            if schedules { schedule() }
            adjust()
            withExtendedLifetime((former, told)) {}
        }
    }

    // MARK: Readings

    private func adjust() {
        var responder: UIResponder?
        subscription.follow {
            responder = firstResponder
            return responder.map { _ in FusionRequest(need: .gravity, interval: Self.interval) }
        } subscribe: { request in
            engine.subscribe(request) { [weak self] event in self?.receive(event) }
        }
        // The responder is released outside the locks, in case this is the last reference to it.
        withExtendedLifetime(responder) {}
    }

    private func receive(_ event: FusionEvent) {
        guard case .states(let states) = event else {
            // The event may arrive while `subscribe` runs, when the subscription must not be changed.
            if case .lost(.accelerometer, _) = event, state.withLock({ interrupt(&$0) }) { schedule() }
            return
        }
        let responder = firstResponder
        guard responder != nil else {
            // The first responder has been released without resigning.
            state.withLock { $0.forget() }
            adjust()
            return
        }
        let schedules = state.withLock { state in
            var schedules = false
            for fused in states {
                let sample = AccelerationSample(fused)
                state.last = sample
                let event = state.detector.update(acceleration: sample.acceleration, timestamp: sample.time.seconds)
                if let event, add(event, sample, to: &state) { schedules = true }
            }
            return schedules
        }
        if schedules { schedule() }
        withExtendedLifetime(responder) {}
    }

    /// Cancels a shake in progress. Returns true if a drain has to be scheduled.
    private func interrupt(_ state: inout State) -> Bool {
        guard let event = state.detector.reset(), let last = state.last else { return false }
        return add(event, last, to: &state)
    }

    /// Queues an event. Returns true if a drain has to be scheduled.
    private func add(_ event: ShakeEvent, _ sample: AccelerationSample, to state: inout State) -> Bool {
        if event == .began {
            state.timer = clock.timer(at: clock.now.advanced(bySeconds: Self.patience)) { [weak self] in
                self?.losePatience()
            }
        } else {
            state.timer = nil
        }
        if state.outbox.count >= Self.limit {
            // The oldest `began` event is dropped together with the event that follows it.
            var position = state.outbox.first?.event == .began ? 1 : 0
            state.outbox.removeAll { _ in
                defer { position += 1 }
                return (1...2).contains(position)
            }
        }
        state.outbox.append(Item(event: event, sample: sample))
        return state.outbox.claimTurn()
    }

    private func losePatience() {
        let schedules = state.withLock { interrupt(&$0) }
        if schedules { schedule() }
    }

    // MARK: Events

    private func schedule() {
        delivery.schedule { [weak self] in
            // The callback executor is always that of the main queue.
            MainActor.assumeIsolated { self?.deliver() }
        }
    }

    @MainActor
    private func deliver() {
        let device = state.withLock { state in
            state.outbox.beginTurn()
            return state.device
        }
        device?.bind {
            while let item = state.withLock({ $0.outbox.isInTurn ? $0.outbox.takeFirst() : nil }) { deliver(item) }
        }
        if state.withLock({ $0.outbox.endTurn() }) { schedule() }
    }

    @MainActor
    private func deliver(_ item: Item) {
        let responder = state.withLock { state in
            let told = item.event == .began ? state.firstResponder : state.told
            state.told = item.event == .began ? told : nil
            return told
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
