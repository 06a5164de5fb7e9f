// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A location in OwnTracks JSON format (`"_type":"location"`), which OwnTracks Recorder, Home Assistant, Traccar and
/// other programs can read. Unknown values are NaN and are omitted from the message.
package struct OwnTracksLocation: Sendable {
    package var latitude, longitude: Double
    package var time: WallTime
    /// The position's uncertainty radius, in metres.
    package var accuracy = Double.nan
    /// The altitude above sea level, in metres.
    package var altitude = Double.nan
    /// The altitude's uncertainty, in metres.
    package var verticalAccuracy = Double.nan
    /// The speed over ground, in kilometres per hour.
    package var velocity = Double.nan
    /// The course over ground, in degrees clockwise from true north.
    package var course = Double.nan

    package init(latitude: Double, longitude: Double, time: WallTime) {
        (self.latitude, self.longitude, self.time) = (latitude, longitude, time)
    }
}

extension OwnTracksLocation {
    /// Creates a location from a report, or returns nil if the report has no fix. Uses `now` if the report has no time.
    package init?(_ report: PositionReport, now: WallTime) {
        guard report.hasFix else { return nil }
        self.init(latitude: report.latitude, longitude: report.longitude, time: report.time ?? now)
        if report.horizontalError >= 0 {
            accuracy = report.horizontalError
        } else {
            let (east, north) = (report.longitudeError, report.latitudeError)
            accuracy = (east * east + north * north).squareRoot()
        }
        // The altitude of a 2D fix is not measured: it is either an estimate or the last known altitude.
        if report.mode == .threeDimensional {
            altitude = report.altitude
            verticalAccuracy = report.verticalError
        }
        velocity = report.speed * 3.6
        course = report.track
    }

    /// Returns the location as a position report. Pass the topic as `receiver`, because a board has no receiver path.
    package func report(receiver: String, arrival: BootTime) -> PositionReport {
        var report = PositionReport()
        report.receiver = receiver
        report.mode = altitude.isNaN ? .twoDimensional : .threeDimensional
        report.time = time
        report.arrival = arrival
        report.latitude = latitude
        report.longitude = longitude
        report.horizontalError = accuracy
        report.altitudeMSL = altitude
        report.verticalError = verticalAccuracy
        report.speed = velocity / 3.6
        report.track = course
        return report
    }
}

extension OwnTracksLocation {
    /// Encodes the location as one line of JSON. Numbers that OwnTracks documents as integers are rounded, because the
    /// OwnTracks apps reject fractions. Accuracies are rounded up, so that no position appears more accurate than it
    /// is. `tst` is the time in seconds. The extension `tst_ms` is the time in milliseconds, for boards that report
    /// more than once per second. `tid` is `tracker`, the two characters displayed on maps.
    package func json(tracker: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "location")
            writer.memberUnlessEmpty("tid", tracker)
            writer.key("lat")
            writer.fixed(latitude, decimals: 8)
            writer.key("lon")
            writer.fixed(longitude, decimals: 8)
            let milliseconds = time.nanoseconds.flooredQuotient(1_000_000)
            writer.member("tst", milliseconds.flooredQuotient(1000))
            if milliseconds % 1000 != 0 { writer.member("tst_ms", milliseconds) }
            writer.memberIfPresent("acc", Self.rounded(accuracy, .up, minimum: 0))
            writer.memberIfPresent("alt", Self.rounded(altitude, .toNearestOrAwayFromZero))
            writer.memberIfPresent("vac", Self.rounded(verticalAccuracy, .up, minimum: 0))
            writer.memberIfPresent("vel", Self.rounded(velocity, .toNearestOrAwayFromZero, minimum: 0))
            if let course = Self.rounded(course, .toNearestOrAwayFromZero, minimum: 0), course <= 360 {
                writer.member("cog", course % 360)
            }
        }
        return writer.bytes
    }

    /// Returns the rounded value, or nil if it is NaN, less than `minimum` or greater than 1e9.
    private static func rounded(
        _ value: Double, _ rule: FloatingPointRoundingRule, minimum: Double = -1e9
    ) -> Int64? {
        let rounded = value.rounded(rule)
        return value >= minimum && rounded <= 1e9 ? Int64(rounded) : nil
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

/// The message that the broker publishes if it loses its connection to a board (`"_type":"lwt"`).
package enum OwnTracksWill {
    /// Encodes the message. `connected` is the time the board connected.
    package static func json(connected: WallTime) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("_type", "lwt")
            writer.member("tst", connected.nanoseconds.flooredQuotient(1_000_000_000))
        }
        return writer.bytes
    }
}
