// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation
import Synchronization

/// The updates of one manager: the latest value, and a queue of values for the handler if there is one.
///
/// Input arrives on the source's thread, is converted and queued. The handler is called on the app's callback executor,
/// one call at a time even on a concurrent queue. One drain of the queue delivers all queued values.
final class SensorStream<Shaper: ReadingShaper>: Sendable {
    typealias Handler = StreamHandler<Shaper.Value>

    // Unchecked because of the handler, which is called only on its own executor.
    private struct State: @unchecked Sendable {
        var interval: TimeInterval
        var isStarted = false
        /// The generation of the current subscription. Events of earlier subscriptions are ignored.
        var number: UInt32 = 0
        var plan: StreamPlan<Shaper>
        var shaper: Shaper
        var handler: Handler?
        /// The drain of the handler's queue. The same object is scheduled again for each drain.
        var turn: Turn?
        var mailbox: Mailbox<Shaper.Value>
        /// The sensors whose loss has been reported.
        var lost: [SensorKind] = []

        /// Returns the drain if it has to be scheduled; nil if it is already scheduled or running, or if the queue is
        /// empty.
        mutating func turnToSchedule() -> Turn? {
            guard let turn, mailbox.outbox.claimTurn() else { return nil }
            return turn
        }

        /// Replaces the handler and clears its queue. Returns the previous handler and its drain.
        mutating func replaceHandler(by new: Handler?, _ newTurn: Turn?) -> (Handler?, Turn?) {
            mailbox.empty(isOpen: new != nil)
            lost = []
            return (exchange(&handler, with: new), exchange(&turn, with: newTurn))
        }
    }

    /// A drain of a handler's queue, and the executor on which it runs.
    private final class Turn: Sendable {
        private let delivery: any Delivery
        private let work: @Sendable () -> Void

        init(_ delivery: any Delivery, _ work: @escaping @Sendable () -> Void) {
            self.delivery = delivery
            self.work = work
        }

        func schedule() { delivery.schedule(work) }
    }

    private let device: Device
    private let state: Mutex<State>
    /// The subscription, which is replaced whenever the generation in the state changes.
    private let subscription = StandingSubscription<UInt32>()

    /// - Parameter limit: The maximum number of values queued for the handler.
    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval, limit: Int = 1024) {
        self.device = device
        state = Mutex(State(interval: interval, plan: plan, shaper: plan.makeShaper(), mailbox: Mailbox(limit: limit)))
    }

    // MARK: Properties

    /// True if the device has the required sensors.
    var isAvailable: Bool { state.withLock { $0.plan.source }.isAvailable() }

    /// True while updates are started and the required sensors are available.
    var isActive: Bool { state.withLock { $0.isStarted } && isAvailable }

    /// The current state of the converter; nil while updates are stopped.
    var shaper: Shaper? { state.withLock { $0.isStarted ? $0.shaper : nil } }

    /// The latest value; nil before the first one and while updates are stopped.
    var latest: Shaper.Value? { state.withLock { $0.mailbox.latest } }

    /// The number of values that were dropped because the handler was too slow.
    var dropped: Int { state.withLock { $0.mailbox.outbox.dropped } }

    /// The interval that the app has set, in seconds.
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

    // MARK: Starting and stopping

    /// Starts updates, or continues them with another handler. Without a handler, only the latest value is stored.
    ///
    /// - Parameter plan: The new plan; nil to keep the current one.
    func start(_ handler: Handler?, plan: StreamPlan<Shaper>? = nil) {
        let isNewPlan = plan != nil
        let plan = plan ?? state.withLock { $0.plan }
        let shaper = plan.makeShaper()
        // The reference to `self` is strong; `stop()` releases it.
        let turn = handler.map { handler in Turn(handler.delivery) { self.deliver(handler) } }
        let former = state.withLock { state in
            state.isStarted = true
            state.number &+= 1
            state.plan = plan
            state.shaper = shaper
            // The latest value of the previous plan is not valid for a new one.
            if isNewPlan { state.mailbox.forgetLatest() }
            return state.replaceHandler(by: handler, turn)
        }
        adjustSubscription()
        // The app's objects are released outside the lock, because their deinitializers may stop the manager.
        withExtendedLifetime(former) {}
    }

    /// Stops updates. The handler is not called again, but a call that is already running on another thread completes.
    func stop() {
        let former = state.withLock { state in
            state.isStarted = false
            state.number &+= 1
            state.mailbox.forgetLatest()
            return state.replaceHandler(by: nil, nil)
        }
        adjustSubscription()
        withExtendedLifetime(former) {}
    }

    /// Creates, replaces or cancels the subscription according to the state.
    private func adjustSubscription() {
        subscription.follow {
            state.withLock { $0.isStarted ? $0.number : nil }
        } subscribe: { number in
            let (interval, source, place) = state.withLock { ($0.interval, $0.plan.source, $0.handler?.delivery) }
            // The reference to `self` is strong; `stop()` releases it.
            return source.subscribe(SensorInterval.effective(interval), DirectPlace(place)) { event in
                self.receive(event, number)
            }
        }
    }

    // MARK: Events, on the source's thread

    private func receive(_ event: StreamEvent<Shaper.Input>, _ number: UInt32) {
        let turn = state.withLock { state -> Turn? in
            guard state.isStarted, state.number == number else { return nil }
            switch event {
            case .input(let input):
                if state.plan.source.endsLossesByInput { state.lost = [] }
                state.shaper.take(input, into: &state.mailbox)
            case .lost(let kind, let error):
                // Each loss is reported to the handler once, although every new subscription is notified of it.
                guard !state.lost.contains(kind) else { return nil }
                state.lost.append(kind)
                state.mailbox.add(.loss(kind, error))
            case .regained(let kind): state.lost.removeAll { $0 == kind }
            }
            return state.turnToSchedule()
        }
        turn?.schedule()
    }

    // MARK: Handler calls, on the callback executor

    /// Drains the queue: calls the handler with each queued item.
    private func deliver(_ handler: Handler) {
        var item: Mailbox<Shaper.Value>.Item?
        var following = takeNext(of: handler, into: &item, begins: true)
        guard item != nil else { return }
        device.bind {
            while let current = item.take() {
                switch current {
                case .value(let value): handler.take(value)
                case .failure(let error): handler.fail(error.error)
                }
                // The state is checked before each call, because the handler may have stopped or restarted the manager.
                following = takeNext(of: handler, into: &item)
            }
        }
        following?.schedule()
    }

    /// Continues or finishes a drain.
    ///
    /// - Parameter item: Receives the next item; must be nil. It is passed inout because values are large and copies
    ///   are measurable.
    /// - Returns: A drain that has to be scheduled after this one.
    private func takeNext(
        of handler: Handler, into item: inout Mailbox<Shaper.Value>.Item?, begins: Bool = false
    ) -> Turn? {
        state.withLock { state in
            guard state.handler === handler else { return nil }
            if begins { state.mailbox.outbox.beginTurn() }
            guard !state.mailbox.outbox.isInTurn else {
                item = state.mailbox.outbox.takeFirst()
                return nil
            }
            return state.mailbox.outbox.endTurn() ? state.turn : nil
        }
    }
}

extension SensorStream where Shaper.Input == MotionBatch {
    /// Creates a stream of the readings of one kind of sensor.
    convenience init(
        device: Device, kind: SensorKind, interval: TimeInterval, shaper: @escaping @Sendable () -> Shaper
    ) {
        let plan = StreamPlan(source: .sensor(kind, of: device, latency: 0), makeShaper: shaper)
        self.init(device: device, plan: plan, interval: interval)
    }
}

/// An app's handler and the callback executor on which it is called.
///
/// Unchecked because handlers are not Sendable. They are called only on the executor that the app has chosen, one call
/// at a time.
final class StreamHandler<Value>: @unchecked Sendable {
    let delivery: any Delivery
    let take: (Value) -> Void
    let fail: (any Error) -> Void

    /// Creates a handler that calls a Core Motion handler with either data or an error.
    init<Data>(
        _ delivery: any Delivery, _ data: @escaping (Value) -> Data, _ handler: @escaping (Data?, (any Error)?) -> Void
    ) {
        self.delivery = delivery
        take = { handler(data($0), nil) }
        fail = { handler(nil, $0) }
    }
}
