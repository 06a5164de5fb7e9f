// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The base class of timestamped values. Log items are immutable. Tests can create subclasses and override properties.
open class CMLogItem: NSObject, NSSecureCoding, NSCopying {
    private var storedTimestamp: TimeInterval = 0

    /// Creates an item with timestamp 0.
    public override init() {}

    init(measuredAt timestamp: TimeInterval) { storedTimestamp = timestamp }

    /// Creates an item from an archive, or returns nil if the archived timestamp is invalid.
    public required init?(coder: NSCoder) {
        guard let numbers = coder.numbers(forKey: Self.timestampKey, default: [0]) else { return nil }
        storedTimestamp = numbers[0]
    }

    /// The time of the measurement, in seconds since boot, assigned by the sensor's driver. Unlike
    /// `ProcessInfo.systemUptime` on Linux, it includes time spent in suspend (`CLOCK_BOOTTIME`).
    open var timestamp: TimeInterval { storedTimestamp }

    /// Returns this item, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the item into a keyed archive.
    open func encode(with coder: NSCoder) {
        for part in archivedValues { coder.encode(numbers: part.numbers, forKey: part.key) }
    }

    /// The values to archive, taken from the public properties because subclasses may override them. Each class appends
    /// its own values to those of its superclass. Apps store archives, so the keys and the order of the numbers must
    /// not change.
    var archivedValues: ArchivedValues { [(Self.timestampKey, [timestamp])] }

    private static let timestampKey = "CMLogItem.timestamp"
}

typealias ArchivedValues = [(key: String, numbers: [Double])]

extension NSCoder {
    /// Encodes numbers as bit patterns, without rounding.
    func encode(numbers: [Double], forKey key: String) {
        guard allowsKeyedCoding else { return }
        encode(words: numbers.map(\.bitPattern), forKey: key)
    }

    /// Returns true if the archive contains the key. The key is missing if a subclass overrides `encode(with:)` without
    /// calling `super`.
    func containsNumbers(forKey key: String) -> Bool { allowsKeyedCoding && containsValue(forKey: key) }

    /// Decodes as many numbers as there are defaults. If the archive does not contain the key, returns the defaults. If
    /// the archived data is invalid, returns nil.
    func numbers(forKey key: String, default numbers: [Double]) -> [Double]? {
        containsNumbers(forKey: key) ? decodeNumbers(numbers.count, forKey: key) : numbers
    }

    /// Decodes `count` numbers and ignores additional numbers. Returns nil if the archived data is invalid.
    func decodeNumbers(_ count: Int, forKey key: String) -> [Double]? {
        decodeWords(count, forKey: key)?.map(Double.init(bitPattern:))
    }
}
