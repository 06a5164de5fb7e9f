// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A constraint that selects beacons by UUID, and optionally by major and minor value. Two constraints are equal if
/// their values are equal. Immutable and safe to use from any thread.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let pattern: BeaconPattern

    /// Creates a constraint for all beacons with the given UUID.
    public init(uuid: UUID) { pattern = BeaconPattern(uuid: BeaconUUID(uuid)) }

    /// Creates a constraint for all beacons with the given UUID and major value.
    public init(uuid: UUID, major: CLBeaconMajorValue) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major)
    }

    /// Creates a constraint for a single beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major, minor: minor)
    }

    init(_ pattern: BeaconPattern) { self.pattern = pattern }

    /// Restores a constraint from an archive. Returns nil if the archived values are damaged. If the archive contains
    /// no constraint, the result is a constraint whose UUID is all zeros.
    public required init?(coder: NSCoder) {
        guard let pattern = BeaconPattern.isAbsent(from: coder) ? .absent : BeaconPattern(coder: coder)
        else { return nil }
        self.pattern = pattern
    }

    /// The UUID of the beacons.
    open var uuid: UUID { pattern.uuid.foundationUUID }
    /// The major value of the beacons, or nil to match any value.
    open var major: CLBeaconMajorValue? { pattern.major }
    /// The minor value of the beacons, or nil to match any value.
    open var minor: CLBeaconMinorValue? { pattern.minor }

    /// Returns the object itself, because constraints are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the constraint into a keyed archive.
    open func encode(with coder: NSCoder) { pattern.encode(with: coder) }

    /// Returns whether the other object is a constraint with the same values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.pattern == pattern
    }

    /// A hash of the values.
    open override var hash: Int { pattern.hashValue }
    /// A locale-independent description with the type and the values.
    open override var description: String { "\(type(of: self)) (\(pattern))" }
}
