// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// An update of the step engine, published once a second and whenever a walk or an activity begins or ends.
struct StepUpdate: Sendable {
    /// The time of the latest sample.
    var time: BootTime
    var wallTime: WallTime
    /// The totals from the subscriber's start date until now. Set only in the first update.
    var previousTotals: StepTotals?
    var steps: [CountedStep] = []
    var floorsAscended = 0
    var floorsDescended = 0
    /// The current cadence, in steps per second, and speed, in metres per second; nil if the user is not walking.
    var pace: (cadence: Double, speed: Double)?
    var transition: WalkTransition?
    /// The current activity; nil until it has been determined.
    var activity: CurrentActivity?
    /// True if no further updates are expected, as at the end of a trace.
    var isLast = false
}

struct WalkTransition: Sendable, Hashable {
    var isWalking: Bool
    /// The time of the first step of the walk if it starts, or of the last step if it ends.
    var time: WallTime
}

struct CurrentActivity: Sendable, Hashable {
    var activity: CarriedActivity
    var confidence: ActivityConfidence
    var start: WallTime
    /// The time of the sample with which the activity was determined.
    var time: BootTime
}

struct StepRequest: Sendable, Hashable {
    /// The time from which steps are counted; nil if the subscriber needs no earlier steps.
    var start: WallTime?
    /// True if floors are counted, which requires the barometer.
    var needsFloors = false
}
