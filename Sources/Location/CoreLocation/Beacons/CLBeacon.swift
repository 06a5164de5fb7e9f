// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// A received beacon and its estimated distance. Two beacons are equal if their UUID, major and minor values are equal.
/// Immutable and safe to use from any thread. The class is open so that tests can override its properties. Archives
/// contain the original values, not the overridden ones.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }

    /// Creates a beacon whose proximity is unknown and whose UUID is all zeros. Intended for subclasses in tests.
    public override init() { values = .absent }

    /// Restores a beacon from an archive. Returns nil if the archived values are damaged. If the archive contains no
    /// beacon, the result is the same as with `init()`.
    public required init?(coder: NSCoder) {
        guard let values = Values.isAbsent(from: coder) ? .absent : Values(coder: coder) else { return nil }
        self.values = values
    }

    /// The UUID, which identifies the owner of the beacon.
    open var uuid: UUID { values.identity.uuid.foundationUUID }

    /// The former name of ``uuid``.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { uuid }
    /// The major value (0 ... 65535), which identifies a group of beacons.
    open var major: NSNumber { NSNumber(value: values.identity.major) }
    /// The minor value (0 ... 65535), which identifies the beacon within its group.
    open var minor: NSNumber { NSNumber(value: values.identity.minor) }

    /// The proximity class, derived from ``accuracy``: `immediate` up to 0.5 m, `near` up to 3 m, and `far` for larger
    /// distances. The class is `unknown` if the beacon has not been received for two seconds. A hysteresis of 20 % at
    /// both limits keeps the class from flipping back and forth. Apple does not document its own limits.
    open var proximity: CLProximity { values.proximity }

    /// The estimated distance in metres, or -1 if it is unknown. Indoors, the signal strength varies by 6 dB or more,
    /// and a change of 6 dB halves or doubles the estimate. Use this value to determine which beacon is nearer, not to
    /// measure distances.
    open var accuracy: CLLocationAccuracy { values.accuracy }
    /// The mean signal strength since the previous report, in dBm, or 0 if the beacon has not been received since that
    /// report.
    open var rssi: Int { values.rssi }
    /// The time at which the beacon was last received.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// Returns the object itself, because beacons are immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the beacon into a keyed archive.
    open func encode(with coder: NSCoder) { values.encode(with: coder) }

    /// Returns whether the other object is a beacon with the same identity.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLBeacon else { return false }
        return uuid == other.uuid && major == other.major && minor == other.minor
    }

    /// A hash of the identity.
    open override var hash: Int { ([uuid, major, minor] as [AnyHashable]).hashValue }

    /// A one-line, locale-independent description with the identity, proximity, distance and signal strength.
    open override var description: String {
        let distance = String(format: "%.2fm", accuracy)
        return
            "CLBeacon (uuid:\(uuid), major:\(major), minor:\(minor), proximity:\(proximity) +/- \(distance), rssi:\(rssi))"
    }

    /// The values of a beacon, with the same units and invalid values as the ``CLBeacon`` properties.
    struct Values: Sendable {
        var identity: BeaconIdentity
        var proximity = CLProximity.unknown
        var accuracy = -1.0
        var rssi = 0
        /// Seconds since 2001-01-01T00:00:00Z.
        var timestamp: TimeInterval

        /// The values of a beacon created with `init()`.
        static var absent: Self {
            Self(
                identity: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0),
                timestamp: Date().timeIntervalSinceReferenceDate)
        }
    }
}

/// The proximity class of a beacon. See ``CLBeacon/proximity`` for the exact distances.
public enum CLProximity: Int, Sendable {
    /// The proximity cannot be determined.
    case unknown = 0
    /// Up to 0.5 m away.
    case immediate = 1
    /// Up to 3 m away.
    case near = 2
    /// More than 3 m away.
    case far = 3
}

extension CLBeacon.Values {
    private static let archiveKey = "CLBeacon.values"

    static func isAbsent(from coder: NSCoder) -> Bool { coder.containsNone(of: [archiveKey]) }

    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(7, forKey: Self.archiveKey) else { return nil }
        identity = BeaconIdentity(
            uuid: BeaconUUID(high: words[0], low: words[1]), major: UInt16(truncatingIfNeeded: words[2] >> 16),
            minor: UInt16(truncatingIfNeeded: words[2]))
        proximity = Int(exactly: words[3]).flatMap(CLProximity.init) ?? .unknown
        accuracy = Double(bitPattern: words[4])
        rssi = Int(Int16(truncatingIfNeeded: words[5]))
        timestamp = Double(bitPattern: words[6])
    }

    /// The order of the words is part of the archive format.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(
            words: [
                identity.uuid.high, identity.uuid.low, UInt64(identity.major) << 16 | UInt64(identity.minor),
                UInt64(proximity.rawValue), accuracy.bitPattern, UInt64(bitPattern: Int64(rssi)), timestamp.bitPattern,
            ], forKey: Self.archiveKey)
    }
}
