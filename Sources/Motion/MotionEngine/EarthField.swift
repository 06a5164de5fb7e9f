// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy

/// The Earth's magnetic field at the device's last position.
struct EarthField: Sendable {
    /// The interval between position checks, in seconds.
    private static let checkInterval = 5.0
    /// The field is recomputed if the latitude or longitude (in degrees) or the height (in metres) changes by more than
    /// these values, and after one day.
    private static let maximumAngularChange = 0.01
    private static let maximumHeightChange = 1000.0
    private static let day = 86_400.0

    /// The angle from true north to magnetic north in radians, positive to the east. It is nil if the position is
    /// unknown or lies in a blackout zone, where a compass is unusable.
    private(set) var declination: Double?
    /// The field strength in gauss, or nil if unknown.
    private(set) var strength: Double?
    /// The inclination of the field below the horizon, in radians. Valid only if `strength` is not nil.
    private(set) var dip = 0.0
    private var nextCheck: BootTime?
    /// The position at the last computation, initially NaN. Comparisons with NaN are false, so the first fix triggers a
    /// computation.
    private var latitude = Double.nan
    private var longitude = Double.nan
    private var altitude = Double.nan
    private var wallTime = WallTime.epoch

    func isDue(at now: BootTime) -> Bool {
        guard let nextCheck else { return true }
        // A check scheduled too far in the future is also due, because the clock must have been set back.
        return now >= nextCheck || nextCheck.seconds(since: now) > Self.checkInterval
    }

    /// Recomputes the field if the position or the date has changed enough. Returns true if it was recomputed.
    mutating func update(for fix: PositionFix?, now: BootTime, wallTime: WallTime) -> Bool {
        nextCheck = now.advanced(bySeconds: Self.checkInterval)
        guard let report = fix?.report, report.latitude.isFinite, report.longitude.isFinite else {
            // Check again at the next opportunity, because a fix may become available at any time.
            nextCheck = now
            return false
        }
        let altitude = [report.altitudeHAE, report.altitudeMSL, report.altitudeUndefined].first(where: \.isFinite) ?? 0
        guard
            !(abs(report.latitude - latitude) < Self.maximumAngularChange
                && abs(report.longitude - longitude) < Self.maximumAngularChange
                && abs(altitude - self.altitude) < Self.maximumHeightChange
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
