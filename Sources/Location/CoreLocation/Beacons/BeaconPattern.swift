// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Foundation

/// Matches beacons by UUID, major value and minor value. If the major or minor value is nil, any value matches.
struct BeaconPattern: Hashable, Sendable, CustomStringConvertible {
    var uuid: BeaconUUID
    var major: UInt16?
    var minor: UInt16?

    /// The pattern of a beacon, region or constraint created without a UUID. The pattern's UUID is all zeros.
    static let absent = BeaconPattern(uuid: BeaconUUID(high: 0, low: 0))

    func matches(_ identity: BeaconIdentity) -> Bool {
        identity.uuid == uuid && major.map { $0 == identity.major } ?? true
            && minor.map { $0 == identity.minor } ?? true
    }

    var description: String {
        func text(_ value: UInt16?) -> String { value.map { String($0) } ?? "any" }
        return "uuid:\(uuid), major:\(text(major)), minor:\(text(minor))"
    }
}

extension BeaconPattern {
    private static let archiveKey = "CLBeacon.pattern"

    static func isAbsent(from coder: NSCoder) -> Bool { coder.containsNone(of: [archiveKey]) }

    init?(coder: NSCoder) {
        guard let words = coder.decodeWords(3, forKey: Self.archiveKey) else { return nil }
        uuid = BeaconUUID(high: words[0], low: words[1])
        major = words[2] >> 33 & 1 == 1 ? UInt16(truncatingIfNeeded: words[2] >> 16) : nil
        minor = words[2] >> 32 & 1 == 1 ? UInt16(truncatingIfNeeded: words[2]) : nil
    }

    /// The last word contains the minor value in bits 0 ... 15 and the major value in bits 16 ... 31. Bit 32 is set if
    /// the minor value is not nil, and bit 33 if the major value is not nil.
    func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        var numbers: UInt64 = 0
        if let major { numbers |= 1 << 33 | UInt64(major) << 16 }
        if let minor { numbers |= 1 << 32 | UInt64(minor) }
        coder.encode(words: [uuid.high, uuid.low, numbers], forKey: Self.archiveKey)
    }
}

extension BeaconUUID {
    init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { bytes in
            BeaconUUID(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    var foundationUUID: UUID { UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }) }
}
