// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
public import Foundation

/// A beacon that was heard, and how near it seems.
///
/// Two beacons are equal when their UUIDs, majors and minors are, wherever they were heard. Immutable; usable from any
/// thread. The class is open so that tests can override its properties; an archive holds the values that the object was
/// made with.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let values: Values

    init(_ values: Values) {
        self.values = values
    }

    /// Creates a beacon of no identity whose proximity is unknown, for subclasses in tests.
    public override init() { values = .none }

    /// Restores a beacon from an archive: a beacon without an identity if the archive has none of its keys, nil if its
    /// values cannot be decoded.
    public required init?(coder: NSCoder) {
        if Values.isAbsent(from: coder) {
            values = .none
            return
        }
        guard let values = Values(coder: coder) else { return nil }
        self.values = values
    }

    /// Whose beacon it is.
    open var uuid: UUID { values.identity.uuid.foundation }

    /// The former name of ``uuid``.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { uuid }

    /// Its group, 0 ... 65535.
    open var major: NSNumber { NSNumber(value: values.identity.major) }

    /// Which one of its group it is, 0 ... 65535.
    open var minor: NSNumber { NSNumber(value: values.identity.minor) }

    /// How near it is: immediate up to 0.5 m, near up to 3 m, far beyond; unknown when nothing was heard of it for two
    /// seconds.
    ///
    /// The distances are those of ``accuracy``; Apple does not say its own. A beacon leaves a class when it is 20 per cent
    /// beyond the border.
    open var proximity: CLProximity { values.proximity }

    /// About how far away it is, in metres; -1 when that is not known.
    ///
    /// Radio waves indoors rise and fall by 6 dB and more, which is half or twice the distance: use it to tell which of
    /// two beacons is nearer, and not as a distance.
    open var accuracy: CLLocationAccuracy { values.accuracy }

    /// How strongly it was received since the last report, in dBm, as a mean; 0 when nothing was heard of it in that time.
    open var rssi: Int { values.rssi }

    /// When it was heard last.
    open var timestamp: Date { Date(timeIntervalSinceReferenceDate: values.timestamp) }

    /// Returns the beacon itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: beacons can be archived securely.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the beacon into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        values.encode(with: coder)
    }

    /// Whether the other object is a beacon of the same identity.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLBeacon else { return false }
        return uuid == other.uuid && major == other.major && minor == other.minor
    }

    /// A hash of the identity.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(uuid)
        hasher.combine(major)
        hasher.combine(minor)
        return hasher.finalize()
    }

    /// Identity and nearness on one line; the same in every locale.
    open override var description: String {
        let distance = String(format: "%.2fm", accuracy)
        return
            "CLBeacon (uuid:\(uuid), major:\(major), minor:\(minor), proximity:\(proximity) +/- \(distance), rssi:\(rssi))"
    }
}

/// How near a beacon is. See ``CLBeacon/proximity`` for the distances.
public enum CLProximity: Int, Sendable {
    /// Not known.
    case unknown = 0

    /// Within touch.
    case immediate = 1

    /// A few metres away.
    case near = 2

    /// Farther than that.
    case far = 3
}

extension CLBeacon {
    /// All that a beacon knows. Units and invalid values are those of the properties of ``CLBeacon``.
    struct Values: Sendable {
        var identity: BeaconIdentity
        var proximity = CLProximity.unknown
        var accuracy = -1.0
        var rssi = 0
        /// Seconds since 2001-01-01T00:00:00Z.
        var timestamp: Double
    }
}

extension CLBeacon.Values {
    private static let archiveKey = "CLBeacon.values"

    /// A beacon without an identity and with unknown proximity.
    static var none: Self {
        Self(
            identity: BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0),
            timestamp: Date().timeIntervalSinceReferenceDate)
    }

    static func isAbsent(from coder: NSCoder) -> Bool { coder.holdsNone(of: [archiveKey]) }

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

    func encode(with coder: NSCoder) {
        coder.encode(
            words: [
                identity.uuid.high, identity.uuid.low, UInt64(identity.major) << 16 | UInt64(identity.minor),
                UInt64(proximity.rawValue), accuracy.bitPattern, UInt64(bitPattern: Int64(rssi)), timestamp.bitPattern,
            ], forKey: Self.archiveKey)
    }
}
