// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// From a receiver's report to Core Location's values: the one place where that happens.
///
/// gpsd's error estimates are passed on as they are. They have a nominal confidence of 95 per cent, while Apple's
/// radius is said to hold about 68, so accuracies here are the more careful ones.
enum LocationConversion {
    /// What one unit of dilution is worth when a receiver gives nothing better: metres, for a civilian receiver.
    static let userEquivalentRangeError = 8.0
    /// The horizontal accuracy of a fix of which nothing is known but that it is one: metres.
    static let unknownHorizontalAccuracy = 100.0

    /// The values of a report that has a fix.
    static func values(
        of report: PositionReport, sky: SkyReport?, fallbackTime: @autoclosure () -> WallTime, isSimulated: Bool,
        isAccessory: Bool
    ) -> CLLocation.Values {
        let isThreeDimensional = report.mode == .threeDimensional
        var values = CLLocation.Values(
            latitude: report.latitude,
            longitude: report.longitude,
            horizontalAccuracy: horizontalAccuracy(of: report, sky: sky),
            timestamp: (report.time ?? fallbackTime()).sinceReferenceDate)
        values.altitude = report.altitude.isNaN ? 0 : report.altitude
        values.ellipsoidalAltitude = report.altitudeHAE.isNaN ? 0 : report.altitudeHAE
        // In a 2D fix the altitude is the last one known or a guess, whatever the receiver says of its error.
        if isThreeDimensional, !report.altitude.isNaN, report.verticalError > 0 {
            values.verticalAccuracy = report.verticalError
        }
        values.speed = report.speed >= 0 ? report.speed : -1
        values.speedAccuracy = report.speedError > 0 ? report.speedError : -1
        values.course = report.track == 360 ? 0 : report.track >= 0 && report.track < 360 ? report.track : -1
        values.courseAccuracy = report.trackError > 0 ? report.trackError : -1
        values.isSimulatedBySoftware = isSimulated || report.status == 8
        values.isProducedByAccessory = isAccessory
        return values
    }

    /// The error in the plane as the receiver gives it, else from its two components, else from the dilution. Never
    /// negative: a fix has a position, and Core Location reads a negative accuracy as "no position".
    static func horizontalAccuracy(of report: PositionReport, sky: SkyReport?) -> Double {
        if report.horizontalError >= 0 { return report.horizontalError }
        let error = (report.longitudeError * report.longitudeError + report.latitudeError * report.latitudeError)
            .squareRoot()
        if error >= 0 { return error }
        if let hdop = sky?.hdop, hdop > 0 { return hdop * userEquivalentRangeError }
        return unknownHorizontalAccuracy
    }

    /// True for a receiver on USB, Bluetooth or a hot-plugged serial line.
    static func isAccessory(_ receiver: String) -> Bool {
        receiver.hasPrefix("/dev/ttyUSB") || receiver.hasPrefix("/dev/ttyACM") || receiver.hasPrefix("/dev/rfcomm")
            || receiver.hasPrefix("usb") || receiver.hasPrefix("bluetooth")
    }
}

extension WallTime {
    /// Seconds since 2001-01-01T00:00:00Z, as `Date` counts, with one rounding only.
    var sinceReferenceDate: Double {
        let (seconds, nanoseconds) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(seconds - 978_307_200) + Double(nanoseconds) / 1e9
    }
}
