// SPDX-License-Identifier: Apache-2.0

/// A source of the machine's own status.
public protocol StatusSource: Sendable {
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
