// SPDX-License-Identifier: Apache-2.0

/// The activity of a person carrying the device. Several activities may apply at once: a car waiting at a traffic light
/// is both automotive and stationary.
package struct CarriedActivity: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let stationary = CarriedActivity(rawValue: 1)
    package static let walking = CarriedActivity(rawValue: 2)
    package static let running = CarriedActivity(rawValue: 4)
    package static let cycling = CarriedActivity(rawValue: 8)
    package static let automotive = CarriedActivity(rawValue: 16)
    /// The device moves, but the kind of movement cannot be determined.
    package static let unknown = CarriedActivity(rawValue: 32)
}

/// The confidence in an activity.
package enum ActivityConfidence: UInt8, Sendable, Comparable {
    case low = 0
    case medium = 1
    case high = 2

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An activity with its start time and confidence.
package struct ActivityState: Sendable, Hashable {
    package var activity: CarriedActivity
    package var confidence: ActivityConfidence
    /// The time when the activity began, in seconds of the clock of the samples.
    package var start: Double

    package init(activity: CarriedActivity, confidence: ActivityConfidence, start: Double) {
        self.activity = activity
        self.confidence = confidence
        self.start = start
    }
}
