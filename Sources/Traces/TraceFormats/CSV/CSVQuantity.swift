// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a column of a table can hold, as column maps name it.
enum CSVQuantity: String, Hashable, Sendable, CaseIterable {
    /// When the row was measured.
    case time
    /// Proper acceleration: +9.81 m/s² on the axis that points up.
    case accelX = "accel.x"
    case accelY = "accel.y"
    case accelZ = "accel.z"
    /// Angular rate, right-handed.
    case gyroX = "gyro.x"
    case gyroY = "gyro.y"
    case gyroZ = "gyro.z"
    /// The magnetic field.
    case magX = "mag.x"
    case magY = "mag.y"
    case magZ = "mag.z"
    case pressure
    /// Degrees north and east on WGS 84.
    case lat
    case lon
    /// Height above mean sea level, and above the ellipsoid.
    case altMSL = "alt.msl"
    case altHAE = "alt.hae"
    /// Over ground.
    case speed
    /// Clockwise from true north.
    case course
    /// Upwards.
    case climb
    /// Accuracies, whose meaning is kept: eph, epv, eps and epd of gpsd's reports.
    case horizontalAccuracy = "acc.h"
    case verticalAccuracy = "acc.v"
    case speedAccuracy = "acc.speed"
    case courseAccuracy = "acc.course"
    /// 0 and 1 no fix, 2 without altitude, 3 with it.
    case mode
    /// Satellites used.
    case sats
    case hdop
    case vdop
    case pdop

    /// The sensors with three axes.
    static let vectors: [[CSVQuantity]] = [
        [.accelX, .accelY, .accelZ], [.gyroX, .gyroY, .gyroZ], [.magX, .magY, .magZ],
    ]

    /// What it is measured in; nil for plain numbers.
    var dimension: CSVDimension? {
        switch self {
        case .time: .time
        case .accelX, .accelY, .accelZ: .acceleration
        case .gyroX, .gyroY, .gyroZ: .rate
        case .magX, .magY, .magZ: .field
        case .pressure: .pressure
        case .lat, .lon, .course, .courseAccuracy: .angle
        case .altMSL, .altHAE, .horizontalAccuracy, .verticalAccuracy: .length
        case .speed, .climb, .speedAccuracy: .speed
        case .mode, .sats, .hdop, .vdop, .pdop: nil
        }
    }

    /// True for what motion sensors measure.
    var isMotion: Bool {
        switch dimension {
        case .acceleration, .rate, .field, .pressure: true
        case .time, .angle, .length, .speed, nil: false
        }
    }

    /// What to write in place of a name that is none; empty when nothing comes near.
    static func hint(for name: String) -> String {
        switch name.lowercased() {
        case "alt", "altitude", "height", "ele", "elevation":
            "Write alt.msl for heights above mean sea level, or alt.hae for those above the ellipsoid. "
        case "latitude": "Write lat. "
        case "longitude", "long", "lng": "Write lon. "
        case "heading", "bearing", "track", "direction": "Write course. "
        case "accuracy", "eph", "hacc": "Write acc.h. "
        case "t", "timestamp": "Write time. "
        case "accel", "gyro", "mag", "ax", "gx", "mx": "Write accel.x, gyro.x, mag.x and the other two axes. "
        default: ""
        }
    }
}
