// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// The storey of a building that a location lies on.
///
/// No position source for Linux tells the storey; traces and subclasses may. Immutable; usable from any thread.
open class CLFloor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let storedLevel: Int

    /// Creates the ground floor.
    public override init() {
        storedLevel = 0
    }

    /// Not public: on Apple's platforms only the system makes floors, and programs that subclass this type declare
    /// `init(level:)` themselves, without `override`.
    init(storey: Int) {
        storedLevel = storey
    }

    /// Restores a floor from an archive; nil when it is damaged there. The ground floor when the archive holds none, as
    /// that of a subclass that overrides `encode(with:)` without calling super.
    public required init?(coder: NSCoder) {
        if coder.holdsNone(of: [Self.levelKey]) {
            storedLevel = 0
            return
        }
        guard let words = coder.decodeWords(1, forKey: Self.levelKey), let word = words.first,
            let level = Int(exactly: Int64(bitPattern: word))
        else { return nil }
        storedLevel = level
    }

    /// The storey: 0 is the ground floor, negative numbers are below it.
    ///
    /// It is the number that people in the building use, so it does not tell a height.
    open var level: Int { storedLevel }

    /// Returns the floor itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: floors can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the floor into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(words: [UInt64(bitPattern: Int64(level))], forKey: Self.levelKey)
    }

    /// The storey in words.
    open override var description: String { "<CLFloor level \(level)>" }

    private static let levelKey = "CLFloor.level"
}
