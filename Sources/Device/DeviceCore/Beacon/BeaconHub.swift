// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hands what is heard of beacons to any number of subscribers.
///
/// A source or a player owns one and posts from one thread at a time. No lock is held while subscribers run.
public final class BeaconHub: BeaconSource {
    private final class Subscriber: Sendable {
        let receive: @Sendable (BeaconEvent) -> Void
        let isActive = Atomic<Bool>(true)

        init(_ receive: @escaping @Sendable (BeaconEvent) -> Void) { self.receive = receive }

        func tell(_ event: BeaconEvent) { if isActive.load(ordering: .acquiring) { receive(event) } }
    }

    private struct State {
        var subscribers: [Subscriber] = []
        var problem: DeviceError?
        /// Counts losses and returns.
        var turns: UInt64 = 0
    }

    private let state = Mutex(State())
    private let demandChanged: @Sendable () -> Void

    /// A hub without subscribers. The closure must look at `isWanted` itself: two changes may reach it out of order.
    public init(demandChanged: @escaping @Sendable () -> Void = {}) { self.demandChanged = demandChanged }

    /// The loss that lasts; nil when there is none.
    public var problem: DeviceError? { state.withLock { $0.problem } }

    /// True while there is a subscriber.
    public var isWanted: Bool { state.withLock { !$0.subscribers.isEmpty } }

    /// Adds a subscriber; the first one brings the source to life.
    public func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        let subscriber = Subscriber(receive)
        // It joins the others once it has been told what they know, so that nothing overtakes that.
        var told: (turns: UInt64, isLost: Bool)?
        while true {
            let news = state.withLock { state -> (turns: UInt64, problem: DeviceError?)? in
                let isNews = told.map { $0.turns != state.turns } ?? (state.problem != nil)
                if isNews { return (state.turns, state.problem) }
                state.subscribers.append(subscriber)
                return nil
            }
            guard let news else { break }
            if let problem = news.problem {
                subscriber.tell(.lost(problem))
            } else if told?.isLost == true {
                subscriber.tell(.regained)
            }
            told = (news.turns, news.problem != nil)
        }
        demandChanged()
        return Subscription { [weak self] in
            subscriber.isActive.store(false, ordering: .releasing)
            self?.state.withLock { state in state.subscribers.removeAll { $0 === subscriber } }
            self?.demandChanged()
        }
    }

    /// A beacon was heard.
    public func post(_ sighting: BeaconSighting) {
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.tell(.sighting(sighting)) }
    }

    /// Beacons cannot be heard from here on. Subscribers hear of it once for each loss.
    public func postLost(_ error: DeviceError) {
        let subscribers = state.withLock { state -> [Subscriber] in
            let isNew = state.problem == nil
            state.problem = error
            state.turns &+= isNew ? 1 : 0
            return isNew ? state.subscribers : []
        }
        for subscriber in subscribers { subscriber.tell(.lost(error)) }
    }

    /// Beacons can be heard again after a loss.
    public func postRegained() {
        let subscribers = state.withLock { state -> [Subscriber] in
            guard state.problem != nil else { return [] }
            state.problem = nil
            state.turns &+= 1
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.tell(.regained) }
    }
}
