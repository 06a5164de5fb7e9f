// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation

/// A region defined by beacons. The device is inside the region as long as it receives a matching beacon. Two beacon
/// regions are equal if their identifiers are equal.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {  // Like CLRegion, thread-safe.
    let pattern: BeaconPattern

    /// Creates a region for the beacons that satisfy a constraint.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        pattern = beaconIdentityConstraint.pattern
        super.init(identifier: identifier, circle: nil)
    }

    /// Creates a region for all beacons with the given UUID.
    public init(uuid: UUID, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid))
        super.init(identifier: identifier, circle: nil)
    }

    /// Creates a region for all beacons with the given UUID and major value.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major)
        super.init(identifier: identifier, circle: nil)
    }

    /// Creates a region for a single beacon.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        pattern = BeaconPattern(uuid: BeaconUUID(uuid), major: major, minor: minor)
        super.init(identifier: identifier, circle: nil)
    }

    /// Restores a region from an archive. Returns nil if the archived region is damaged or is not a beacon region. If
    /// the archive contains no region, the result is a region whose UUID is all zeros.
    public required init?(coder: NSCoder) {
        let pattern = BeaconPattern(coder: coder)
        guard pattern != nil || Self.isAbsent(from: coder) else { return nil }
        self.pattern = pattern ?? .absent
        super.init(coder: coder)
    }

    /// The UUID of the beacons.
    open var uuid: UUID { pattern.uuid.foundationUUID }
    /// The major value of the beacons, or nil to match any value.
    open var major: NSNumber? { pattern.major.map { NSNumber(value: $0) } }
    /// The minor value of the beacons, or nil to match any value.
    open var minor: NSNumber? { pattern.minor.map { NSNumber(value: $0) } }
    /// The constraint that the region's beacons satisfy.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(pattern) }

    /// Whether the app is notified when the user turns on the display while the device is inside the region. This
    /// property has no effect on Linux. The default is false.
    open var notifyEntryStateOnDisplay: Bool {
        get { notifiesOnDisplay }
        set { notifiesOnDisplay = newValue }
    }

    /// Returns advertisement data that lets this machine act as a beacon for the region.
    ///
    /// The value for `kCBAdvDataAppleBeaconKey` contains 21 bytes: the UUID, the major and minor values (0 if
    /// unspecified), and the measured power. In an iBeacon's manufacturer data, these bytes follow `4c 00 02 15`. Linux
    /// has no Core Bluetooth. To advertise, pass the bytes to BlueZ's `LEAdvertisingManager1` interface.
    /// - Parameter measuredPower: The strength of this machine's signal at a distance of one metre, in dBm. The default
    ///   is -59.
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
        let copy = CLBeaconRegion(beaconIdentityConstraint: CLBeaconIdentityConstraint(pattern), identifier: identifier)
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
        return copy
    }

    /// Encodes the region into a keyed archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        pattern.encode(with: coder)
    }

    /// A one-line, locale-independent description with the type, identifier and values.
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
