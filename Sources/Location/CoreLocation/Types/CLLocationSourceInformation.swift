// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation

/// Indicates whether a location comes from software, an accessory or neither. Immutable and safe to use from any
/// thread.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let simulated: Bool
    private let accessory: Bool

    /// Creates source information in which both properties are false.
    public override init() {
        simulated = false
        accessory = false
    }

    /// Creates source information.
    /// - Parameters:
    ///   - isSoftware: Whether the location was simulated or played back by software.
    ///   - isAccessory: Whether the location was measured by an external receiver.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        simulated = isSoftware
        accessory = isAccessory
    }

    /// Restores source information from an archive. Returns nil if it is damaged. If the archive contains none, behaves
    /// like `init()`.
    public required init?(coder: NSCoder) {
        if coder.containsNone(of: [Self.flagsKey]) {
            simulated = false
            accessory = false
            return
        }
        guard let flags = coder.decodeWords(1, forKey: Self.flagsKey)?.first else { return nil }
        simulated = flags & 1 != 0
        accessory = flags & 2 != 0
    }

    /// Whether the location was simulated by software or played back from a trace.
    open var isSimulatedBySoftware: Bool { simulated }

    /// Whether the location was measured by an external receiver.
    open var isProducedByAccessory: Bool { accessory }

    /// Returns the object itself, because source information is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the source information into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        let flags: UInt64 = (isSimulatedBySoftware ? 1 : 0) | (isProducedByAccessory ? 2 : 0)
        coder.encode(words: [flags], forKey: Self.flagsKey)
    }

    /// A description of both properties.
    open override var description: String {
        "<CLLocationSourceInformation simulated by software: \(isSimulatedBySoftware), "
            + "produced by accessory: \(isProducedByAccessory)>"
    }

    private static let flagsKey = "CLLocationSourceInformation.flags"
}
