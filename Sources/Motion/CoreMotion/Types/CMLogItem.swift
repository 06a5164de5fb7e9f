// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The base of all timed values of Core Motion.
///
/// Programs get them from managers; tests subclass them and override what they need. They cannot be changed.
open class CMLogItem: NSObject, NSSecureCoding, NSCopying {
    private var storedTimestamp: TimeInterval = 0

    /// An item of the time zero.
    public override init() {}

    init(measuredAt timestamp: TimeInterval) { storedTimestamp = timestamp }

    /// Restores an item from an archive: with default values where a subclass has written nothing, nil where
    /// something else stands.
    public required init?(coder: NSCoder) {
        guard coder.holdsNumbers(forKey: Self.timestampKey) else { return }
        guard let numbers = coder.decodeNumbers(1, forKey: Self.timestampKey) else { return nil }
        storedTimestamp = numbers[0]
    }

    /// When it was measured, in seconds since boot: the sensor's own time, not the time of delivery.
    ///
    /// Sleep counts (the kernel's boottime clock), unlike in `ProcessInfo.systemUptime` on Linux.
    open var timestamp: TimeInterval { storedTimestamp }

    /// Returns the item itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: items can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the item into a keyed archive.
    open func encode(with coder: NSCoder) {
        for part in archived { coder.encode(numbers: part.numbers, forKey: part.key) }
    }

    /// What is written into an archive, as the properties have it, which subclasses may override. A class adds its
    /// own part to those of the class above it.
    var archived: [(key: String, numbers: [Double])] { [(Self.timestampKey, [timestamp])] }

    private static let timestampKey = "CMLogItem.timestamp"
}

extension NSCoder {
    /// Writes numbers with every bit of them.
    func encode(numbers: [Double], forKey key: String) {
        guard allowsKeyedCoding else { return }
        encode(words: numbers.map(\.bitPattern), forKey: key)
    }

    /// True when the archive has something of that name. Subclasses may override `encode(with:)` without calling it,
    /// and then there is nothing: no reason to refuse the object.
    func holdsNumbers(forKey key: String) -> Bool { allowsKeyedCoding && containsValue(forKey: key) }

    /// Reads `count` numbers, which never come up short; nil when the archive holds something else.
    func decodeNumbers(_ count: Int, forKey key: String) -> [Double]? {
        decodeWords(count, forKey: key)?.map(Double.init(bitPattern:))
    }
}
