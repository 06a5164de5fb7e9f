// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What the person who carries the device does.
///
/// Nothing on Linux tells it; programs that are written for it compile, and tests make their own by subclassing.
open class CMMotionActivity: CMLogItem {
    /// An activity of which nothing is known.
    public override init() { super.init() }

    /// Restores an activity from an archive, of which only the time is kept; nil when the archive holds none.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// True when the device does not move.
    open var stationary: Bool { false }
    /// True when the person walks.
    open var walking: Bool { false }
    /// True when the person runs.
    open var running: Bool { false }
    /// True when the device is in a car.
    open var automotive: Bool { false }
    /// True when the person rides a bicycle.
    open var cycling: Bool { false }
    /// True when the activity cannot be told.
    open var unknown: Bool { true }
    /// When it began.
    open var startDate: Date { Date(timeIntervalSince1970: 0) }
    /// How sure it is.
    open var confidence: CMMotionActivityConfidence { .low }
}

/// How sure an activity is.
public enum CMMotionActivityConfidence: Int, Sendable {
    /// Hardly.
    case low = 0
    /// Fairly.
    case medium = 1
    /// Very.
    case high = 2
}
