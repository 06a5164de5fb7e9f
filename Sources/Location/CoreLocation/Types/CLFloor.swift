// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// A floor of a building. No position source on Linux reports floors. Immutable and thread-safe.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let storedLevel: Int

    /// Creates the ground floor.
    public override init() { storedLevel = 0 }

    /// Not public, because on Apple's platforms only the system creates floors. A subclass in an app can therefore
    /// declare its own `init(level:)` without `override`.
    init(level: Int) { storedLevel = level }

    /// Restores a floor from an archive. Returns nil if the archived value is damaged. If the archive contains no
    /// floor, the result is the ground floor.
    public required init?(coder: NSCoder) {
        if coder.containsNone(of: [Self.levelKey]) {
            storedLevel = 0
            return
        }
        guard let words = coder.decodeWords(1, forKey: Self.levelKey), let word = words.first,
            let level = Int(exactly: Int64(bitPattern: word))
        else { return nil }
        storedLevel = level
    }

    /// The level of the floor. The ground floor is 0, and floors below it are negative. The level follows the
    /// building's numbering, so it does not indicate an altitude.
    open var level: Int { storedLevel }

    /// Returns the object itself, because floors are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the floor into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [UInt64(bitPattern: Int64(level))], forKey: Self.levelKey)
    }

    /// A description of the level.
    open override var description: String { "<CLFloor level \(level)>" }

    private static let levelKey = "CLFloor.level"
}
