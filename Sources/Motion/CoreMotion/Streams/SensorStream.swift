// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

/// What sensors tell one manager: the latest for programs that ask, each one for a handler.
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
        var plan: StreamPlan<Shaper>
        var shaper: Shaper
        var handler: Handler?
        var mailbox: Mailbox<Shaper.Value>
        /// True from when a turn of the handler is scheduled until it has ended.
        var isTurnDue = false
        /// The sensors whose loss has been told.
        var lost: [SensorKind] = []

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
            lost = []
            defer { handler = new }
            return handler
        }
    }

    private let device: Device
    private let state: Mutex<State>
    /// Held while the subscription is brought in line with the state; never together with a handler.
    private let subscription = Mutex<(subscription: Subscription?, number: UInt32)>((nil, 0))

    /// - Parameter limit: How many values may wait for the handler.
    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval, limit: Int = 1024) {
        self.device = device
        state = Mutex(
            State(interval: interval, plan: plan, shaper: plan.makeShaper(), mailbox: Mailbox(limit: limit)))
    }

    // MARK: What the program asks

    /// True when the device has what it takes now.
    var isAvailable: Bool { state.withLock { $0.plan.source }.isAvailable() }

    /// True while readings come or are due.
    var isActive: Bool { state.withLock { $0.isStarted } && isAvailable }

    /// The shaper as it stands; nil while stopped.
    var shaper: Shaper? { state.withLock { $0.isStarted ? $0.shaper : nil } }

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
    ///
    /// - Parameter plan: Another plan from now on; nil for the one in force.
    func start(_ handler: Handler?, plan: StreamPlan<Shaper>? = nil) {
        let isNewPlan = plan != nil
        let plan = plan ?? state.withLock { $0.plan }
        let shaper = plan.makeShaper()
        let former = state.withLock { state in
            state.isStarted = true
            state.number &+= 1
            state.plan = plan
            state.shaper = shaper
            // The latest value of another plan is of another kind.
            if isNewPlan { state.mailbox.forgetLatest() }
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
            let (isStarted, number, interval, source) = state.withLock {
                ($0.isStarted, $0.number, $0.interval, $0.plan.source)
            }
            guard isStarted else {
                current.subscription?.cancel()
                current.subscription = nil
                return
            }
            guard current.subscription == nil || current.number != number else { return }
            // The new one first, so that the sensor runs on.
            let former = current.subscription
            current.number = number
            // Strong: stopping ends it.
            current.subscription = source.subscribe(SensorInterval.effective(interval)) { event in
                self.receive(event, number)
            }
            former?.cancel()
        }
    }

    // MARK: What comes in, on the source's thread

    private func receive(_ event: StreamEvent<Shaper.Input>, _ number: UInt32) {
        let handler = state.withLock { state -> Handler? in
            guard state.isStarted, state.number == number else { return nil }
            switch event {
            case .input(let input):
                if state.plan.source.endsLossesByInput { state.lost = [] }
                state.shaper.take(input, into: &state.mailbox)
            case .lost(let kind, let error):
                // Once for each loss, although each subscription hears of it.
                guard !state.lost.contains(kind) else { return nil }
                state.lost.append(kind)
                state.mailbox.add(.loss(kind, error))
            case .regained(let kind): state.lost.removeAll { $0 == kind }
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
                case .failure(let error): handler.fail(error.error)
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

extension SensorStream where Shaper.Input == MotionBatch {
    /// The readings of one kind of sensor.
    convenience init(
        device: Device, kind: SensorKind, interval: TimeInterval, latency: TimeInterval = 0, limit: Int = 1024,
        shaper: @escaping @Sendable () -> Shaper
    ) {
        self.init(
            device: device,
            plan: StreamPlan(source: .sensor(kind, of: device, latency: latency), makeShaper: shaper),
            interval: interval, limit: limit)
    }
}
