// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

/// A stretch of a route: along one geodesic, or standing still.
struct RouteStage: Sendable {
    /// Seconds since the start of the route.
    var start = 0.0
    var duration = 0.0
    var from: GeodeticCoordinate
    /// Degrees at the start of the stage.
    var azimuth = 0.0
    /// Metres; 0 for a stay.
    var distance = 0.0
    var altitude: Double
    var climb = 0.0
    /// The speed rises from one to the greatest, and falls to the last.
    var firstSpeed = 0.0
    var greatestSpeed = 0.0
    var lastSpeed = 0.0
    /// How long the rise and the fall take, in seconds.
    var rise = 0.0
    var fall = 0.0
    /// What counts where the way itself gives no direction: degrees and the tangent of the slope before and after the
    /// turning time, which is in seconds since the start of the route.
    var before = RouteDirection()
    var after = RouteDirection()
    var turningTime = 0.0
    /// False where the way is too short or too slow to tell a direction.
    var tellsDirection = true

    var end: Double { start + duration }

    init(from: GeodeticCoordinate, altitude: Double) {
        self.from = from
        self.altitude = altitude
    }

    /// How far it has come after that many seconds since the start of the stage.
    func way(after time: Double) -> Double {
        guard distance > 0, duration > 0 else { return 0 }
        let time = min(max(time, 0), duration)
        var way: Double
        if time < rise {
            way = (firstSpeed + (greatestSpeed - firstSpeed) * time / rise / 2) * time
        } else if time <= duration - fall {
            way = (firstSpeed + greatestSpeed) / 2 * rise + greatestSpeed * (time - rise)
        } else {
            let rest = duration - time
            way = distance - (lastSpeed + (greatestSpeed - lastSpeed) * rest / fall / 2) * rest
        }
        // Held against rounding only.
        way = min(max(way, 0), distance)
        return way
    }

    /// Where it is at a time of the route. Outside the stage it goes on as at its ends when it is to extend.
    func place(at time: Double, extends: Bool) -> RoutePlace {
        var way = way(after: time - start)
        if extends, distance > 0 {
            if time < start { way = firstSpeed * (time - start) }
            if time > end { way = distance + lastSpeed * (time - end) }
        }
        guard distance > 0 else { return RoutePlace(place: from, altitude: altitude, direction: direction(at: time)) }
        let path = Geodesic.direct(from: from, azimuth: azimuth, distance: way)
        let direction =
            tellsDirection
            ? RouteDirection(azimuth: path.finalAzimuth, slope: climb / distance) : direction(at: time)
        return RoutePlace(place: path.destination, altitude: altitude + climb * (way / distance), direction: direction)
    }

    private func direction(at time: Double) -> RouteDirection { time < turningTime ? before : after }
}

struct RouteDirection: Sendable {
    /// Degrees clockwise from true north.
    var azimuth = 0.0
    /// The tangent of the slope upwards.
    var slope = 0.0
}

struct RoutePlace: Sendable {
    var place: GeodeticCoordinate
    var altitude: Double
    var direction: RouteDirection
}
