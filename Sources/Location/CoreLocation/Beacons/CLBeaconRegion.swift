// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A region defined by beacons: the device is inside while it receives a matching beacon. As with all regions, two
/// beacon regions are equal if their identifiers are equal.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
    let pattern: BeaconPattern

    /// Creates a region for the beacons that satisfy a constraint.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        pattern = beaconIdentityConstraint.pattern
        super.init(identifier: identifier, circle: nil)
    }

    /// Creates a region for all beacons with the UUID.
    public init(uuid: UUID, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid))
        super.init(identifier: identifier, circle: nil)
    }

    /// Creates a region for all beacons with the UUID and the major value.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major)
        super.init(identifier: identifier, circle: nil)
    }

    /// Creates a region for a single beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major, minor: minor)
        super.init(identifier: identifier, circle: nil)
    }

    /// Restores a region from an archive. If the archive contains no region, the result has the all-zero UUID. Returns
    /// nil if the archive contains a different kind of region, or if the values are damaged.
    public required init?(coder: NSCoder) {
        let pattern = BeaconPattern(coder: coder)
        guard pattern != nil || Self.isAbsent(from: coder) else { return nil }
        self.pattern = pattern ?? BeaconPattern(uuid: BeaconUUID(high: 0, low: 0))
        super.init(coder: coder)
    }

    /// The UUID of the beacons.
    open var uuid: UUID { pattern.uuid.foundationUUID }

    /// The major value of the beacons; nil matches any value.
    open var major: NSNumber? { pattern.major.map { NSNumber(value: $0) } }

    /// The minor value of the beacons; nil matches any value.
    open var minor: NSNumber? { pattern.minor.map { NSNumber(value: $0) } }

    /// The constraint that the beacons have to satisfy.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(pattern) }

    /// Whether the state is reported when the display is switched on. Stored without effect on Linux; the default is
    /// false.
    open var notifyEntryStateOnDisplay = false

    /// Returns the advertisement data with which this machine acts as a beacon of this region. Under
    /// `kCBAdvDataAppleBeaconKey`, it contains 21 bytes: the UUID, the major and minor values and the power, which
    /// follow `4c 00 02 15` in the manufacturer data of an iBeacon.
    ///
    /// Values that the region does not specify are 0. Linux has no Core Bluetooth; pass the bytes to the
    /// `LEAdvertisingManager1` interface of BlueZ.
    ///
    /// - Parameter measuredPower: The signal strength of this machine at a distance of one metre, in dBm. If nil, -59
    ///   is used.
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

    /// Encodes the region into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        guard coder.allowsKeyedCoding else { return }
        pattern.encode(with: coder)
    }

    /// The type, identifier and values on one line, independent of the locale.
    open override var description: String { "\(type(of: self)) (identifier:'\(identifier)', \(pattern))" }

    // MARK: Deprecated API

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
