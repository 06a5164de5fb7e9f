// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

/// A section of a route: either a leg along one geodesic, or a stop.
struct RouteStage: Sendable {
    /// The start time, in seconds since the start of the route.
    var start = 0.0
    var duration = 0.0
    var from: GeodeticCoordinate
    /// The azimuth at the start of the stage, in degrees.
    var azimuth = 0.0
    /// The ground distance in metres, or 0 for a stop.
    var distance = 0.0
    /// The altitude at the start, and the altitude gained by the end, in metres.
    var altitude: Double
    var climb = 0.0
    /// The speeds in m/s. The speed rises from `firstSpeed` to `maximumSpeed` and then falls to `lastSpeed`.
    var firstSpeed = 0.0
    var maximumSpeed = 0.0
    var lastSpeed = 0.0
    /// The durations of acceleration at the start and deceleration at the end, in seconds.
    var rise = 0.0
    var fall = 0.0
    /// The directions of a stage without a direction of its own: `before` until `turningTime`, in seconds since the
    /// start of the route, and `after` afterwards.
    var before = RouteDirection()
    var after = RouteDirection()
    var turningTime = 0.0
    /// False for stops, and for legs that are too short or too slow to have a direction.
    var hasDirection = true

    var end: Double { start + duration }

    init(from: GeodeticCoordinate, altitude: Double) {
        (self.from, self.altitude) = (from, altitude)
    }

    /// Returns the distance covered in `time` seconds from the start of the stage, in metres.
    func distance(after time: Double) -> Double {
        guard distance > 0, duration > 0 else { return 0 }
        let time = min(max(time, 0), duration)
        let coveredDistance: Double
        if time < rise {
            coveredDistance = (firstSpeed + (maximumSpeed - firstSpeed) * time / rise / 2) * time
        } else if time <= duration - fall {
            coveredDistance = (firstSpeed + maximumSpeed) / 2 * rise + maximumSpeed * (time - rise)
        } else {
            let rest = duration - time
            coveredDistance = distance - (lastSpeed + (maximumSpeed - lastSpeed) * rest / fall / 2) * rest
        }
        // Rounding errors may make the computed distance slightly negative or greater than the stage's distance.
        return min(max(coveredDistance, 0), distance)
    }

    /// Returns the position at a time in seconds since the start of the route. If `extends` is true, the position is
    /// extrapolated beyond the ends of the stage.
    func point(at time: Double, extends: Bool) -> RoutePoint {
        var coveredDistance = distance(after: time - start)
        if extends, distance > 0 {
            if time < start { coveredDistance = firstSpeed * (time - start) }
            if time > end { coveredDistance = distance + lastSpeed * (time - end) }
        }
        guard distance > 0 else {
            return RoutePoint(coordinate: from, altitude: altitude, direction: direction(at: time))
        }
        let path = Geodesic.direct(from: from, azimuth: azimuth, distance: coveredDistance)
        let direction =
            hasDirection
            ? RouteDirection(azimuth: path.finalAzimuth, slope: climb / distance) : direction(at: time)
        return RoutePoint(
            coordinate: path.destination, altitude: altitude + climb * (coveredDistance / distance),
            direction: direction)
    }

    private func direction(at time: Double) -> RouteDirection { time < turningTime ? before : after }
}

struct RouteDirection: Sendable {
    /// The azimuth in degrees clockwise from true north.
    var azimuth = 0.0
    /// The tangent of the slope angle, positive uphill.
    var slope = 0.0
}

struct RoutePoint: Sendable {
    var coordinate: GeodeticCoordinate
    var altitude: Double
    var direction: RouteDirection
}
