// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The base class of timestamped values in Core Motion.
///
/// Apps receive log items from managers; tests can create subclasses and override properties. Log items are immutable.
open class CMLogItem: NSObject, NSSecureCoding, NSCopying {
    private var storedTimestamp: TimeInterval = 0

    /// Creates an item at timestamp 0.
    public override init() {}

    init(measuredAt timestamp: TimeInterval) { storedTimestamp = timestamp }

    /// Creates an item from an archive. Uses the timestamp 0 if the archive contains none; returns nil if the archived
    /// timestamp is invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.timestampKey, default: [0]) else { return nil }
        storedTimestamp = numbers[0]
    }

    /// The time of the measurement, in seconds since boot. It is assigned by the sensor's driver and is not the time of
    /// delivery.
    ///
    /// The time includes periods of system suspend (`CLOCK_BOOTTIME`), unlike `ProcessInfo.systemUptime` on Linux.
    open var timestamp: TimeInterval { storedTimestamp }

    /// Returns this item, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the item into a keyed archive.
    open func encode(with coder: NSCoder) {
        for part in archivedValues { coder.encode(numbers: part.numbers, forKey: part.key) }
    }

    /// The values to archive. They are read from the public properties, which subclasses may override. Each class
    /// appends its own values to the values of its superclass.
    var archivedValues: ArchivedValues { [(Self.timestampKey, [timestamp])] }

    private static let timestampKey = "CMLogItem.timestamp"
}

/// The keys of an archive and their values.
typealias ArchivedValues = [(key: String, numbers: [Double])]

extension NSCoder {
    /// Encodes numbers as bit patterns, without rounding.
    func encode(numbers: [Double], forKey key: String) {
        guard allowsKeyedCoding else { return }
        encode(words: numbers.map(\.bitPattern), forKey: key)
    }

    /// Returns true if the archive contains the key. An archive without the key is valid, because a subclass may
    /// override `encode(with:)` without calling `super`.
    func containsNumbers(forKey key: String) -> Bool { allowsKeyedCoding && containsValue(forKey: key) }

    /// Decodes as many numbers as there are defaults. Returns the defaults if the archive does not contain the key, and
    /// nil if the archived data has fewer numbers or a different type.
    func numbers(forKey key: String, default numbers: [Double]) -> [Double]? {
        containsNumbers(forKey: key) ? decodeNumbers(numbers.count, forKey: key) : numbers
    }

    /// Decodes `count` numbers and ignores any additional numbers. Returns nil if the archived data has fewer numbers
    /// or a different type.
    func decodeNumbers(_ count: Int, forKey key: String) -> [Double]? {
        decodeWords(count, forKey: key)?.map(Double.init(bitPattern:))
    }
}
