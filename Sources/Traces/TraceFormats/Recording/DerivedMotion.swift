// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol
import Geodesy

/// Derives a missing course, speed or climb from the previous position.
///
/// The speed is the length of the geodesic on the WGS 84 ellipsoid (Karney, "Algorithms for geodesics", 2013) divided
/// by the time between the positions. The course is the geodesic's azimuth at its end, from true north.
package struct DerivedMotion: Sendable {
    /// The maximum time between two positions, in nanoseconds (10 minutes). Values derived over a longer interval would
    /// not describe the current motion.
    package static let maximumInterval: Int64 = 600_000_000_000
    /// The minimum distance between two positions for deriving a course, in metres. Over a shorter distance, the
    /// rounding of the coordinates would determine the course.
    package static let minimumCourseDistance = 0.5
    private var last: (coordinate: GeodeticCoordinate, altitude: Double, time: Int64)?

    package init() {}

    /// Discards the previous position. Call this method if the next position does not continue the path.
    package mutating func reset() { last = nil }

    /// Fills in a missing course, speed or climb. Returns true if at least one value was filled in. A report without a
    /// fix discards the previous position. The time is in nanoseconds and may be from any clock.
    @discardableResult package mutating func complete(_ report: inout PositionReport, at time: Int64) -> Bool {
        guard report.hasFix else {
            reset()
            return false
        }
        let coordinate = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        let altitude = report.altitudeMSL.isNaN ? report.altitudeHAE : report.altitudeMSL
        guard let last else {
            self.last = (coordinate, altitude, time)
            return false
        }
        let step = time.subtractingSaturated(last.time)
        // If several reports have the same time, only the first is used as the previous position.
        guard step != 0 else { return false }
        self.last = (coordinate, altitude, time)
        guard step > 0, step <= Self.maximumInterval else { return false }
        let seconds = Double(step) / 1e9
        let (lacksSpeed, lacksTrack, lacksClimb) = (report.speed.isNaN, report.track.isNaN, report.climb.isNaN)
        if lacksSpeed || lacksTrack {
            let path = Geodesic.inverse(from: last.coordinate, to: coordinate)
            if lacksSpeed { report.speed = path.distance / seconds }
            if lacksTrack, path.distance >= Self.minimumCourseDistance {
                report.track = path.finalAzimuth < 0 ? path.finalAzimuth + 360 : path.finalAzimuth
            }
        }
        if lacksClimb, report.mode == .threeDimensional { report.climb = (altitude - last.altitude) / seconds }
        // A jump in position, or a time that is off by hours, leads to impossible values, which are discarded.
        report.discardOutOfRangeValues()
        return (lacksSpeed && !report.speed.isNaN) || (lacksTrack && !report.track.isNaN)
            || (lacksClimb && !report.climb.isNaN)
    }
}
