// SPDX-License-Identifier: Apache-2.0

/// Delivers the advertisements of beacons to any number of subscribers.
///
/// A source or a player owns a hub and calls it on one thread at a time. No lock is held while subscribers run.
public final class BeaconHub: BeaconSource {
    private let registry: SubscriberRegistry<Void, Void, BeaconEvent>

    /// Creates a hub without subscribers.
    ///
    /// - Parameter demandChanged: Called after each change of the subscribers. It must read `isWanted` itself, because
    ///   two calls may arrive out of order.
    public init(demandChanged: @escaping @Sendable () -> Void = {}) {
        registry = SubscriberRegistry((), demandChanged: demandChanged)
    }

    /// The status that was last set.
    public var status: SourceStatus { registry.status }

    /// The error while beacons cannot be received; otherwise nil.
    public var problem: DeviceError? { status.error }

    /// True while there is a subscriber.
    public var hasSubscribers: Bool { registry.hasSubscribers }

    /// Adds a subscriber. The first subscriber starts the source.
    public func subscribe(_ receive: @escaping @Sendable (BeaconEvent) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BeaconEvent>((), receive: receive)
        registry.add(subscriber)
        subscriber.state.start(subscriber.notify)
        return registry.subscription(of: subscriber)
    }

    /// Delivers an advertisement to all subscribers.
    public func post(_ sighting: BeaconSighting) { registry.publish { _ in .sighting(sighting) } }

    /// Sets whether beacons can be received, and notifies subscribers of a change.
    public func setStatus(_ status: SourceStatus) { registry.setStatus(status) }
}
