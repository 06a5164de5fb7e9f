// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol
import Geodesy

/// Derives the course, speed and climb of positions that lack them from the previous position.
///
/// The speed is the length of the geodesic on the WGS 84 ellipsoid (Karney, "Algorithms for geodesics", 2013) divided
/// by the time between the positions. The course is the azimuth of the geodesic at its end, from true north. The climb
/// is the difference of the altitudes divided by the time; the altitude is that above mean sea level if known,
/// otherwise the height above the ellipsoid. Existing values are kept.
package struct DerivedMotion: Sendable {
    /// The maximum time between two positions in nanoseconds (10 minutes). Values derived over a longer time would not
    /// describe the current motion.
    package static let maximumInterval: Int64 = 600_000_000_000
    /// The minimum distance for a course in metres. Over a shorter one, rounding of the coordinates would determine the
    /// course.
    package static let minimumCourseDistance = 0.5

    private var last: (place: GeodeticCoordinate, altitude: Double, time: Int64)?

    package init() {}

    /// Discards the previous position. Call it if the next position does not continue the path.
    package mutating func reset() { last = nil }

    /// Sets the missing values of course, speed and climb. A report without a fix discards the previous position.
    ///
    /// - Parameter time: The time of the report in nanoseconds, on any clock.
    /// - Returns: True if a value was set.
    @discardableResult
    package mutating func complete(_ report: inout PositionReport, at time: Int64) -> Bool {
        guard report.hasFix else {
            reset()
            return false
        }
        let place = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        let altitude = report.altitudeMSL.isNaN ? report.altitudeHAE : report.altitudeMSL
        guard let last else {
            self.last = (place, altitude, time)
            return false
        }
        let step = time.subtractingSaturated(last.time)
        // Only the first of several reports with the same time counts as the previous position.
        guard step != 0 else { return false }
        self.last = (place, altitude, time)
        guard step > 0, step <= Self.maximumInterval else { return false }
        let seconds = Double(step) / 1e9
        let (lacksSpeed, lacksTrack, lacksClimb) = (report.speed.isNaN, report.track.isNaN, report.climb.isNaN)
        if lacksSpeed || lacksTrack {
            let path = Geodesic.inverse(from: last.place, to: place)
            if lacksSpeed { report.speed = path.distance / seconds }
            if lacksTrack, path.distance >= Self.minimumCourseDistance {
                report.track = path.finalAzimuth < 0 ? path.finalAzimuth + 360 : path.finalAzimuth
            }
        }
        if lacksClimb, report.mode == .threeDimensional { report.climb = (altitude - last.altitude) / seconds }
        // A jump between positions, or a time that is off by hours, results in impossible values.
        report.discardOutOfRangeValues()
        return (lacksSpeed && !report.speed.isNaN) || (lacksTrack && !report.track.isNaN)
            || (lacksClimb && !report.climb.isNaN)
    }
}
