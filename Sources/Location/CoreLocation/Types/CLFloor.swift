// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The floor of the building at a location. No position source on Linux reports a floor; traces and subclasses may.
/// Immutable and safe to use from any thread.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let storedLevel: Int

    /// Creates the ground floor.
    public override init() { storedLevel = 0 }

    /// Not public: on Apple's platforms, only the system creates floors, and apps that subclass this type declare their
    /// own `init(level:)` without `override`.
    init(storey: Int) { storedLevel = storey }

    /// Restores a floor. If the archive contains no floor, the result is the ground floor. Returns nil if the value is
    /// damaged.
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

    /// The level of the floor: 0 is the ground floor, negative numbers are below it. The number follows the numbering
    /// of the building, so it does not determine an altitude.
    open var level: Int { storedLevel }

    /// Returns the object itself, because floors are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true: floors support secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the floor into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [UInt64(bitPattern: Int64(level))], forKey: Self.levelKey)
    }

    /// A text with the level.
    open override var description: String { "<CLFloor level \(level)>" }

    private static let levelKey = "CLFloor.level"
}
