// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The news that a person has stopped walking, or goes on. Nothing on Linux tells it.
open class CMPedometerEvent: NSObject, NSSecureCoding, NSCopying {
    private let storedDate: TimeInterval

    /// An event at 1970-01-01T00:00:00Z.
    public override init() {
        storedDate = 0
        super.init()
    }

    /// Restores an event from an archive; nil when the archive holds none.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.decodeNumbers(1, forKey: Self.key) else { return nil }
        storedDate = numbers[0]
        super.init()
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
    open func encode(with coder: NSCoder) {
        coder.encode(numbers: [date.timeIntervalSince1970], forKey: Self.key)
    }

    private static let key = "CMPedometerEvent.date"
}
