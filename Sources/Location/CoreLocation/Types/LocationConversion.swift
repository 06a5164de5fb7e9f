// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Converts receiver reports to Core Location values. gpsd's error estimates are used unchanged, although the
/// confidence levels differ: gpsd's is nominally 95 %, whereas Apple's is assumed to be about 68 %.
enum LocationConversion {
    /// The horizontal error, in metres, assumed per unit of horizontal dilution of precision if a receiver reports no
    /// error.
    static let userEquivalentRangeError = 8.0
    /// The horizontal accuracy, in metres, assumed for a fix if the receiver reports neither a horizontal error nor a
    /// horizontal dilution of precision.
    static let unknownHorizontalAccuracy = 100.0

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
        // In a 2D fix, the altitude is an old value or a guess, even if the receiver reports an error for it.
        if isThreeDimensional, !report.altitude.isNaN, report.verticalError > 0 {
            values.verticalAccuracy = report.verticalError
        }
        values.speed = report.speed >= 0 ? report.speed : -1
        values.speedAccuracy = report.speedError > 0 ? report.speedError : -1
        values.course = report.track == 360 ? 0 : report.track >= 0 && report.track < 360 ? report.track : -1
        values.courseAccuracy = report.trackError > 0 ? report.trackError : -1
        // 8 is gpsd's status for a simulated fix.
        values.isSimulatedBySoftware = isSimulated || report.status == 8
        values.isProducedByAccessory = isAccessory
        return values
    }

    /// Returns the horizontal error reported by the receiver. If there is none, the error is computed from the errors
    /// in latitude and longitude. If those are missing too, it is computed from the dilution of precision. The result
    /// is never negative, because Core Location interprets a negative accuracy as an invalid position.
    static func horizontalAccuracy(of report: PositionReport, sky: SkyReport?) -> Double {
        if report.horizontalError >= 0 { return report.horizontalError }
        let error = (report.longitudeError * report.longitudeError + report.latitudeError * report.latitudeError)
            .squareRoot()
        if error >= 0 { return error }
        if let hdop = sky?.hdop, hdop > 0 { return hdop * userEquivalentRangeError }
        return unknownHorizontalAccuracy
    }

    /// Returns whether a receiver is connected through USB, Bluetooth or a hot-plugged serial port.
    static func isAccessory(_ receiver: String) -> Bool {
        receiver.hasPrefix("/dev/ttyUSB") || receiver.hasPrefix("/dev/ttyACM") || receiver.hasPrefix("/dev/rfcomm")
            || receiver.hasPrefix("usb") || receiver.hasPrefix("bluetooth")
    }
}

extension WallTime {
    /// Seconds since 2001-01-01T00:00:00Z, as in `Date`. Converting seconds and nanoseconds separately preserves
    /// precision.
    var sinceReferenceDate: Double {
        let (seconds, nanoseconds) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(seconds - 978_307_200) + Double(nanoseconds) / 1e9
    }
}
