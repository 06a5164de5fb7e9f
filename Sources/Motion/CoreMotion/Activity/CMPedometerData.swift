// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a pedometer counted between two times.
///
/// Nothing on Linux counts steps; tests make their own by subclassing.
open class CMPedometerData: NSObject, NSSecureCoding, NSCopying {
    private var storedStart: TimeInterval = 0
    private var storedEnd: TimeInterval = 0
    private var storedSteps = 0.0

    /// No steps from 1970-01-01T00:00:00Z to the same time.
    public override init() {}

    /// Restores it from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(3, forKey: Self.key) else { return nil }
        (storedStart, storedEnd, storedSteps) = (numbers[0], numbers[1], numbers[2])
    }

    /// When counting began.
    open var startDate: Date { Date(timeIntervalSince1970: storedStart) }
    /// When it ended.
    open var endDate: Date { Date(timeIntervalSince1970: storedEnd) }
    /// The steps between the two.
    open var numberOfSteps: NSNumber { NSNumber(value: storedSteps) }
    /// Metres; nil, since nothing tells them.
    open var distance: NSNumber? { nil }
    /// Floors up; nil, since nothing tells them.
    open var floorsAscended: NSNumber? { nil }
    /// Floors down; nil, since nothing tells them.
    open var floorsDescended: NSNumber? { nil }
    /// Seconds per metre now; nil, since nothing tells them.
    open var currentPace: NSNumber? { nil }
    /// Steps per second now; nil, since nothing tells them.
    open var currentCadence: NSNumber? { nil }
    /// Seconds per metre on average; nil, since nothing tells them.
    open var averageActivePace: NSNumber? { nil }

    /// Returns the object itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: it can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the times and the steps into a keyed archive.
    open func encode(with coder: NSCoder) {
        coder.encode(
            numbers: [startDate.timeIntervalSince1970, endDate.timeIntervalSince1970, numberOfSteps.doubleValue],
            forKey: Self.key)
    }

    private static let key = "CMPedometerData.values"
}

/// The news that a person has stopped walking, or goes on. Nothing on Linux tells it.
open class CMPedometerEvent: NSObject, NSSecureCoding, NSCopying {
    private var storedDate: TimeInterval = 0

    /// An event at 1970-01-01T00:00:00Z.
    public override init() {}

    /// Restores an event from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(1, forKey: Self.key) else { return nil }
        storedDate = numbers[0]
    }

    /// When it happened.
    open var date: Date { Date(timeIntervalSince1970: storedDate) }
    /// What happened.
    open var type: CMPedometerEventType { .pause }

    /// Returns the event itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: events can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the event into a keyed archive.
    open func encode(with coder: NSCoder) { coder.encode(numbers: [date.timeIntervalSince1970], forKey: Self.key) }

    private static let key = "CMPedometerEvent.date"
}

/// What a pedometer's event says.
public enum CMPedometerEventType: Int, Sendable {
    /// The person has stopped walking.
    case pause = 0
    /// The person goes on.
    case resume = 1
}
