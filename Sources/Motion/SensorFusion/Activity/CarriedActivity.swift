// SPDX-License-Identifier: Apache-2.0

/// What somebody who carries the device does. Several may be true at once: a car that waits at a light is a car and
/// rests.
package struct CarriedActivity: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let stationary = CarriedActivity(rawValue: 1)
    package static let walking = CarriedActivity(rawValue: 2)
    package static let running = CarriedActivity(rawValue: 4)
    package static let cycling = CarriedActivity(rawValue: 8)
    package static let automotive = CarriedActivity(rawValue: 16)
    /// It moves, and nothing says how.
    package static let unknown = CarriedActivity(rawValue: 32)
}

/// How sure an activity is.
package enum ActivityConfidence: UInt8, Sendable, Comparable {
    case low = 0
    case medium = 1
    case high = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An activity, since when, and how sure that is.
package struct ActivityState: Sendable, Hashable {
    package var activity: CarriedActivity
    package var confidence: ActivityConfidence
    /// When it began; seconds of the clock of the samples.
    package var start: Double

    package init(activity: CarriedActivity, confidence: ActivityConfidence, start: Double) {
        self.activity = activity
        self.confidence = confidence
        self.start = start
    }
}
