// SPDX-License-Identifier: Apache-2.0

/// Stores the status of a machine and delivers changes to subscribers.
///
/// A source or a player owns a hub and calls `post` on one thread at a time. No lock is held while subscribers run.
public final class StatusHub: StatusSource {
    private let registry: SubscriberRegistry<BatteryReading?, Void, BatteryReading?>

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - battery: The initial state of the battery.
    ///   - demandChanged: Called after each change of the subscribers. It must read `isWanted` itself, because two
    ///     calls may arrive out of order.
    public init(battery: BatteryReading? = nil, demandChanged: @escaping @Sendable () -> Void = {}) {
        registry = SubscriberRegistry(battery, demandChanged: demandChanged)
    }

    /// The battery that was last posted; nil if there is none.
    public var battery: BatteryReading? { registry.withLock { $0.content } }

    /// True while there is a subscriber.
    public var hasSubscribers: Bool { registry.hasSubscribers }

    /// Adds a subscriber.
    public func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BatteryReading?>((), receive: receive)
        registry.add(subscriber)
        subscriber.state.start()
        return registry.subscription(of: subscriber)
    }

    /// Updates the battery. Subscribers are notified if it has changed.
    public func post(_ battery: BatteryReading?) {
        registry.publish { known in
            guard known != battery else { return nil }
            known = battery
            return .some(battery)
        }
    }
}
