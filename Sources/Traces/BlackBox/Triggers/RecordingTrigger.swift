// SPDX-License-Identifier: Apache-2.0

/// A condition that causes a black box to save a trace.
package struct RecordingTrigger: Sendable, Hashable {
    /// The condition.
    package enum Condition: Sendable, Hashable {
        /// The process receives SIGUSR1.
        case signal
        /// The device is shaken back and forth.
        case shake
        /// The device is in free fall for this number of seconds.
        case fall(Double)
        /// The magnitude of the acceleration, including gravity, exceeds this value in m/s².
        case impact(Double)
        /// There was a fix, and then none for this number of seconds, or the position source was lost.
        case lostFix(Double)
        /// An accessory with this name was unplugged; any accessory if nil.
        case unplugged(String?)
        /// The speed rises above this value in m/s.
        case speedAbove(Double)
        /// The speed falls below this value in m/s.
        case speedBelow(Double)
        /// The recording ends.
        case end
    }

    /// The condition.
    package var condition: Condition
    /// The text from which the trigger was parsed. Saved traces contain it.
    package var text: String

    /// True if the condition is detected in accelerometer readings.
    package var needsAcceleration: Bool {
        switch condition {
        case .shake, .fall, .impact: true
        case .signal, .lostFix, .unplugged, .speedAbove, .speedBelow, .end: false
        }
    }

    /// True if the condition is detected in positions.
    package var needsPosition: Bool {
        switch condition {
        case .lostFix, .speedAbove, .speedBelow: true
        case .signal, .shake, .fall, .impact, .unplugged, .end: false
        }
    }

    /// True if the condition is detected in accessory events.
    package var needsAccessories: Bool { if case .unplugged = condition { true } else { false } }

    /// The maximum magnitude that counts as free fall, in m/s². It is 0.3 g, because a falling device may rotate.
    static let fallLimit = 0.3 * standardGravity
    /// Standard gravity in m/s².
    static let standardGravity = 9.80665
}
