// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// The readings of one kind of sensor for one manager: the latest for programs that ask, each one for a handler.
///
/// It receives on the source's thread, keeps what the handler shall hear, and calls it where the program asked for it:
/// one call at a time, also on a queue that runs several operations at once, and all that waits in one go.
final class SensorStream<Shaper: ReadingShaper>: Sendable {
    typealias Handler = StreamHandler<Shaper.Value>

    // Unchecked because of the handler, which is only called in its own place.
    private struct State: @unchecked Sendable {
        var interval: TimeInterval
        var isStarted = false
        /// The subscription that counts: what others say comes too late.
        var number: UInt32 = 0
        var shaper: Shaper
        var handler: Handler?
        var mailbox: Mailbox<Shaper.Value>
        /// True from when a turn of the handler is scheduled until it has ended.
        var isTurnDue = false
        var isLost = false

        /// The handler to schedule a turn of, once for as long as that has not ended.
        mutating func handlerToSchedule() -> Handler? {
            guard !isTurnDue, !mailbox.isEmpty, let handler else { return nil }
            isTurnDue = true
            return handler
        }

        /// Another handler, or none, which begins with nothing; the former one.
        mutating func exchange(_ new: Handler?) -> Handler? {
            mailbox.empty(isOpen: new != nil)
            isTurnDue = false
            isLost = false
            defer { handler = new }
            return handler
        }
    }

    private let device: Device
    private let kind: SensorKind
    private let latency: TimeInterval
    private let makeShaper: @Sendable () -> Shaper
    private let state: Mutex<State>
    /// Held while the subscription is brought in line with the state; never together with a handler.
    private let subscription = Mutex<(subscription: Subscription?, number: UInt32)>((nil, 0))

    /// - Parameter limit: How many values may wait for the handler.
    init(
        device: Device, kind: SensorKind, interval: TimeInterval, latency: TimeInterval = 0, limit: Int = 1024,
        shaper: @escaping @Sendable () -> Shaper
    ) {
        self.device = device
        self.kind = kind
        self.latency = latency
        makeShaper = shaper
        state = Mutex(State(interval: interval, shaper: shaper(), mailbox: Mailbox(limit: limit)))
    }

    // MARK: What the program asks

    /// True when the device has such a sensor now.
    var isAvailable: Bool { device.has(kind) }

    /// True while readings come or are due.
    var isActive: Bool { state.withLock { $0.isStarted } && isAvailable }

    /// The latest value; nil before the first and when stopped.
    var latest: Shaper.Value? { state.withLock { $0.mailbox.latest } }

    /// How many values made way because the handler did not take them in time.
    var dropped: Int { state.withLock { $0.mailbox.dropped } }

    /// The interval as the program wrote it.
    var interval: TimeInterval {
        get { state.withLock { $0.interval } }
        set {
            let hasChanged = state.withLock { state in
                let former = SensorInterval.effective(state.interval)
                state.interval = newValue
                guard state.isStarted, SensorInterval.effective(newValue) != former else { return false }
                state.number &+= 1
                return true
            }
            if hasChanged { adjustSubscription() }
        }
    }

    // MARK: What the program starts and stops

    /// Begins, or goes on with another handler; without one the latest value can be asked for.
    func start(_ handler: Handler?) {
        let shaper = makeShaper()
        let former = state.withLock { state in
            state.isStarted = true
            state.number &+= 1
            state.shaper = shaper
            return state.exchange(handler)
        }
        adjustSubscription()
        // The program's objects go outside of the lock: they may stop their manager as they go.
        withExtendedLifetime(former) {}
    }

    /// Ends it: the handler is not called any more, except that a call that runs on another thread goes on.
    func stop() {
        let former = state.withLock { state in
            state.isStarted = false
            state.number &+= 1
            state.mailbox.forgetLatest()
            return state.exchange(nil)
        }
        adjustSubscription()
        withExtendedLifetime(former) {}
    }

    /// Subscribes or lets go, as the state has it now.
    private func adjustSubscription() {
        subscription.withLock { current in
            // Read inside, so that the last to come sees the last state.
            let (isStarted, number, interval) = state.withLock { ($0.isStarted, $0.number, $0.interval) }
            guard isStarted else {
                current.subscription?.cancel()
                current.subscription = nil
                return
            }
            guard current.subscription == nil || current.number != number else { return }
            let request = MotionRequest(
                kind: kind, interval: SensorInterval.effective(interval), latency: latency)
            // The new one first, so that the sensor runs on.
            let former = current.subscription
            current.number = number
            // Strong: stopping ends it.
            current.subscription = device.motionSource.subscribe(request) { event in self.receive(event, number) }
            former?.cancel()
        }
    }

    // MARK: What comes in, on the source's thread

    private func receive(_ event: MotionEvent, _ number: UInt32) {
        let handler = state.withLock { state -> Handler? in
            guard state.isStarted, state.number == number else { return nil }
            switch event {
            case .samples(let batch):
                state.isLost = false
                state.shaper.take(batch, into: &state.mailbox)
            case .lost(let error):
                // Once for each loss, although each subscription hears of it.
                guard !state.isLost else { return nil }
                state.isLost = true
                state.mailbox.add(error)
            case .regained: state.isLost = false
            }
            return state.handlerToSchedule()
        }
        if let handler { schedule(handler) }
    }

    // MARK: Calls of the handler, where the program wants them

    private func schedule(_ handler: Handler) {
        handler.delivery.schedule { self.deliver(handler) }
    }

    /// Hands over what waits. What comes in meanwhile waits for the next turn, so that a flood of readings does not keep
    /// the program's thread from its other work.
    private func deliver(_ handler: Handler) {
        guard var left = state.withLock({ $0.handler === handler ? $0.mailbox.count : nil }) else { return }
        device.bind {
            // Asked before each call, since it may stop or restart the manager.
            while left > 0, let item = state.withLock({ $0.handler === handler ? $0.mailbox.takeFirst() : nil }) {
                switch item {
                case .value(let value): handler.take(value)
                case .failure(let error): handler.fail(CMError.error(error))
                }
                left -= 1
            }
        }
        let goesOn = state.withLock { state in
            guard state.handler === handler else { return false }
            state.isTurnDue = !state.mailbox.isEmpty
            return state.isTurnDue
        }
        if goesOn { schedule(handler) }
    }
}
