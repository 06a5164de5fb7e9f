// SPDX-License-Identifier: Apache-2.0

/// A source that reports the state of the machine's battery.
package protocol StatusSource: Sendable {
    /// The current battery state, or nil if there is no battery.
    var battery: BatteryReading? { get }

    /// Delivers each change in the battery state, in order, until the subscription ends. Changes are delivered on the
    /// source's thread. nil means that the battery was removed.
    func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription
}

/// The state of a battery.
public struct BatteryReading: Sendable, Hashable {
    /// The charging states of a battery.
    public enum State: String, Sendable {
        /// The state is unknown.
        case unknown
        /// The machine runs on battery power.
        case unplugged
        /// External power is connected and the battery is not full.
        case charging
        /// External power is connected and the battery is full.
        case full
    }

    /// The charge level, 0 to 1, or nil if unknown.
    public var level: Double?
    /// The charging state.
    public var state: State

    /// Creates a battery reading.
    public init(level: Double?, state: State) {
        self.level = level
        self.state = state
    }
}

/// Stores the battery's state and delivers changes to subscribers. A source or a player owns the hub and must call
/// `post` on one thread at a time. No lock is held while subscribers run.
package final class StatusHub: StatusSource {
    private let registry: SubscriberRegistry<BatteryReading?, Void, BatteryReading?>

    /// - Parameter demandChanged: Called whenever a subscriber is added or removed. Calls may arrive out of order, so
    ///   the closure must read the current value of `hasSubscribers`.
    package init(battery: BatteryReading? = nil, demandChanged: @escaping @Sendable () -> Void = {}) {
        registry = SubscriberRegistry(battery, demandChanged: demandChanged)
    }

    package var battery: BatteryReading? { registry.withLock { $0.content } }
    package var hasSubscribers: Bool { registry.hasSubscribers }

    package func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BatteryReading?>((), receive: receive)
        registry.add(subscriber)
        // The subscriber is started before `subscription(of:)` starts the source, so that no change is missed.
        subscriber.state.startReceiving()
        return registry.subscription(of: subscriber)
    }

    package func post(_ battery: BatteryReading?) {
        registry.publish { content in
            guard content != battery else { return nil }
            content = battery
            return .some(battery)  // An event even if `battery` is nil.
        }
    }
}
