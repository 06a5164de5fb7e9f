// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import CoreLocation

@Suite("Beacon types")
struct BeaconTypeTests {
    let uuid = UUID()

    private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
    }

    @Test("BeaconUUID and Foundation's UUID have the same bits")
    func conversion() {
        #expect(BeaconUUID(uuid).description == uuid.uuidString)
        #expect(BeaconUUID(uuid).foundationUUID == uuid)
    }

    @Test("Constraints are equal if their values are equal, and archives and copies preserve them")
    func constraints() throws {
        let all = [
            CLBeaconIdentityConstraint(uuid: uuid), CLBeaconIdentityConstraint(uuid: uuid, major: 0),
            CLBeaconIdentityConstraint(uuid: uuid, major: 0, minor: 0),
            CLBeaconIdentityConstraint(uuid: uuid, major: 65535, minor: 65534),
            CLBeaconIdentityConstraint(uuid: UUID(), major: 65535, minor: 65534),
        ]
        #expect(Set(all).count == all.count)
        for constraint in all {
            #expect(try archived(constraint) == constraint)
            #expect(constraint.copy() as? CLBeaconIdentityConstraint == constraint)
        }
        #expect(all[0].major == nil && all[0].minor == nil)
        #expect(all[3].uuid == uuid && all[3].major == 65535 && all[3].minor == 65534)
        #expect(CLBeaconIdentityConstraint(uuid: uuid, major: 0) == all[1])
        #expect(CLBeaconIdentityConstraint(uuid: uuid, major: 0).hash == all[1].hash)
    }

    @Test("A constraint matches the beacons of its UUID, major and minor")
    func matching() {
        let beacon = BeaconIdentity(uuid: BeaconUUID(uuid), major: 1, minor: 2)
        #expect(CLBeaconIdentityConstraint(uuid: uuid).pattern.matches(beacon))
        #expect(CLBeaconIdentityConstraint(uuid: uuid, major: 1).pattern.matches(beacon))
        #expect(CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 2).pattern.matches(beacon))
        #expect(!CLBeaconIdentityConstraint(uuid: UUID()).pattern.matches(beacon))
        #expect(!CLBeaconIdentityConstraint(uuid: uuid, major: 2).pattern.matches(beacon))
        #expect(!CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 1).pattern.matches(beacon))
    }

    @Test("Regions are equal if their identifiers are equal, and archives and copies preserve them")
    func regions() throws {
        let region = CLBeaconRegion(uuid: uuid, major: 7, minor: 0, identifier: "door")
        region.notifyOnExit = false
        region.notifyEntryStateOnDisplay = true
        let copy = try #require(region.copy() as? CLBeaconRegion)
        #expect(copy !== region && copy.notifyOnEntry && !copy.notifyOnExit && copy.notifyEntryStateOnDisplay)
        for same in [copy, try #require(try archived(region))] {
            #expect(same == region)
            #expect(same.uuid == uuid && same.major == 7 && same.minor == 0)
            #expect(same.beaconIdentityConstraint == CLBeaconIdentityConstraint(uuid: uuid, major: 7, minor: 0))
            #expect(!same.notifyOnExit && same.notifyEntryStateOnDisplay)
        }
        #expect(CLBeaconRegion(uuid: UUID(), identifier: "door") == region)
        #expect(CLBeaconRegion(uuid: uuid, identifier: "a").major == nil)
        let constraint = CLBeaconIdentityConstraint(uuid: uuid, major: 9)
        #expect(
            CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "a").beaconIdentityConstraint == constraint
        )
    }

    @Test("An archive of another region decodes to no beacon region and to default values of other types")
    func foreignArchive() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        CLRegion().encode(with: archiver)
        let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(CLBeaconRegion(coder: coder) == nil)
        let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let constraint = try #require(CLBeaconIdentityConstraint(coder: coder))
        #expect(constraint.uuid == none && constraint.major == nil && constraint.minor == nil)
        let beacon = try #require(CLBeacon(coder: coder))
        #expect(beacon.uuid == none && beacon.proximity == .unknown && beacon.accuracy == -1 && beacon.rssi == 0)
    }

    @Test("The peripheral data of a region equals an iBeacon advertisement without its first four bytes")
    func advertisement() throws {
        let airLocate = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        let region = CLBeaconRegion(uuid: airLocate, major: 0x1234, minor: 0xfffe, identifier: "a")
        let bytes: [UInt8] = [
            0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2, 0xb0, 0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, 0xe0, 0x12, 0x34,
            0xff, 0xfe,
        ]
        let data = region.peripheralData(withMeasuredPower: nil)["kCBAdvDataAppleBeaconKey"]
        #expect(data as? Data == Data(bytes + [0xc5]))
        let other = region.peripheralData(withMeasuredPower: -70)["kCBAdvDataAppleBeaconKey"]
        #expect(other as? Data == Data(bytes + [0xba]))
    }

    @Test("Beacons are equal if their identities are equal, and archives preserve them")
    func beacons() throws {
        let identity = BeaconIdentity(uuid: BeaconUUID(uuid), major: 1, minor: 65535)
        let beacon = CLBeacon(
            CLBeacon.Values(identity: identity, proximity: .near, accuracy: 1.25, rssi: -67, timestamp: 700_000_000.5))
        let restored = try #require(try archived(beacon))
        #expect(restored == beacon && restored.hash == beacon.hash)
        #expect(restored.uuid == uuid && restored.major == 1 && restored.minor == 65535)
        #expect(restored.proximity == .near && restored.accuracy == 1.25 && restored.rssi == -67)
        #expect(restored.timestamp == beacon.timestamp)
        var values = CLBeacon.Values(identity: identity, timestamp: 0)
        #expect(CLBeacon(values) == beacon)
        values.identity.minor = 1
        #expect(CLBeacon(values) != beacon)
    }

    @Test("Tests can subclass CLBeacon")
    func subclass() {
        final class Fake: CLBeacon, @unchecked Sendable {
            override var proximity: CLProximity { .immediate }
            override var rssi: Int { -40 }
        }
        let beacon: CLBeacon = Fake()
        #expect(beacon.proximity == .immediate && beacon.rssi == -40 && beacon.accuracy == -1)
    }
}
