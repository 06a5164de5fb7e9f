// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import GPSDProtocol
import Geodesy

/// Course and speed of positions that come without them, from the position before to this one.
///
/// The speed is the length of the shortest path on the WGS 84 ellipsoid (Karney, "Algorithms for geodesics", 2013) over
/// the time between the two; the course is the direction in which that path arrives, from true north. Climb is the
/// difference of altitudes of one kind over the time. What is there already is kept.
package struct DerivedMotion: Sendable {
    /// Nothing is derived over a longer time, in nanoseconds: it would say nothing of now.
    package static let longestStep: Int64 = 600_000_000_000
    /// A shorter way gives no course, in metres: it would be the direction of the rounding.
    package static let shortestWay = 0.5

    private var last: (place: GeodeticCoordinate, altitude: Double, time: Int64)?

    /// Knows no position yet.
    package init() {}

    /// Forgets the position before: the next one does not continue the way.
    package mutating func restart() { last = nil }

    /// Fills in what the report lacks of course, speed and climb. A report without a fix restarts.
    ///
    /// - Parameter time: of the report, in nanoseconds on any clock.
    /// - Returns: true when something was filled in.
    @discardableResult
    package mutating func complete(_ report: inout PositionReport, at time: Int64) -> Bool {
        guard report.hasFix else {
            restart()
            return false
        }
        let place = GeodeticCoordinate(latitude: report.latitude, longitude: report.longitude)
        let altitude = report.altitudeMSL.isNaN ? report.altitudeHAE : report.altitudeMSL
        guard let last else {
            self.last = (place, altitude, time)
            return false
        }
        let step = time.subtractingSaturated(last.time)
        // Several reports of one instant: the first one is where the way goes on.
        guard step != 0 else { return false }
        self.last = (place, altitude, time)
        guard step > 0, step <= Self.longestStep else { return false }
        let seconds = Double(step) / 1e9
        let (lacksSpeed, lacksTrack, lacksClimb) = (report.speed.isNaN, report.track.isNaN, report.climb.isNaN)
        if lacksSpeed || lacksTrack {
            let path = Geodesic.inverse(from: last.place, to: place)
            if lacksSpeed { report.speed = path.distance / seconds }
            if lacksTrack, path.distance >= Self.shortestWay {
                report.track = path.finalAzimuth < 0 ? path.finalAzimuth + 360 : path.finalAzimuth
            }
        }
        if lacksClimb, report.mode == .threeDimensional { report.climb = (altitude - last.altitude) / seconds }
        // A jump between positions, or a time that is wrong by hours, gives impossible values.
        report.refuseImpossibleValues()
        return (lacksSpeed && !report.speed.isNaN) || (lacksTrack && !report.track.isNaN)
            || (lacksClimb && !report.climb.isNaN)
    }
}
