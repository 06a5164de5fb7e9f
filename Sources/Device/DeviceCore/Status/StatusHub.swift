// SPDX-License-Identifier: Apache-2.0

/// Keeps the state of a machine and tells subscribers what changes.
///
/// A source or a player owns one and calls `post` from one thread at a time. No lock is held while subscribers run.
public final class StatusHub: StatusSource {
    private let registry: SubscriberRegistry<BatteryReading?, Void, BatteryReading?>

    /// A hub that starts with that battery; the closure must look at `isWanted` itself.
    public init(battery: BatteryReading? = nil, demandChanged: @escaping @Sendable () -> Void = {}) {
        registry = SubscriberRegistry(battery, demandChanged: demandChanged)
    }

    /// The battery as it was last posted.
    public var battery: BatteryReading? { registry.withLock { $0.content } }

    /// True while there is a subscriber.
    public var isWanted: Bool { registry.isWanted }

    /// Adds a subscriber.
    public func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BatteryReading?>((), receive: receive)
        registry.add(subscriber)
        subscriber.state.start()
        return registry.subscription(of: subscriber)
    }

    /// The battery as it is now. Subscribers hear of it when it differs from what it was.
    public func post(_ battery: BatteryReading?) {
        registry.publish { known in
            guard known != battery else { return nil }
            known = battery
            return .some(battery)
        }
    }
}
