// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy

/// The magnetic declination (the angle from true to magnetic north) at the position that location updates provide,
/// calculated from the World Magnetic Model for the exact position and date. In the model's blackout zones around the
/// magnetic poles, the declination is unknown.
///
/// Some receivers also report a declination (gpsd's "magvar"), but it has only one decimal place and often comes from
/// an outdated model. The receiver's value is used only if the World Magnetic Model is not valid for the date or
/// altitude. If the receiver reports none, the model is used regardless.
struct LocalDeclination: Sendable {
    /// A position with its time and the declination reported by the receiver.
    struct Position: Sendable, Equatable {
        /// In degrees.
        var latitude, longitude: Double
        /// In metres.
        var altitude: Double
        /// The reported declination in degrees, east positive. NaN if the receiver reports none.
        var reportedDeclination: Double
        var time: WallTime
    }

    /// The device's position, or nil if location updates have not provided one.
    var position: Position?
    private var last: (position: Position, degrees: Double?)?

    /// Returns the declination in degrees, east positive, or nil if it is unknown.
    mutating func degrees() -> Double? {
        guard let position else { return nil }
        if let last, last.position.isNear(position) { return last.degrees }
        let degrees = Self.degrees(at: position)
        last = (position, degrees)
        return degrees
    }

    /// Returns the declination at a position in degrees, east positive, or nil if it is unknown.
    static func degrees(at position: Position) -> Double? {
        let field = MagneticModel.wmm2025.field(
            latitude: position.latitude, longitude: position.longitude, altitude: position.altitude,
            year: DecimalYear.at(secondsSince1970: position.time.seconds), withRates: false)
        guard !field.isInBlackoutZone else { return nil }
        // The range check fails if the receiver reports no declination, because `reportedDeclination` is then NaN.
        if !field.isModelValid, abs(position.reportedDeclination) <= 180 { return position.reportedDeclination }
        return field.declination
    }
}

extension LocalDeclination.Position {
    /// Creates a position from the receiver's report and a location. The location may have reduced accuracy.
    init(_ values: CLLocation.Values, report: PositionReport, clock: any DeviceClock) {
        latitude = values.latitude
        longitude = values.longitude
        altitude = values.altitude.isFinite ? values.altitude : 0
        reportedDeclination = report.magneticVariation
        time = report.time ?? clock.wallTime
    }

    /// Returns whether both positions can be assumed to have the same declination. They must be within about a
    /// kilometre and a day of each other.
    func isNear(_ other: Self) -> Bool {
        abs(latitude - other.latitude) < 0.01 && abs(longitude - other.longitude) < 0.01
            && abs(altitude - other.altitude) < 1000 && abs(time.seconds(since: other.time)) < 86_400
            && (reportedDeclination == other.reportedDeclination
                || reportedDeclination.isNaN && other.reportedDeclination.isNaN)
    }
}
