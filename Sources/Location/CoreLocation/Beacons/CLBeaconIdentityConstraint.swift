// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// Which beacons are to be ranged: those of a UUID, of a group of it, or a single one.
///
/// Two constraints are equal when their values are. Immutable; usable from any thread.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let pattern: BeaconPattern

    /// All beacons of a UUID.
    public init(uuid: UUID) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid))
    }

    /// The beacons of a group.
    public init(uuid: UUID, major: CLBeaconMajorValue) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major)
    }

    /// One beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major, minor: minor)
    }

    init(_ pattern: BeaconPattern) {
        self.pattern = pattern
    }

    /// Restores a constraint from an archive: one on the all-zero UUID if the archive has none of its keys, nil if its
    /// values cannot be decoded.
    public required init?(coder: NSCoder) {
        if BeaconPattern.isAbsent(from: coder) {
            pattern = BeaconPattern(uuid: BeaconUUID(high: 0, low: 0))
            return
        }
        guard let pattern = BeaconPattern(coder: coder) else { return nil }
        self.pattern = pattern
    }

    /// The UUID that the beacons have.
    open var uuid: UUID { pattern.uuid.foundation }

    /// The group that they are of; nil for any.
    open var major: CLBeaconMajorValue? { pattern.major }

    /// Which one of the group it is; nil for any.
    open var minor: CLBeaconMinorValue? { pattern.minor }

    /// Returns the constraint itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: constraints can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the constraint into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        pattern.encode(with: coder)
    }

    /// Whether the other object is a constraint on the same values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.pattern == pattern
    }

    /// A hash of the values.
    open override var hash: Int { pattern.hashValue }

    /// The values in words; the same in every locale.
    open override var description: String { "\(type(of: self)) (\(pattern))" }
}
