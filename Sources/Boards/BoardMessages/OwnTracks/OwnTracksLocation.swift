// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A location as OwnTracks has it in JSON (`"_type":"location"`), which OwnTracks Recorder, Home Assistant, Traccar and
/// others read.
///
/// The units are OwnTracks': km/h, whole metres, whole degrees. A number that is not known is NaN and is left out.
package struct OwnTracksLocation: Sendable {
    /// Degrees north.
    package var latitude: Double
    /// Degrees east.
    package var longitude: Double
    /// When the fix was made.
    package var time: WallTime
    /// Metres around the position.
    package var accuracy = Double.nan
    /// Metres above sea level.
    package var altitude = Double.nan
    /// Metres around the altitude.
    package var verticalAccuracy = Double.nan
    /// Kilometres an hour over ground.
    package var velocity = Double.nan
    /// Degrees clockwise from true north.
    package var course = Double.nan

    package init(latitude: Double, longitude: Double, time: WallTime) {
        self.latitude = latitude
        self.longitude = longitude
        self.time = time
    }
}

extension OwnTracksLocation {
    /// The location of a report; nil when it has no fix.
    ///
    /// - Parameter now: when the report came, for a receiver that tells no time.
    package init?(_ report: PositionReport, now: WallTime) {
        guard report.hasFix else { return nil }
        self.init(latitude: report.latitude, longitude: report.longitude, time: report.time ?? now)
        if report.horizontalError >= 0 {
            accuracy = report.horizontalError
        } else {
            let (east, north) = (report.longitudeError, report.latitudeError)
            accuracy = (east * east + north * north).squareRoot()
        }
        // In a 2D fix it is the last one known, or a guess.
        if report.mode == .threeDimensional {
            altitude = report.altitude
            verticalAccuracy = report.verticalError
        }
        velocity = report.speed * 3.6
        course = report.track
    }

    /// The report that such a location gives to those who follow the board.
    ///
    /// - Parameter receiver: what stands for the receiver's path: the topic.
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
