// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// Where a location comes from: a simulation, an accessory, or neither.
///
/// Immutable; usable from any thread.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let simulated: Bool
    private let accessory: Bool

    /// Creates source information that claims neither a simulation nor an accessory.
    public override init() {
        simulated = false
        accessory = false
    }

    /// Creates source information.
    /// - Parameters:
    ///   - isSoftware: Whether software made the location up, or played it back.
    ///   - isAccessory: Whether an external receiver measured the location.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        simulated = isSoftware
        accessory = isAccessory
    }

    /// Restores source information from an archive; nil when it is damaged there. It claims nothing when the archive holds
    /// none, as that of a subclass that overrides `encode(with:)` without calling super.
    public required init?(coder: NSCoder) {
        if coder.holdsNone(of: [Self.flagsKey]) {
            simulated = false
            accessory = false
            return
        }
        guard let flags = coder.decodeWords(1, forKey: Self.flagsKey)?.first else { return nil }
        simulated = flags & 1 != 0
        accessory = flags & 2 != 0
    }

    /// Whether software made the location up, or played it back from a trace.
    open var isSimulatedBySoftware: Bool { simulated }

    /// Whether an external receiver measured the location.
    open var isProducedByAccessory: Bool { accessory }

    /// Returns the object itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: source information can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the source information into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let flags: UInt64 = (isSimulatedBySoftware ? 1 : 0) | (isProducedByAccessory ? 2 : 0)
        coder.encode(words: [flags], forKey: Self.flagsKey)
    }

    /// Both properties in words.
    open override var description: String {
        "<CLLocationSourceInformation simulated by software: \(isSimulatedBySoftware), "
            + "produced by accessory: \(isProducedByAccessory)>"
    }

    private static let flagsKey = "CLLocationSourceInformation.flags"
}
