// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// The known members of one type of JSON object, in the order gpsd writes them.
struct ReportKeys<Key: CaseIterable & RawRepresentable & Sendable>: Sendable where Key.RawValue == String {
    private var keys: JSONKeys
    /// All cases of `Key`. The last case represents unknown members.
    private let cases: [Key]

    init() {
        cases = Array(Key.allCases)
        keys = JSONKeys(cases.dropLast().map(\.rawValue))
    }

    /// Resets the prediction of the next key. Call this method at the start of each object.
    mutating func beginObject() { keys.beginObject() }

    mutating func next(_ reader: inout JSONReader) throws(JSONError) -> Key? {
        guard let index = try keys.next(&reader) else { return nil }
        return cases[index]
    }

    /// Reads a number. Returns NaN if the value is not a finite number. Parsing is fastest if a key's values always
    /// have the same number of digits.
    @inline(__always) mutating func quantity(_ reader: inout JSONReader) throws(JSONError) -> Double {
        let value = try keys.doubleIfPresent(&reader)
        return value.isFinite ? value : .nan
    }
}

/// The members of a TPV object. The ECEF members are included so that they can be skipped quickly.
enum PositionKey: String, CaseIterable, Sendable {
    case kind = "class"
    case device, status, mode, time, leapseconds, ept, lat, lon, altHAE, altMSL, alt, epx, epy, epv
    case track, magtrack, magvar, speed, climb, epd, eps, epc
    case ecefx, ecefy, ecefz, ecefvx, ecefvy, ecefvz, ecefpAcc, ecefvAcc
    case velN, velE, velD, geoidSep, depth, dgpsAge, dgpsSta, eph, sep
    case other
}

enum SkyKey: String, CaseIterable, Sendable {
    case kind = "class"
    case device, time, xdop, ydop, vdop, tdop, hdop, gdop, pdop, nSat, uSat, satellites
    case other
}

enum SatelliteKey: String, CaseIterable, Sendable {
    case number = "PRN"
    case el, az, ss, used, gnssid, svid, sigid, freqid, health
    case other
}

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
