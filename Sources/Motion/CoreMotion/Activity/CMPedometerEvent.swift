// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A pause or a resumption of walking.
open class CMPedometerEvent: NSObject, NSSecureCoding, NSCopying {
    private var storedDate: TimeInterval = 0
    private var storedType = CMPedometerEventType.pause

    /// Creates a pause event at 1970-01-01T00:00:00Z.
    public override init() {}

    init(_ turn: WalkTransition) {
        storedDate = turn.time.seconds
        storedType = turn.isWalking ? .resume : .pause
    }

    /// Creates an event from an archive. Uses default values if the archive contains none for this class; returns nil
    /// if the values are invalid.
    public required init?(coder: NSCoder) {
        guard coder.containsNumbers(forKey: Self.key) else { return }
        guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
        storedDate = numbers[0]
        storedType = numbers[1] == 1 ? .resume : .pause
    }

    /// The time of the last step before a pause, or of the first step after it.
    open var date: Date { Date(timeIntervalSince1970: storedDate) }
    /// Whether the event is a pause or a resumption.
    open var type: CMPedometerEventType { storedType }

    /// Returns this event, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the event into a keyed archive.
    open func encode(with coder: NSCoder) {
        coder.encode(numbers: [date.timeIntervalSince1970, Double(type.rawValue)], forKey: Self.key)
    }

    private static let key = "CMPedometerEvent.values"
}

/// The type of a pedometer event.
public enum CMPedometerEventType: Int, Sendable {
    /// The user has stopped walking.
    case pause = 0
    /// The user has started or resumed walking.
    case resume = 1
}
