// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import SensorFusion

/// What the person who carries the device does. Several may be true: a car that waits at a light is automotive and
/// stationary.
open class CMMotionActivity: CMLogItem {
    private var stored = CarriedActivity.unknown
    private var storedConfidence = CMMotionActivityConfidence.low
    private var storedStart: TimeInterval = 0

    /// An activity of which nothing is known.
    public override init() { super.init() }

    init(_ current: CurrentActivity) {
        stored = current.activity
        storedConfidence = CMMotionActivityConfidence(current.confidence)
        storedStart = current.start.seconds
        super.init(measuredAt: MotionConversion.timestamp(current.time))
    }

    /// Restores an activity from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        guard coder.holdsNumbers(forKey: Self.key) else { return }
        guard let numbers = coder.decodeNumbers(3, forKey: Self.key), (0...63).contains(numbers[0]) else { return nil }
        stored = CarriedActivity(rawValue: UInt8(numbers[0]))
        storedConfidence = numbers[1] == 2 ? .high : numbers[1] == 1 ? .medium : .low
        storedStart = numbers[2]
    }

    /// True when the device does not move.
    open var stationary: Bool { stored.contains(.stationary) }
    /// True when the person walks, also on stairs.
    open var walking: Bool { stored.contains(.walking) }
    /// True when the person runs.
    open var running: Bool { stored.contains(.running) }
    /// True when the device is in a vehicle. Only where a receiver tells the speed.
    open var automotive: Bool { stored.contains(.automotive) }
    /// True when the person rides a bicycle. Only where a receiver tells the speed.
    open var cycling: Bool { stored.contains(.cycling) }
    /// True when the device moves and nothing says how.
    open var unknown: Bool { stored.contains(.unknown) }
    /// When it began.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }
    /// How sure it is.
    open var confidence: CMMotionActivityConfidence { storedConfidence }

    /// What is true, and since when.
    open override var description: String {
        let flags = [
            (stationary, "stationary"), (walking, "walking"), (running, "running"), (automotive, "automotive"),
            (cycling, "cycling"), (unknown, "unknown"),
        ]
        let names = flags.filter(\.0).map(\.1).joined(separator: ", ")
        return "<CMMotionActivity \(names), confidence \(confidence), since \(startDate)>"
    }

    override var archived: [(key: String, numbers: [Double])] {
        super.archived + [
            (
                Self.key,
                [Double(flags.rawValue), Double(confidence.rawValue), startDate.timeIntervalSince1970]
            )
        ]
    }

    /// As the properties have it, which subclasses may override.
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

    private static let key = "CMMotionActivity.values"
}

/// How sure an activity is.
///
/// On Linux it says how many windows of 1.3 seconds in a row agree: medium three, high ten. Walking and running without
/// counted steps, cycling and unknown are always low. docs/motion.md has how often each was right.
public enum CMMotionActivityConfidence: Int, Sendable {
    /// Hardly.
    case low = 0
    /// Fairly.
    case medium = 1
    /// Very.
    case high = 2
}

extension CMMotionActivityConfidence {
    init(_ confidence: ActivityConfidence) {
        switch confidence {
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        }
    }
}
