// SPDX-License-Identifier: Apache-2.0

/// Hands what is heard of beacons to any number of subscribers.
///
/// A source or a player owns one and posts from one thread at a time. No lock is held while subscribers run.
public final class BeaconHub: BeaconSource {
    private let audience: Audience<Void, Void, BeaconEvent>

    /// A hub without subscribers. The closure must look at `isWanted` itself: two changes may reach it out of order.
    public init(demandChanged: @escaping @Sendable () -> Void = {}) {
        audience = Audience((), demandChanged: demandChanged, lossEvent: { $0.map { .lost($0) } ?? .regained })
    }

    /// The loss that lasts; nil when there is none.
    public var problem: DeviceError? { audience.withLock { $0.loss } }

    /// True while there is a subscriber.
    public var isWanted: Bool { audience.isWanted }

    /// Adds a subscriber; the first one brings the source to life.
    public func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BeaconEvent>((), receive: receive)
        audience.join(subscriber)
        return audience.subscription(of: subscriber)
    }

    /// A beacon was heard.
    public func post(_ sighting: BeaconSighting) { audience.tell { _ in .sighting(sighting) } }

    /// Beacons cannot be heard from here on. Subscribers hear of it once for each loss.
    public func postLost(_ error: DeviceError) { audience.tell(loss: error) }

    /// Beacons can be heard again after a loss.
    public func postRegained() { audience.tell(loss: nil) }
}
