// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

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
