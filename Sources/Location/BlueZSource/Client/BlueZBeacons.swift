// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A beacon's advertisement, parsed from manufacturer-specific data.
package struct BeaconAdvertisement: Sendable, Hashable {
    package var identity: BeaconIdentity
    /// The signal strength at a distance of 1 m, in dBm.
    package var measuredPower: Int8

    /// Apple's Bluetooth company identifier.
    package static let apple: UInt16 = 0x004c

    /// Parses manufacturer-specific data without its company identifier. Returns nil if the data is not from a beacon.
    /// Supported formats:
    /// - iBeacon, only with Apple's company identifier: `02 15`, UUID, major and minor (big-endian), power.
    /// - AltBeacon, with any company identifier: `be ac`, a 20-byte ID that is divided in the same way as in an
    ///   iBeacon, power, and a byte reserved for the manufacturer. Source: the AltBeacon specification 1.0.
    package init?(company: UInt16, data: [UInt8]) {
        let isIBeacon = company == Self.apple && data.count == 23 && data[0] == 0x02 && data[1] == 0x15
        let isAltBeacon = data.count == 24 && data[0] == 0xbe && data[1] == 0xac
        guard isIBeacon || isAltBeacon, let uuid = BeaconUUID(bytes: data[2..<18]) else { return nil }
        identity = BeaconIdentity(
            uuid: uuid, major: UInt16(data[18]) << 8 | UInt16(data[19]), minor: UInt16(data[20]) << 8 | UInt16(data[21])
        )
        measuredPower = Int8(bitPattern: data[22])
    }
}

/// The beacons among the devices that BlueZ reports, each with its last signal strength.
struct BlueZBeacons {
    /// The maximum number of beacons. When it is reached, the least recently updated beacons are removed. A beacon that
    /// changes its address counts as a new device.
    static let maximumCount = 1024

    private struct Beacon {
        var advertisement: BeaconAdvertisement
        var rssi: Int8?
        var updateNumber: UInt64
    }

    private var beacons: [String: Beacon] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { beacons.count }

    /// Updates a beacon, or removes it if its manufacturer data no longer describes a beacon. Returns a sighting if
    /// `device` is a beacon and contains manufacturer data or a signal strength.
    mutating func update(_ device: BlueZObject.Device, at path: String, now: BootTime) -> BeaconSighting? {
        let previous = beacons[path]
        let advertisement = device.hasData ? device.advertisement : previous?.advertisement
        guard let advertisement else {
            beacons[path] = nil
            return nil
        }
        lastNumber &+= 1
        // If the signal strength has not changed, BlueZ omits it.
        let rssi = device.rssi ?? (device.hasLostRSSI ? nil : previous?.rssi)
        if previous == nil { evictIfFull() }
        beacons[path] = Beacon(advertisement: advertisement, rssi: rssi, updateNumber: lastNumber)
        guard device.rssi != nil || device.hasData else { return nil }
        return BeaconSighting(
            identity: advertisement.identity, rssi: rssi, measuredPower: advertisement.measuredPower, time: now)
    }

    private mutating func evictIfFull() {
        guard beacons.count >= Self.maximumCount else { return }
        // Removes about an eighth of the beacons at once, so that not every insertion has to search for the oldest one.
        let numbers = beacons.values.map(\.updateNumber).sorted()
        let limit = numbers[numbers.count / 8]
        beacons = beacons.filter { $0.value.updateNumber > limit }
    }

    mutating func remove(_ path: String) { beacons[path] = nil }

    mutating func removeAll() { beacons = [:] }
}
