// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Beacons under other names: their own tell whose house it is. What was the same stays the same.
struct ScrubbedBeacons: Sendable {
    /// More owners than this are a hostile trace's, and their beacons are left out.
    private static let maximumOwners = 1024

    private var owners: [BeaconUUID: UInt64] = [:]
    private var majors: [UInt16: UInt16] = [:]
    private var minors: [UInt16: UInt16] = [:]

    /// The sighting with numbers in the order in which they appear, from 1.
    mutating func scrubbed(_ sighting: BeaconSighting) -> BeaconSighting? {
        let identity = sighting.identity
        if owners[identity.uuid] == nil {
            guard owners.count < Self.maximumOwners else { return nil }
            owners[identity.uuid] = UInt64(owners.count) + 1
        }
        var scrubbed = sighting
        scrubbed.identity = BeaconIdentity(
            uuid: BeaconUUID(high: 0, low: owners[identity.uuid] ?? 0), major: Self.number(identity.major, &majors),
            minor: Self.number(identity.minor, &minors))
        return scrubbed
    }

    private static func number(_ value: UInt16, _ numbers: inout [UInt16: UInt16]) -> UInt16 {
        // With all 65,536 of them the last is 0.
        let new = UInt16(truncatingIfNeeded: numbers.count + 1)
        return numbers[value]
            ?? {
                numbers[value] = new
                return new
            }()
    }
}
