// SPDX-License-Identifier: Apache-2.0

import AppDelivery
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
        /// The turns of the handler: one thing to schedule, again and again.
        var turn: Turn?
        var mailbox: Mailbox<Shaper.Value>
        /// The sensors whose loss has been told.
        var lost: [SensorKind] = []

        /// A turn of the handler to schedule, once for as long as that has not ended.
        mutating func turnToSchedule() -> Turn? {
            guard let turn, mailbox.outbox.claimTurn() else { return nil }
            return turn
        }

        /// Another handler, or none, which begins with nothing; the former one, and its turn.
        mutating func replaceHandler(by new: Handler?, _ newTurn: Turn?) -> (Handler?, Turn?) {
            mailbox.empty(isOpen: new != nil)
            lost = []
            return (exchange(&handler, with: new), exchange(&turn, with: newTurn))
        }
    }

    /// A turn of a handler, and where it is to be.
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
    /// Follows the number of the state.
    private let subscription = StandingSubscription<UInt32>()

    /// - Parameter limit: How many values may wait for the handler.
    init(device: Device, plan: StreamPlan<Shaper>, interval: TimeInterval, limit: Int = 1024) {
        self.device = device
        state = Mutex(State(interval: interval, plan: plan, shaper: plan.makeShaper(), mailbox: Mailbox(limit: limit)))
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
    var dropped: Int { state.withLock { $0.mailbox.outbox.dropped } }

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
        // Strong: stopping ends it.
        let turn = handler.map { handler in Turn(handler.delivery) { self.deliver(handler) } }
        let former = state.withLock { state in
            state.isStarted = true
            state.number &+= 1
            state.plan = plan
            state.shaper = shaper
            // The latest value of another plan is of another kind.
            if isNewPlan { state.mailbox.forgetLatest() }
            return state.replaceHandler(by: handler, turn)
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
            return state.replaceHandler(by: nil, nil)
        }
        adjustSubscription()
        withExtendedLifetime(former) {}
    }

    /// Subscribes or lets go, as the state has it now.
    private func adjustSubscription() {
        subscription.follow {
            state.withLock { $0.isStarted ? $0.number : nil }
        } subscribe: { number in
            let (interval, source, place) = state.withLock { ($0.interval, $0.plan.source, $0.handler?.delivery) }
            // Strong: stopping ends it.
            return source.subscribe(SensorInterval.effective(interval), DirectPlace(place)) { event in
                self.receive(event, number)
            }
        }
    }

    // MARK: What comes in, on the source's thread

    private func receive(_ event: StreamEvent<Shaper.Input>, _ number: UInt32) {
        let turn = state.withLock { state -> Turn? in
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
            return state.turnToSchedule()
        }
        turn?.schedule()
    }

    // MARK: Calls of the handler, where the program wants them

    /// A turn of the handler: hands over what waits.
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
                // Asked before each call, since it may stop or restart the manager.
                following = takeNext(of: handler, into: &item)
            }
        }
        following?.schedule()
    }

    /// Goes on with a turn, or ends it.
    ///
    /// - Parameter item: What comes next goes there; it has to be nil. Values are large: each hand that they go through
    ///   is felt.
    /// - Returns: Another turn that has to be scheduled when this one is over.
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
    /// The readings of one kind of sensor.
    convenience init(
        device: Device, kind: SensorKind, interval: TimeInterval, shaper: @escaping @Sendable () -> Shaper
    ) {
        let plan = StreamPlan(source: .sensor(kind, of: device, latency: 0), makeShaper: shaper)
        self.init(device: device, plan: plan, interval: interval)
    }
}

/// A program's handler and the place where it wants to be called.
///
/// Unchecked because handlers are not Sendable: they are only called where the program asked for it, one call at a time.
final class StreamHandler<Value>: @unchecked Sendable {
    let delivery: any Delivery
    let take: (Value) -> Void
    let fail: (any Error) -> Void

    /// Calls a program's handler with data or an error, as Core Motion's handlers take them.
    init<Data>(
        _ delivery: any Delivery, _ data: @escaping (Value) -> Data, _ handler: @escaping (Data?, (any Error)?) -> Void
    ) {
        self.delivery = delivery
        take = { handler(data($0), nil) }
        fail = { handler(nil, $0) }
    }
}
