// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import SensorFusion

/// The activity of the user who carries the device. Several properties may be true at once. For example, both
/// `automotive` and `stationary` are true while a car waits at a traffic light.
open class CMMotionActivity: CMLogItem {
    private var stored = CarriedActivity.unknown
    private var storedConfidence = CMMotionActivityConfidence.low
    private var storedStart: TimeInterval = 0

    /// Creates an activity with all activity properties false, low confidence and the start date 1970-01-01T00:00:00Z.
    public override init() { super.init() }

    init(_ current: CurrentActivity) {
        stored = current.activity
        storedConfidence = CMMotionActivityConfidence(rawValue: Int(current.confidence.rawValue)) ?? .low
        storedStart = current.start.seconds
        super.init(measuredAt: current.time.seconds)
    }

    /// Creates an activity from an archive, or returns nil if the archived values are invalid.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        guard let numbers = coder.numbers(forKey: Self.archiveKey, default: [Double(stored.rawValue), 0, 0]),
            (0...63).contains(numbers[0])
        else { return nil }
        stored = CarriedActivity(rawValue: UInt8(numbers[0]))
        storedConfidence = Int(exactly: numbers[1]).flatMap(CMMotionActivityConfidence.init(rawValue:)) ?? .low
        storedStart = numbers[2]
    }

    /// True if the device is stationary.
    open var stationary: Bool { stored.contains(.stationary) }
    /// True if the user is walking, including on stairs.
    open var walking: Bool { stored.contains(.walking) }
    /// True if the user is running.
    open var running: Bool { stored.contains(.running) }
    /// True if the device is in a vehicle. Detected only if a position fix includes a speed.
    open var automotive: Bool { stored.contains(.automotive) }
    /// True if the user is cycling. Detected only if a position fix includes a speed.
    open var cycling: Bool { stored.contains(.cycling) }
    /// True if the device is moving, but the activity cannot be determined.
    open var unknown: Bool { stored.contains(.unknown) }
    /// The time when the activity began.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }
    /// The confidence in the activity.
    open var confidence: CMMotionActivityConfidence { storedConfidence }

    /// A string that contains the names of the true properties, the confidence and the start date.
    open override var description: String {
        let flags = [
            (stationary, "stationary"), (walking, "walking"), (running, "running"), (automotive, "automotive"),
            (cycling, "cycling"), (unknown, "unknown"),
        ]
        let names = flags.filter(\.0).map(\.1).joined(separator: ", ")
        return "<CMMotionActivity \(names), confidence \(confidence), since \(startDate)>"
    }

    override var archivedValues: ArchivedValues {
        // Archives contain the raw values of `CarriedActivity`, so they must not change.
        let numbers = [Double(flags.rawValue), Double(confidence.rawValue), startDate.timeIntervalSince1970]
        return super.archivedValues + [(Self.archiveKey, numbers)]
    }

    /// The activities as a set, built from the public properties because subclasses may override them.
    private var flags: CarriedActivity {
        var flags: CarriedActivity = []
        if stationary { flags.insert(.stationary) }
        if walking { flags.insert(.walking) }
        if running { flags.insert(.running) }
        if automotive { flags.insert(.automotive) }
        if cycling { flags.insert(.cycling) }
        if unknown { flags.insert(.unknown) }
        return flags
    }

    private static let archiveKey = "CMMotionActivity.values"
}

/// The confidence in an activity. On Linux, activities are detected in overlapping time windows that start 1.28 s
/// apart. The confidence is medium after three consecutive windows with the same activity, and high after ten. It is
/// always low for cycling, for unknown activities, and for walking or running while no steps are counted.
/// `docs/motion.md` lists the accuracy of each level.
public enum CMMotionActivityConfidence: Int, Sendable {
    /// Low confidence.
    case low = 0
    /// Medium confidence.
    case medium = 1
    /// High confidence.
    case high = 2
}

/// A fall event, which is never reported on Linux. The class exists only so that packages can extend its
/// `UserResolution`.
open class CMFallDetectionEvent: NSObject {
    /// The user's response when the system asks about a fall.
    public enum UserResolution: Int, Sendable {
        /// The user confirmed the fall.
        case confirmed = 0
        /// The user dismissed the alert.
        case dismissed = 1
        /// The user responded that there was no fall.
        case rejected = 2
        /// The user did not respond.
        case unresponsive = 3
    }

    /// Creates an event with the date 1970-01-01T00:00:00Z and the resolution `unresponsive`.
    public override init() {}

    /// The time of the fall, which is always 1970-01-01T00:00:00Z on Linux.
    open var date: Date { Date(timeIntervalSince1970: 0) }
    /// The user's response, which is always `unresponsive` on Linux.
    open var resolution: UserResolution { .unresponsive }
}
