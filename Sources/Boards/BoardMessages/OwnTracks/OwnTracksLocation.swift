// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A location in the JSON format of OwnTracks (`"_type":"location"`), which OwnTracks Recorder, Home Assistant, Traccar
/// and others can read.
///
/// Unknown values are NaN and are omitted from the message.
package struct OwnTracksLocation: Sendable {
    /// The latitude, in degrees north.
    package var latitude: Double
    /// The longitude, in degrees east.
    package var longitude: Double
    /// The time of the fix.
    package var time: WallTime
    /// The radius of uncertainty of the position, in metres.
    package var accuracy = Double.nan
    /// The altitude above sea level, in metres.
    package var altitude = Double.nan
    /// The uncertainty of the altitude, in metres.
    package var verticalAccuracy = Double.nan
    /// The speed over ground, in kilometres per hour.
    package var velocity = Double.nan
    /// The course over ground, in degrees clockwise from true north.
    package var course = Double.nan

    package init(latitude: Double, longitude: Double, time: WallTime) {
        self.latitude = latitude
        self.longitude = longitude
        self.time = time
    }
}

extension OwnTracksLocation {
    /// Creates the location of a report; nil if the report has no fix.
    ///
    /// - Parameter now: The time at which the report arrived. It is used if the receiver reports no time.
    package init?(_ report: PositionReport, now: WallTime) {
        guard report.hasFix else { return nil }
        self.init(latitude: report.latitude, longitude: report.longitude, time: report.time ?? now)
        if report.horizontalError >= 0 {
            accuracy = report.horizontalError
        } else {
            let (east, north) = (report.longitudeError, report.latitudeError)
            accuracy = (east * east + north * north).squareRoot()
        }
        // In a 2D fix, the altitude is the last known one or an estimate.
        if report.mode == .threeDimensional {
            altitude = report.altitude
            verticalAccuracy = report.verticalError
        }
        velocity = report.speed * 3.6
        course = report.track
    }

    /// Returns the location as a position report for the subscribers of the board.
    ///
    /// - Parameters:
    ///   - receiver: The topic, which is used in place of the receiver's path.
    ///   - arrival: The time at which the location arrived.
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
