// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A constraint on the beacons to range: those with a UUID, and optionally with a major and a minor value. Two
/// constraints are equal if their values are equal. Immutable and safe to use from any thread.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let pattern: BeaconPattern

    /// Creates a constraint that all beacons with the UUID satisfy.
    public init(uuid: UUID) { pattern = BeaconPattern(uuid: BeaconUUID(uuid)) }

    /// Creates a constraint that all beacons with the UUID and the major value satisfy.
    public init(uuid: UUID, major: CLBeaconMajorValue) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major)
    }

    /// Creates a constraint on a single beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major, minor: minor)
    }

    init(_ pattern: BeaconPattern) { self.pattern = pattern }

    /// Restores a constraint. If the archive contains no constraint, the result has the all-zero UUID. Returns nil if
    /// the values are damaged.
    public required init?(coder: NSCoder) {
        if BeaconPattern.isAbsent(from: coder) {
            pattern = BeaconPattern(uuid: BeaconUUID(high: 0, low: 0))
            return
        }
        guard let pattern = BeaconPattern(coder: coder) else { return nil }
        self.pattern = pattern
    }

    /// The UUID of the beacons.
    open var uuid: UUID { pattern.uuid.foundationUUID }

    /// The major value of the beacons; nil matches any value.
    open var major: CLBeaconMajorValue? { pattern.major }

    /// The minor value of the beacons; nil matches any value.
    open var minor: CLBeaconMinorValue? { pattern.minor }

    /// Returns the object itself, because constraints are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true: constraints support secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the constraint into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        pattern.encode(with: coder)
    }

    /// Returns whether the other object is a constraint with the same values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.pattern == pattern
    }

    /// A hash of the values.
    open override var hash: Int { pattern.hashValue }

    /// A text with the values, independent of the locale.
    open override var description: String { "\(type(of: self)) (\(pattern))" }
}
