// SPDX-License-Identifier: Apache-2.0

/// What makes a black box be saved.
package struct RecordingTrigger: Sendable, Hashable {
    /// What has to happen.
    package enum Condition: Sendable, Hashable {
        /// SIGUSR1 arrives.
        case signal
        /// The device is shaken to and fro.
        case shake
        /// It falls freely for so many seconds.
        case fall(Double)
        /// The acceleration, gravity included, is more than so many m/s².
        case impact(Double)
        /// There was a fix, and then none for so many seconds, or gpsd could not be reached any more.
        case lostFix(Double)
        /// An accessory of that name, or any, was unplugged.
        case unplugged(String?)
        /// The speed goes over so many m/s.
        case speedAbove(Double)
        /// It falls below.
        case speedBelow(Double)
        /// The recording ends.
        case end
    }

    /// What has to happen.
    package var condition: Condition
    /// As it was written, which is what saved traces say.
    package var text: String

    /// True when it is found in the readings of an accelerometer.
    package var needsAcceleration: Bool {
        switch condition {
        case .shake, .fall, .impact: true
        case .signal, .lostFix, .unplugged, .speedAbove, .speedBelow, .end: false
        }
    }

    /// True when it is found in positions.
    package var needsPosition: Bool {
        switch condition {
        case .lostFix, .speedAbove, .speedBelow: true
        case .signal, .shake, .fall, .impact, .unplugged, .end: false
        }
    }

    /// True when it is found in what accessories come and go.
    package var needsAccessories: Bool { if case .unplugged = condition { true } else { false } }

    /// What a freely falling sensor shows at most, in m/s²: three tenths of a g, for it may turn meanwhile.
    static let fallLimit = 0.3 * standardGravity
    /// Standard gravity in m/s².
    static let standardGravity = 9.80665
}
