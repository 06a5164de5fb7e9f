// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// An update from the step engine, published once a second and whenever a walk or an activity begins or ends.
struct StepUpdate: Sendable {
    var time: BootTime
    var wallTime: WallTime
    /// The totals since the subscriber's start time. Only a subscriber's first update contains totals. In later
    /// updates, they are nil.
    var previousTotals: StepTotals?
    var steps: [CountedStep] = []
    var floorsAscended = 0
    var floorsDescended = 0
    /// The cadence (steps per second) and the speed (metres per second), or nil if the user is not walking.
    var pace: (cadence: Double, speed: Double)?
    var transition: WalkTransition?
    var activity: CurrentActivity?
    /// True if no further updates are expected, for example at the end of a trace.
    var isLast = false
}

struct WalkTransition: Sendable, Hashable {
    var isWalking: Bool
    /// The time of the first step if a walk begins, or of the last step if a walk ends.
    var time: WallTime
}

struct CurrentActivity: Sendable, Hashable {
    var activity: CarriedActivity
    var confidence: ActivityConfidence
    var start: WallTime
    /// The time of the sample that triggered the detection.
    var time: BootTime
}

struct StepRequest: Sendable, Hashable {
    /// The time from which to count steps, or nil to count only steps taken after the subscription begins.
    var start: WallTime?
    var needsFloors = false
}
