// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// The surroundings of beacons as a region: the device is inside while it hears one of them.
///
/// As with all regions, two are equal when their identifiers are.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
    let pattern: BeaconPattern

    /// A region of the beacons that satisfy the constraint.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        pattern = beaconIdentityConstraint.pattern
        super.init(identifier: identifier, circle: nil)
    }

    /// A region of all beacons of a UUID.
    public init(uuid: UUID, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid))
        super.init(identifier: identifier, circle: nil)
    }

    /// A region of the beacons of a group.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major)
        super.init(identifier: identifier, circle: nil)
    }

    /// A region of one beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major, minor: minor)
        super.init(identifier: identifier, circle: nil)
    }

    /// Restores a region from an archive: one of the UUID of zeros when the archive holds nothing of a region, nil when
    /// it holds another region or what cannot be.
    public required init?(coder: NSCoder) {
        let pattern = BeaconPattern(coder: coder)
        guard pattern != nil || Self.isAbsent(from: coder) else { return nil }
        self.pattern = pattern ?? BeaconPattern(uuid: BeaconUUID(high: 0, low: 0))
        super.init(coder: coder)
    }

    /// The UUID that the beacons have.
    open var uuid: UUID { pattern.uuid.foundation }

    /// The group that they are of; nil for any.
    open var major: NSNumber? { pattern.major.map { NSNumber(value: $0) } }

    /// Which one of the group it is; nil for any.
    open var minor: NSNumber? { pattern.minor.map { NSNumber(value: $0) } }

    /// What the beacons have to satisfy.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(pattern) }

    /// Whether the state is told when the display is switched on. False at first.
    ///
    /// Kept, without an effect on Linux: nothing tells of displays there.
    open var notifyEntryStateOnDisplay = false

    /// What this machine would have to advertise to be such a beacon: under `kCBAdvDataAppleBeaconKey` the 21 bytes of
    /// UUID, major, minor and power that follow `4c 00 02 15` in the manufacturer's data of an iBeacon.
    ///
    /// A value that the region leaves open becomes 0. Linux has no Core Bluetooth; hand the bytes to BlueZ's
    /// `LEAdvertisingManager1`.
    ///
    /// - Parameter measuredPower: How strongly the machine is received at a distance of one metre, in dBm; nil for -59.
    open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
        let power = Int8(clamping: measuredPower?.intValue ?? -59)
        var bytes = pattern.uuid.bytes
        for value in [pattern.major ?? 0, pattern.minor ?? 0] {
            bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
        }
        bytes.append(UInt8(bitPattern: power))
        return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": Data(bytes)])
    }

    /// Returns a new region with the same values.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLBeaconRegion(
            beaconIdentityConstraint: CLBeaconIdentityConstraint(pattern), identifier: identifier)
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
        return copy
    }

    /// Writes the region into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        guard coder.allowsKeyedCoding else { return }
        pattern.encode(with: coder)
    }

    /// Type, identifier and values on one line; the same in every locale.
    open override var description: String { "\(type(of: self)) (identifier:'\(identifier)', \(pattern))" }

    // MARK: Former API

    /// The former name of `init(uuid:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:identifier:)")
    public convenience init(proximityUUID: UUID, identifier: String) {
        self.init(uuid: proximityUUID, identifier: identifier)
    }

    /// The former name of `init(uuid:major:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
    public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.init(uuid: proximityUUID, major: major, identifier: identifier)
    }

    /// The former name of `init(uuid:major:minor:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:major:minor:identifier:)")
    public convenience init(
        proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
    ) {
        self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
    }

    /// The former name of ``uuid``.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { uuid }
}
