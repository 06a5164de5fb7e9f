// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A quantity that a table column can contain. The raw value is its name in column maps.
enum CSVQuantity: String, Hashable, Sendable, CaseIterable {
    case time
    /// The date of a row, for tables that give only the time of day.
    case date
    /// The time of the fix, for tables whose rows repeat the last fix.
    case fixTime = "fix.time"
    /// Proper acceleration in m/s²: +9.81 on the axis that points up.
    case accelX = "accel.x"
    case accelY = "accel.y"
    case accelZ = "accel.z"
    /// Angular rate in rad/s, right-handed.
    case gyroX = "gyro.x"
    case gyroY = "gyro.y"
    case gyroZ = "gyro.z"
    /// The magnetic field in gauss.
    case magX = "mag.x"
    case magY = "mag.y"
    case magZ = "mag.z"
    case pressure
    /// The coordinates in degrees on WGS 84, positive to the north and east.
    case lat
    case lon
    /// The hemispheres of unsigned coordinates: N or S, E or W.
    case latitudeDirection = "lat.dir"
    case longitudeDirection = "lon.dir"
    /// The altitude above mean sea level and the height above the ellipsoid, in metres.
    case altMSL = "alt.msl"
    case altHAE = "alt.hae"
    /// The speed over ground in m/s.
    case speed
    /// The course over ground in degrees, clockwise from true north.
    case course
    /// The climb rate in m/s, positive upwards.
    case climb
    /// The estimated errors. Their confidence level depends on the source. They are stored as gpsd's `eph`, `epv`,
    /// `eps` and `epd`.
    case horizontalAccuracy = "acc.h"
    case verticalAccuracy = "acc.v"
    case speedAccuracy = "acc.speed"
    case courseAccuracy = "acc.course"
    /// The fix mode: 0 and 1 mean no fix, 2 a fix without an altitude, 3 a fix with an altitude.
    case mode
    case sats
    case hdop
    case vdop
    case pdop

    var dimension: CSVDimension? {
        switch self {
        case .time, .fixTime: .time
        case .date: .date
        case .accelX, .accelY, .accelZ: .acceleration
        case .gyroX, .gyroY, .gyroZ: .rate
        case .magX, .magY, .magZ: .field
        case .pressure: .pressure
        case .lat, .lon, .course, .courseAccuracy: .angle
        case .altMSL, .altHAE, .horizontalAccuracy, .verticalAccuracy: .length
        case .speed, .climb, .speedAccuracy: .speed
        case .latitudeDirection, .longitudeDirection, .mode, .sats, .hdop, .vdop, .pdop: nil
        }
    }

    var isMotion: Bool {
        switch dimension {
        case .acceleration, .rate, .field, .pressure: true
        case .time, .date, .angle, .length, .speed, nil: false
        }
    }

    /// Returns the part of the error message for an unknown name that suggests the intended quantity, or an empty
    /// string if there is no suggestion.
    static func hint(for name: String) -> String {
        switch name.lowercased() {
        case "alt", "altitude", "height", "ele", "elevation":
            "Write alt.msl for heights above mean sea level, or alt.hae for those above the ellipsoid. "
        case "latitude": "Write lat. "
        case "longitude", "long", "lng": "Write lon. "
        case "heading", "bearing", "track", "direction": "Write course. "
        case "accuracy", "eph", "hacc": "Write acc.h. "
        case "t", "timestamp": "Write time. "
        case "day": "Write date. "
        case "fixtime", "gpstime", "gps.time": "Write fix.time. "
        case "hemisphere", "ns", "n/s", "latdir": "Write lat.dir or lon.dir. "
        case "ew", "e/w", "londir": "Write lon.dir. "
        case "accel", "gyro", "mag", "ax", "gx", "mx": "Write accel.x, gyro.x, mag.x and the other two axes. "
        default:
            NameSuggestion.closest(to: name, among: allCases.map(\.rawValue)).map { "Did you mean '\($0)'? " } ?? ""
        }
    }

    static let ofPositions: [CSVQuantity] = [
        .altMSL, .altHAE, .speed, .course, .climb, .horizontalAccuracy, .verticalAccuracy, .speedAccuracy,
        .courseAccuracy,
    ]
}

enum CSVDimension: Hashable, Sendable {
    case time, date, acceleration, rate, field, pressure, angle, length, speed

    /// The supported units, beginning with the default. A value is converted by multiplying it by the unit's factor and
    /// then dividing it by the unit's divisor. For most units, either the factor or the divisor is 1, which avoids a
    /// second rounding error.
    var units: [CSVUnit] {
        switch self {
        case .time:
            // Times are scaled by powers of ten, so no digits are lost.
            [
                CSVUnit("s", power: 9), CSVUnit("ms", power: 6), CSVUnit("us", power: 3), CSVUnit("ns", power: 0),
                CSVUnit("iso"),
            ]
        case .date: [CSVUnit("ymd"), CSVUnit("dmy"), CSVUnit("mdy")]
        case .acceleration:
            [CSVUnit("m/s^2"), CSVUnit("g", 9.80665), CSVUnit("mg", 9.80665, 1000), CSVUnit("cm/s^2", 1, 100)]
        case .rate:
            [CSVUnit("rad/s"), CSVUnit("deg/s", .pi, 180), CSVUnit("mdeg/s", .pi, 180_000), CSVUnit("mrad/s", 1, 1000)]
        case .field:
            [
                CSVUnit("uT", 1, 100), CSVUnit("nT", 1, 100_000), CSVUnit("mT", 10), CSVUnit("T", 10_000), CSVUnit("G"),
                CSVUnit("mG", 1, 1000),
            ]
        case .pressure:
            // The factors for inches and millimetres of mercury are from the BIPM's SI Brochure, 8th edition, table 8.
            [
                CSVUnit("kPa"), CSVUnit("hPa", 1, 10), CSVUnit("mbar", 1, 10), CSVUnit("Pa", 1, 1000),
                CSVUnit("mmHg", 0.133_322), CSVUnit("inHg", 3.386_389),
            ]
        case .angle: [CSVUnit("deg"), CSVUnit("rad", 180, .pi), CSVUnit("e7", 1, 1e7), CSVUnit("e5", 1, 1e5)]
        case .length:
            [CSVUnit("m"), CSVUnit("cm", 1, 100), CSVUnit("mm", 1, 1000), CSVUnit("km", 1000), CSVUnit("ft", 0.3048)]
        case .speed:
            // A knot is 1852 m/h, and a mile per hour is 1609.344 m/h.
            [
                CSVUnit("m/s"), CSVUnit("km/h", 1, 3.6), CSVUnit("kn", 1852, 3600), CSVUnit("mph", 0.44704),
                CSVUnit("cm/s", 1, 100), CSVUnit("mm/s", 1, 1000), CSVUnit("ft/s", 0.3048),
            ]
        }
    }

    var unitNames: String { units.map(\.name).joined(separator: ", ") }
}

struct CSVUnit: Hashable, Sendable {
    let name: String
    private let factor: Double
    private let divisor: Double
    /// The exponent of the power of ten that converts this time unit to nanoseconds, for example 9 for seconds. nil if
    /// this is a text format or not a unit of time.
    let power: Int?
    var isNegated = false

    init(_ name: String, _ factor: Double = 1, _ divisor: Double = 1, power: Int? = nil) {
        (self.name, self.factor, self.divisor, self.power) = (name, factor, divisor, power)
    }

    func value(_ number: Double) -> Double {
        let value = number * factor / divisor
        // Subtraction from 0, unlike negation, never yields negative zero.
        return isNegated ? 0 - value : value
    }

    /// Returns true if a name denotes this unit. Names are case-sensitive, because `T` differs from `t`.
    func matches(name text: String) -> Bool {
        switch text {
        case "\u{b5}T", "\u{3bc}T": name == "uT"
        case "\u{b5}s", "\u{3bc}s": name == "us"
        case "m/s2", "m/s\u{b2}", "m/s/s": name == "m/s^2"
        case "\u{b0}": name == "deg"
        case "\u{b0}/s", "dps": name == "deg/s"
        case "kmh", "kph": name == "km/h"
        case "knots", "kt": name == "kn"
        case "gauss": name == "G"
        default: name == text
        }
    }
}

extension PositionReport {
    var hasValidCoordinates: Bool { latitude.magnitude <= 90 && longitude.magnitude <= 180 }

    /// Sets a quantity to a value from a table. NaN means unknown. Negative speeds, courses and accuracies are replaced
    /// with NaN, because some programs use negative numbers for unknown values.
    mutating func set(_ quantity: CSVQuantity, _ value: Double) {
        let known = value >= 0 ? value : .nan
        switch quantity {
        case .altMSL: altitudeMSL = value
        case .altHAE: altitudeHAE = value
        case .speed: speed = known
        case .course: track = known <= 360 ? known : .nan
        case .climb: climb = value
        case .horizontalAccuracy: horizontalError = known
        case .verticalAccuracy: verticalError = known
        case .speedAccuracy: speedError = known
        case .courseAccuracy: trackError = known
        default: break
        }
    }

    /// Derives the geoid separation and the fix mode from the altitudes.
    mutating func setMode() {
        geoidSeparation = altitudeHAE - altitudeMSL
        mode = altitudeHAE.isNaN && altitudeMSL.isNaN ? .twoDimensional : .threeDimensional
    }

    var coordinates: String {
        let (latitude, longitude) = ((latitude * 1e7).rounded() / 1e7, (longitude * 1e7).rounded() / 1e7)
        return "\(latitude), \(longitude)"
    }
}
