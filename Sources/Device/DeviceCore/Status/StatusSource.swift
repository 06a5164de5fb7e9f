// SPDX-License-Identifier: Apache-2.0

package protocol StatusSource: Sendable {
    /// The current state of the battery; nil if there is none.
    var battery: BatteryReading? { get }

    /// Delivers each change of the battery to the closure, on a thread of the source and in order, until the
    /// subscription ends. nil means that there is no battery any more.
    func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription
}

/// The state of a battery.
public struct BatteryReading: Sendable, Hashable {
    /// The charging states of a battery.
    public enum State: String, Sendable {
        /// The state is unknown.
        case unknown
        /// The battery supplies the machine.
        case unplugged
        /// External power is connected and the battery is not full.
        case charging
        /// External power is connected and the battery is full.
        case full
    }

    /// The charge level, 0 to 1; nil if unknown.
    public var level: Double?
    /// The charging state.
    public var state: State

    /// Creates a reading.
    public init(level: Double?, state: State) {
        self.level = level
        self.state = state
    }
}

/// Stores the status of a machine and delivers changes to subscribers.
///
/// A source or a player owns a hub and calls `post` on one thread at a time. No lock is held while subscribers run.
package final class StatusHub: StatusSource {
    private let registry: SubscriberRegistry<BatteryReading?, Void, BatteryReading?>

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - battery: The initial state of the battery.
    ///   - demandChanged: Called after each change of the subscribers. It must read `isWanted` itself, because two
    ///     calls may arrive out of order.
    package init(battery: BatteryReading? = nil, demandChanged: @escaping @Sendable () -> Void = {}) {
        registry = SubscriberRegistry(battery, demandChanged: demandChanged)
    }

    package var battery: BatteryReading? { registry.withLock { $0.content } }

    package var hasSubscribers: Bool { registry.hasSubscribers }

    package func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription {
        let subscriber = Subscriber<Void, BatteryReading?>((), receive: receive)
        registry.add(subscriber)
        subscriber.state.start()
        return registry.subscription(of: subscriber)
    }

    package func post(_ battery: BatteryReading?) {
        registry.publish { known in
            guard known != battery else { return nil }
            known = battery
            return .some(battery)
        }
    }
}
