// SPDX-License-Identifier: Apache-2.0

/// Where the state of the machine itself comes from.
public protocol StatusSource: Sendable {
    /// The battery as it is now; nil when there is none.
    var battery: BatteryReading? { get }

    /// Hands the battery to the closure each time that it has changed, on a thread of the source's own and in order,
    /// until the subscription ends. Nil means that there is no battery any more.
    func subscribe(receive: @escaping @Sendable (BatteryReading?) -> Void) -> Subscription
}

/// What a battery says of itself.
public struct BatteryReading: Sendable, Hashable {
    /// What the battery is doing.
    public enum State: String, Sendable {
        /// Not known.
        case unknown
        /// It feeds the machine.
        case unplugged
        /// Power comes from outside, and it is not full.
        case charging
        /// Power comes from outside, and it is full.
        case full
    }

    /// How full it is, 0 to 1; nil when that is not known.
    public var level: Double?
    /// What it is doing.
    public var state: State

    /// A reading of those parts.
    public init(level: Double?, state: State) {
        self.level = level
        self.state = state
    }
}
