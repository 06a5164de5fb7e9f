// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy

/// The angle from true to magnetic north where location updates have found the device.
///
/// It is that of the World Magnetic Model, which is computed for this very place and day. Receivers tell one too (gpsd's
/// "magvar"), but with one decimal and often from a model of the year they were built in: it stands in only for dates
/// outside of the model's five years. About the magnetic poles, in the model's blackout zones, there is none.
struct LocalDeclination: Sendable {
    /// Where and when, and what the receiver says of it.
    struct Place: Sendable, Equatable {
        /// Degrees.
        var latitude: Double
        /// Degrees.
        var longitude: Double
        /// Metres.
        var altitude: Double
        /// Degrees, east positive; NaN when the receiver gave none.
        var variation: Double
        var time: WallTime
    }

    /// Where the device is; nil when no location updates tell.
    var place: Place?
    private var last: (place: Place, degrees: Double?)?

    /// Degrees from true to magnetic north, east positive; nil when it is not known.
    mutating func degrees() -> Double? {
        guard let place else { return nil }
        if let last, last.place.isNear(place) { return last.degrees }
        let degrees = Self.degrees(at: place)
        last = (place, degrees)
        return degrees
    }

    /// Degrees from true to magnetic north at a place, east positive.
    static func degrees(at place: Place) -> Double? {
        let field = MagneticModel.wmm2025.field(
            latitude: place.latitude, longitude: place.longitude, altitude: place.altitude,
            year: DecimalYear.at(secondsSince1970: place.time.seconds), withRates: false)
        guard !field.isInBlackoutZone else { return nil }
        if !field.isModelValid, abs(place.variation) <= 180 { return place.variation }
        return field.declination
    }
}

extension LocalDeclination.Place {
    /// The place of a report, or of what may be known of it, at its own time or that of its arrival.
    init(_ values: CLLocation.Values, report: PositionReport, clock: any DeviceClock) {
        latitude = values.latitude
        longitude = values.longitude
        altitude = values.altitude.isFinite ? values.altitude : 0
        variation = report.magneticVariation
        time = report.time ?? clock.wallTime
    }

    /// True when the declination is the same to some hundredths of a degree: within a kilometre and a day.
    func isNear(_ other: Self) -> Bool {
        abs(latitude - other.latitude) < 0.01 && abs(longitude - other.longitude) < 0.01
            && abs(altitude - other.altitude) < 1000 && abs(time.seconds(since: other.time)) < 86_400
            && (variation == other.variation || variation.isNaN && other.variation.isNaN)
    }
}
