// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A point of a GPX file. NaN and -1 stand for what it does not say.
struct GPXPoint {
    /// What `fix` says.
    enum Fix {
        case unknown, none, twoDimensional, threeDimensional, differential, military
    }

    /// Degrees north.
    var latitude = Double.nan
    /// Degrees east.
    var longitude = Double.nan
    /// Metres above mean sea level.
    var elevation = Double.nan
    /// Nanoseconds since 1970.
    var time: Int64?
    /// True when there is a time that cannot be read.
    var hasBadTime = false
    /// True when the time names no zone.
    var lacksZone = false
    /// Metres per second.
    var speed = Double.nan
    /// Degrees from true north.
    var course = Double.nan
    /// Degrees, 0 to 360, east positive.
    var variation = Double.nan
    /// Metres from the ellipsoid up to mean sea level.
    var geoidHeight = Double.nan
    var fix = Fix.unknown
    var satellites: Int32 = -1
    var hdop = Double.nan
    var vdop = Double.nan
    var pdop = Double.nan
    /// Seconds since the last differential correction.
    var correctionAge = Double.nan
    var correctionStation: Int32 = -1
    /// Metres, from extensions of several programs.
    var horizontalAccuracy = Double.nan
    var verticalAccuracy = Double.nan
    /// Metres per second, and degrees.
    var speedAccuracy = Double.nan
    var courseAccuracy = Double.nan

    /// True when there are coordinates in range.
    var isPlace: Bool { latitude.magnitude <= 90 && longitude.magnitude <= 180 }

    /// The same as gpsd's report, without a time.
    var report: PositionReport {
        var report = PositionReport()
        report.latitude = latitude
        report.longitude = longitude
        report.altitudeMSL = elevation
        report.geoidSeparation = geoidHeight
        // NaN when either is not known.
        report.altitudeHAE = elevation + geoidHeight
        report.speed = speed >= 0 ? speed : .nan
        report.track = course >= 0 && course <= 360 ? course : .nan
        report.magneticVariation = variation > 180 ? variation - 360 : variation
        report.correctionAge = correctionAge
        report.correctionStation = correctionStation
        report.horizontalError = horizontalAccuracy
        report.verticalError = verticalAccuracy
        report.speedError = speedAccuracy
        report.trackError = courseAccuracy
        switch fix {
        case .none: report.mode = .none
        case .twoDimensional: report.mode = .twoDimensional
        case .threeDimensional: report.mode = .threeDimensional
        case .unknown, .differential, .military:
            report.mode = elevation.isNaN ? .twoDimensional : .threeDimensional
            if fix == .differential { report.status = 2 }
            if fix == .military { report.status = 9 }
        }
        return report
    }

    /// What it says of the sky; nil when that is nothing.
    var sky: SkyReport? {
        guard satellites >= 0 || !hdop.isNaN || !vdop.isNaN || !pdop.isNaN else { return nil }
        var sky = SkyReport()
        sky.usedCount = satellites
        (sky.hdop, sky.vdop, sky.pdop) = (hdop, vdop, pdop)
        return sky
    }
}
