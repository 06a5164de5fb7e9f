// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// The news that a person has stopped walking, or goes on.
open class CMPedometerEvent: NSObject, NSSecureCoding, NSCopying {
    private var storedDate: TimeInterval = 0
    private var storedType = CMPedometerEventType.pause

    /// A pause at 1970-01-01T00:00:00Z.
    public override init() {}

    init(_ turn: WalkTurn) {
        storedDate = turn.time.seconds
        storedType = turn.isWalking ? .resume : .pause
    }

    /// Restores an event from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        guard coder.holdsNumbers(forKey: Self.key) else { return }
        guard let numbers = coder.decodeNumbers(2, forKey: Self.key) else { return nil }
        storedDate = numbers[0]
        storedType = numbers[1] == 1 ? .resume : .pause
    }

    /// When it happened: the time of the last step before a pause, or of the first one after it.
    open var date: Date { Date(timeIntervalSince1970: storedDate) }
    /// What happened.
    open var type: CMPedometerEventType { storedType }

    /// Returns the event itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: events can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the event into a keyed archive.
    open func encode(with coder: NSCoder) {
        coder.encode(numbers: [date.timeIntervalSince1970, Double(type.rawValue)], forKey: Self.key)
    }

    private static let key = "CMPedometerEvent.values"
}

/// What a pedometer's event says.
public enum CMPedometerEventType: Int, Sendable {
    /// The person has stopped walking.
    case pause = 0
    /// The person goes on.
    case resume = 1
}
