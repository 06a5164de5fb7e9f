// SPDX-License-Identifier: Apache-2.0

import BlueZSource
import DeviceCore
import Testing

@Suite("Beacon advertisements")
struct AdvertisementTests {
    /// The advertisement of Apple's sample app AirLocate: UUID E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major 0, minor 0,
    /// and -59 dBm at one metre.
    static let airLocate: [UInt8] = [
        0x02, 0x15, 0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2, 0xb0, 0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, 0xe0,
        0x00,
        0x00, 0x00, 0x00, 0xc5,
    ]

    @Test("An iBeacon advertisement is decoded")
    func iBeacon() {
        var bytes = Self.airLocate
        let first = BeaconAdvertisement(company: 0x004c, data: bytes)
        #expect(first?.identity.uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(first?.identity.major == 0)
        #expect(first?.identity.minor == 0)
        #expect(first?.measuredPower == -59)
        bytes.replaceSubrange(18..<23, with: [0x12, 0x34, 0xff, 0xfe, 0x7f])
        let second = BeaconAdvertisement(company: 0x004c, data: bytes)
        #expect(second?.identity.major == 0x1234)
        #expect(second?.identity.minor == 0xfffe)
        #expect(second?.measuredPower == 127)
    }

    @Test("An AltBeacon advertisement of any company is decoded")
    func altBeacon() {
        let bytes = [0xbe, 0xac] + Self.airLocate[2..<18] + [0x00, 0x01, 0x00, 0x02, 0xc5, 0x99]
        let beacon = BeaconAdvertisement(company: 0x0118, data: bytes)
        #expect(beacon?.identity.uuid.description == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(beacon?.identity.major == 1)
        #expect(beacon?.identity.minor == 2)
        #expect(beacon?.measuredPower == -59)
    }

    @Test("Advertisements of other companies, types and lengths are not beacons")
    func others() {
        let bytes = Self.airLocate
        #expect(BeaconAdvertisement(company: 0x004d, data: bytes) == nil)
        #expect(BeaconAdvertisement(company: 0x004c, data: [0x10, 0x05, 0x01, 0x18, 0x3d, 0xa0, 0x11]) == nil)
        #expect(BeaconAdvertisement(company: 0x004c, data: bytes + [0]) == nil)
        for count in 0..<bytes.count {
            #expect(BeaconAdvertisement(company: 0x004c, data: Array(bytes.prefix(count))) == nil)
        }
        for index in 0..<2 {
            var other = bytes
            other[index] ^= 1
            #expect(BeaconAdvertisement(company: 0x004c, data: other) == nil)
        }
    }
}
