// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy

/// The earth's magnetic field where the device was seen last.
struct EarthField: Sendable {
    /// Seconds between looks at the position.
    private static let pause = 5.0
    /// Degrees and metres within which the field stays what it is.
    private static let nearby = 0.01
    private static let nearbyHeight = 1000.0
    private static let day = 86_400.0

    /// Radians from true north to magnetic north, east positive; nil when not known, or where a compass is of no use.
    private(set) var declination: Double?
    /// Gauss; nil when not known.
    private(set) var strength: Double?
    /// Radians below the horizon.
    private(set) var dip = 0.0

    private var nextLook: BootTime?
    private var latitude = Double.nan
    private var longitude = Double.nan
    private var altitude = Double.nan
    private var wallTime = WallTime.epoch

    /// True when it is time to look at the position.
    func isDue(at now: BootTime) -> Bool {
        guard let nextLook else { return true }
        // Also after a clock that was set back.
        return now >= nextLook || nextLook.seconds(since: now) > Self.pause
    }

    /// Takes the position; true when the field has changed.
    mutating func look(at fix: PositionFix?, now: BootTime, wallTime: WallTime) -> Bool {
        nextLook = now.advanced(bySeconds: Self.pause)
        guard let report = fix?.report, report.latitude.isFinite, report.longitude.isFinite else {
            // Positions may begin any moment.
            nextLook = now
            return false
        }
        let altitude = [report.altitudeHAE, report.altitudeMSL, report.altitudeUndefined].first(where: \.isFinite) ?? 0
        guard
            !(abs(report.latitude - latitude) < Self.nearby && abs(report.longitude - longitude) < Self.nearby
                && abs(altitude - self.altitude) < Self.nearbyHeight
                && abs(wallTime.seconds(since: self.wallTime)) < Self.day)
        else { return false }
        (latitude, longitude) = (report.latitude, report.longitude)
        (self.altitude, self.wallTime) = (altitude, wallTime)
        let field = MagneticModel.wmm2025.field(
            latitude: latitude, longitude: longitude, altitude: altitude,
            year: DecimalYear.at(secondsSince1970: wallTime.seconds), withRates: false)
        guard field.total.isFinite, field.total > 0 else {
            (declination, strength) = (nil, nil)
            return true
        }
        declination = field.isInBlackoutZone ? nil : field.declination * .pi / 180
        strength = field.total * 1e-5
        dip = field.inclination * .pi / 180
        return true
    }
}
