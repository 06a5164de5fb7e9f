// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// What the step engine has to say to a subscriber: once a second, and when something begins or ends.
struct StepNews: Sendable {
    /// Of the latest sample.
    var time: BootTime
    var wallTime: WallTime
    /// Told once, at first: what was walked from the subscriber's start date up to now.
    var history: StepTotals?
    /// The steps that count since the last news.
    var steps: [CountedStep] = []
    var floorsAscended = 0
    var floorsDescended = 0
    /// Steps and metres a second now; nil when nobody walks.
    var pace: (cadence: Double, speed: Double)?
    /// Somebody has stopped walking, or goes on: which, and when.
    var turn: WalkTurn?
    /// What is done now; nil before that is known.
    var activity: CurrentActivity?
    /// True when nothing follows, as at the end of a trace.
    var isLast = false
}

/// Somebody has stopped walking, or goes on.
struct WalkTurn: Sendable, Hashable {
    var isWalking: Bool
    /// When the last step was, or the first.
    var time: WallTime
}

/// An activity and when it began, in civil time.
struct CurrentActivity: Sendable, Hashable {
    var activity: CarriedActivity
    var confidence: ActivityConfidence
    var start: WallTime
    /// When it was told.
    var time: BootTime
}

/// What a subscriber wants.
struct StepRequest: Sendable, Hashable {
    /// From when on steps count; nil for a subscriber that wants none from before.
    var start: WallTime?
    /// True when floors are wanted, for which the barometer runs.
    var wantsFloors = false
}
