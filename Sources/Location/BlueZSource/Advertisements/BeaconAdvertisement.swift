// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A beacon's advertisement: what its manufacturer's data holds.
public struct BeaconAdvertisement: Sendable, Hashable {
    /// Which beacon it is.
    public var identity: BeaconIdentity
    /// How strongly it is received at one metre, in dBm.
    public var measuredPower: Int8

    /// The number of Apple among the companies of Bluetooth.
    public static let apple: UInt16 = 0x004c

    /// Reads the manufacturer's data of a company, without the number of the company before it; nil for what is no beacon.
    ///
    /// - iBeacon, of Apple only: `02 15`, UUID, major and minor (big endian), power.
    /// - AltBeacon, of any company: `be ac`, an id of 20 bytes that is divided as in an iBeacon, power, a byte of the
    ///   company's own. Source: the AltBeacon specification 1.0.
    public init?(company: UInt16, data: [UInt8]) {
        let isApples = company == Self.apple && data.count == 23 && data[0] == 0x02 && data[1] == 0x15
        let isAltBeacon = data.count == 24 && data[0] == 0xbe && data[1] == 0xac
        guard isApples || isAltBeacon, let uuid = BeaconUUID(bytes: data[2..<18]) else { return nil }
        identity = BeaconIdentity(
            uuid: uuid, major: UInt16(data[18]) << 8 | UInt16(data[19]), minor: UInt16(data[20]) << 8 | UInt16(data[21])
        )
        measuredPower = Int8(bitPattern: data[22])
    }
}
