// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The members of one kind of object that are read, in the order in which gpsd writes them.
struct ReportKeys<Key: CaseIterable & RawRepresentable & Sendable>: Sendable where Key.RawValue == String {
    private var keys: JSONKeys
    /// The last is for all others.
    private let cases: [Key]

    init() {
        cases = Array(Key.allCases)
        keys = JSONKeys(cases.dropLast().map(\.rawValue))
    }

    /// An object begins.
    mutating func begin() { keys.begin() }

    /// The next key of the object, with the cursor before its value; nil, with the cursor behind the object, at its end.
    mutating func next(_ reader: inout JSONReader) throws(JSONError) -> Key? {
        guard let place = try keys.next(&reader) else { return nil }
        return cases[place]
    }

    /// The finite number behind the last key, or NaN. For those that mostly have as many digits as the time before.
    @inline(__always)
    mutating func quantity(_ reader: inout JSONReader) throws(JSONError) -> Double {
        let value = try keys.doubleIfPresent(&reader)
        return value.isFinite ? value : .nan
    }
}

/// The members of a TPV. The earth-centred ones are here to be passed over quickly.
enum PositionKey: String, CaseIterable, Sendable {
    case kind = "class"
    case device, status, mode, time, leapseconds, ept, lat, lon, altHAE, altMSL, alt, epx, epy, epv
    case track, magtrack, magvar, speed, climb, epd, eps, epc
    case ecefx, ecefy, ecefz, ecefvx, ecefvy, ecefvz, ecefpAcc, ecefvAcc
    case velN, velE, velD, geoidSep, depth, dgpsAge, dgpsSta, eph, sep
    case other
}

/// The members of a SKY.
enum SkyKey: String, CaseIterable, Sendable {
    case kind = "class"
    case device, time, xdop, ydop, vdop, tdop, hdop, gdop, pdop, nSat, uSat, satellites
    case other
}

/// The members of a satellite in a SKY.
enum SatelliteKey: String, CaseIterable, Sendable {
    case number = "PRN"
    case el, az, ss, used, gnssid, svid, sigid, freqid, health
    case other
}

/// The members of an ATT.
enum AttitudeKey: String, CaseIterable, Sendable {
    case kind = "class"
    case device, time, heading, mheading, pitch, roll, yaw, dip, rot
    case magneticX = "mag_x"
    case magneticY = "mag_y"
    case magneticZ = "mag_z"
    case accelerationX = "acc_x"
    case accelerationY = "acc_y"
    case accelerationZ = "acc_z"
    case rotationX = "gyro_x"
    case rotationY = "gyro_y"
    case rotationZ = "gyro_z"
    case other
}
