// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Replaces beacon identities with numbers, because a beacon's identity can reveal its location. The same value is
/// always replaced with the same number.
struct BeaconAnonymizer: Sendable {
    /// The maximum number of UUIDs, which limits the memory that a malicious trace can use. Beacons with any other UUID
    /// are omitted.
    private static let maximumUUIDs = 1024
    private var uuids: [BeaconUUID: UInt64] = [:]
    private var majors: [UInt16: UInt16] = [:]
    private var minors: [UInt16: UInt16] = [:]

    /// Returns the sighting with its UUID, major and minor values replaced by consecutive numbers. Each new value
    /// receives the next number, starting at 1. Returns nil for a new UUID if the maximum number of UUIDs has been
    /// reached.
    mutating func scrubbed(_ sighting: BeaconSighting) -> BeaconSighting? {
        let identity = sighting.identity
        if uuids[identity.uuid] == nil {
            guard uuids.count < Self.maximumUUIDs else { return nil }
            uuids[identity.uuid] = UInt64(uuids.count) + 1
        }
        var scrubbed = sighting
        scrubbed.identity = BeaconIdentity(
            uuid: BeaconUUID(high: 0, low: uuids[identity.uuid] ?? 0), major: Self.number(identity.major, &majors),
            minor: Self.number(identity.minor, &minors))
        return scrubbed
    }

    private static func number(_ value: UInt16, _ numbers: inout [UInt16: UInt16]) -> UInt16 {
        // If all 65,536 values occur, the numbers wrap around and the last value becomes 0.
        let number = numbers[value] ?? UInt16(truncatingIfNeeded: numbers.count + 1)
        numbers[value] = number
        return number
    }
}
