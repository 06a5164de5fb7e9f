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

/// The beacons among BlueZ's devices, and how strongly each was received last.
struct BlueZBeacons {
    /// More than this are not kept: the one that was heard longest ago makes way. Beacons that change their address become
    /// other devices each time.
    static let maximumCount = 1024

    private struct Beacon {
        var advertisement: BeaconAdvertisement
        var rssi: Int8?
        var number: UInt64
    }

    private var beacons: [String: Beacon] = [:]
    private var lastNumber: UInt64 = 0

    /// How many are kept.
    var count: Int { beacons.count }

    /// Takes what a message says of a device; the answer is a sighting when the message was about an advertisement of a
    /// beacon.
    mutating func take(_ device: BlueZObject.Device, at path: String, now: BootTime) -> BeaconSighting? {
        let former = beacons[path]
        let advertisement = device.hasData ? device.advertisement : former?.advertisement
        guard let advertisement else {
            beacons[path] = nil
            return nil
        }
        lastNumber &+= 1
        // BlueZ leaves out a strength that is the same as before.
        let rssi = device.rssi ?? (device.hasLostRSSI ? nil : former?.rssi)
        if former == nil { makeRoom() }
        beacons[path] = Beacon(advertisement: advertisement, rssi: rssi, number: lastNumber)
        guard device.rssi != nil || device.hasData else { return nil }
        return BeaconSighting(
            identity: advertisement.identity, rssi: rssi, measuredPower: advertisement.measuredPower, time: now)
    }

    private mutating func makeRoom() {
        guard beacons.count >= Self.maximumCount else { return }
        // Many at once, so that a flood does not look for the oldest each time.
        let numbers = beacons.values.map(\.number).sorted()
        let limit = numbers[numbers.count / 8]
        beacons = beacons.filter { $0.value.number > limit }
    }

    /// A device is gone.
    mutating func remove(_ path: String) { beacons[path] = nil }

    /// All are gone.
    mutating func removeAll() { beacons = [:] }
}
