// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls
public import DeviceCore

extension MotionRoute {
    /// The distance, in metres, below which two waypoints are treated as one.
    private static let minimumLegLength = 0.01
    /// The minimum speed in corners, in m/s.
    private static let minimumCornerSpeed = 0.3

    /// At a corner of at least this angle, in degrees, the body stops and turns. The turn takes `standingTurnDuration`
    /// seconds.
    private static let standingTurnAngle = 120.0
    private static let standingTurnDuration = 4.0

    /// Creates a route along waypoints that begins and ends at rest.
    ///
    /// A turn of 120° or more is made at rest and takes 4 s, unless ``RouteOptions/corneringAcceleration`` is infinite.
    ///
    /// - Parameters:
    ///   - waypoints: At least two different positions, or one position with a pause.
    ///   - options: The speeds and accelerations.
    /// - Throws: A `DeviceError` that describes the invalid option or waypoint. Waypoints are numbered from 1.
    public init(_ waypoints: [Waypoint], options: RouteOptions = RouteOptions()) throws(DeviceError) {
        try Self.check(options)
        guard let first = waypoints.first else {
            throw DeviceError(.invalidTrace, "There are no waypoints. At least two are needed, or one with a pause.")
        }
        guard waypoints.count <= Self.maximumCount else {
            throw DeviceError(
                .notSupported,
                "There are \(waypoints.count) waypoints, but at most \(Self.maximumCount) are supported. Split the route into parts."
            )
        }
        var stages: [RouteStage] = []
        stages.reserveCapacity(waypoints.count)
        var altitude = first.altitude.isNaN ? 0 : first.altitude
        var speed = options.speed
        for (index, waypoint) in waypoints.enumerated() {
            try Self.check(waypoint, index + 1)
            if !waypoint.speed.isNaN { speed = waypoint.speed }
            if !waypoint.altitude.isNaN { altitude = waypoint.altitude }
            let coordinate = GeodeticCoordinate(latitude: waypoint.latitude, longitude: waypoint.longitude)
            if waypoint.pause > 0 {
                stages.append(RouteStage(stayAt: coordinate, altitude: altitude, duration: waypoint.pause))
            }
            guard index + 1 < waypoints.count else { break }
            let next = waypoints[index + 1]
            // If the next waypoint is invalid, no leg is created, and the next iteration throws an error.
            guard abs(next.latitude) <= 90, next.longitude.isFinite else { continue }
            let path = Geodesic.inverse(
                from: coordinate, to: GeodeticCoordinate(latitude: next.latitude, longitude: next.longitude))
            let climb = (next.altitude.isNaN ? altitude : next.altitude) - altitude
            guard path.distance >= Self.minimumLegLength || abs(climb) >= Self.minimumLegLength else { continue }
            var leg = RouteStage(from: coordinate, altitude: altitude)
            leg.azimuth = path.initialAzimuth
            leg.climb = climb
            // A stage with a distance of 0 is treated as a stop, so a vertical leg gets a small ground distance.
            leg.distance = max(path.distance, Self.minimumLegLength * 1e-3)
            leg.maximumSpeed = speed * leg.distance / (leg.distance * leg.distance + climb * climb).squareRoot()
            leg.hasDirection = path.distance >= Self.minimumLegLength
            if let last = stages.last, options.corneringAcceleration.isFinite,
                Self.angle(last, leg) >= Self.standingTurnAngle
            {
                stages.append(RouteStage(stayAt: coordinate, altitude: altitude, duration: Self.standingTurnDuration))
            }
            stages.append(leg)
        }
        guard !stages.isEmpty else {
            throw DeviceError(
                .invalidTrace,
                waypoints.count == 1
                    ? "There is only one waypoint, without a pause. At least two are needed, or one with a pause."
                    : "All \(waypoints.count) waypoints are at the same place, and none has a pause.")
        }
        Self.computeTimes(&stages, options)
        let duration = stages.last?.end ?? 0
        guard duration <= Self.maximumDuration else { throw Self.tooLong(duration) }
        Self.fillDirections(&stages, heading: options.heading)
        self.init(stages, extends: false)
    }

    static func tooLong(_ duration: Double) -> DeviceError {
        DeviceError(
            .notSupported,
            "The route takes \(duration.rounded()) s, but at most \(Int(maximumDuration)) s (seven days) are supported. Use a higher speed, or split the route into parts."
        )
    }

    private static func check(_ options: RouteOptions) throws(DeviceError) {
        for (name, value) in [
            ("acceleration", options.acceleration), ("cornering acceleration", options.corneringAcceleration),
        ] where !(value >= 0.01) {
            throw DeviceError(.invalidConfiguration, "The \(name) must be at least 0.01 m/s², not \(value).")
        }
        guard (0.01...maximumSpeed).contains(options.speed) else {
            throw DeviceError(
                .invalidConfiguration,
                "The speed must be between 0.01 and \(Int(maximumSpeed)) m/s, not \(options.speed).")
        }
        guard options.heading.isFinite else {
            throw DeviceError(.invalidConfiguration, "The heading must be a number of degrees.")
        }
    }

    private static func check(_ waypoint: Waypoint, _ number: Int) throws(DeviceError) {
        func fail(_ what: String) -> DeviceError { DeviceError(.invalidTrace, "Waypoint \(number): \(what)") }
        guard abs(waypoint.latitude) <= 90 else {
            throw fail("the latitude must be between -90 and 90 degrees, not \(waypoint.latitude).")
        }
        guard (-360...360).contains(waypoint.longitude) else {
            throw fail("the longitude must be between -360 and 360 degrees, not \(waypoint.longitude).")
        }
        guard waypoint.altitude.isNaN || altitudes.contains(waypoint.altitude) else {
            throw fail(
                "the altitude must be between \(Int(altitudes.lowerBound)) and \(Int(altitudes.upperBound)) m, not \(waypoint.altitude)."
            )
        }
        guard waypoint.speed.isNaN || (0.01...maximumSpeed).contains(waypoint.speed) else {
            throw fail(
                "the speed must be between 0.01 and \(Int(maximumSpeed)) m/s, not \(waypoint.speed). To stand still, specify a pause."
            )
        }
        guard (0...maximumDuration).contains(waypoint.pause) else {
            throw fail("the pause must be between 0 and \(Int(maximumDuration)) s, not \(waypoint.pause).")
        }
    }

    private static func computeTimes(_ stages: inout [RouteStage], _ options: RouteOptions) {
        let a = options.acceleration
        // The maximum speed at the start of each stage. The last element is the maximum speed at the end of the last
        // stage.
        var speeds = [Double](repeating: 0, count: stages.count + 1)
        for index in stages.indices.dropFirst() where stages[index].moves && stages[index - 1].moves {
            speeds[index] = cornerSpeed(stages[index - 1], stages[index], options)
        }
        // The first loop limits speeds so that the body can brake in time. The second limits them to reachable speeds.
        for index in stages.indices.reversed() where stages[index].moves {
            let reachable = (speeds[index + 1] * speeds[index + 1] + 2 * a * stages[index].distance).squareRoot()
            speeds[index] = min(speeds[index], reachable)
        }
        for index in stages.indices where stages[index].moves {
            let reachable = (speeds[index] * speeds[index] + 2 * a * stages[index].distance).squareRoot()
            speeds[index + 1] = min(speeds[index + 1], reachable)
        }
        var time = 0.0
        for index in stages.indices {
            stages[index].start = time
            if stages[index].moves {
                stages[index].setSpeeds(from: speeds[index], to: speeds[index + 1], acceleration: a)
            }
            time += stages[index].duration
        }
    }

    /// Returns the angle of the corner between two stages, from 0 to 180 degrees, or 0 if a stage has no direction.
    private static func angle(_ stage: RouteStage, _ next: RouteStage) -> Double {
        guard stage.hasDirection, next.hasDirection else { return 0 }
        let end = Geodesic.direct(from: stage.from, azimuth: stage.azimuth, distance: stage.distance)
        let revolutions = (next.azimuth - end.finalAzimuth) / 360
        return (revolutions - revolutions.rounded()).magnitude * 360
    }

    private static func cornerSpeed(_ leg: RouteStage, _ next: RouteStage, _ options: RouteOptions) -> Double {
        let speed = min(leg.maximumSpeed, next.maximumSpeed)
        guard leg.hasDirection, next.hasDirection else { return 0 }
        guard options.corneringAcceleration.isFinite else { return speed }
        let half = sin(angle(leg, next) / 2 * .pi / 180)
        // At the corner, the velocity changes by 2 v sin(angle / 2). The path smooths this change with a quartic
        // B-spline. With knots one second apart, the peak acceleration, in m/s², is 115/192 of the change, in m/s.
        let allowed = options.corneringAcceleration / (2 * 115.0 / 192 * max(half, 1e-9))
        return min(speed, max(allowed, minimumCornerSpeed))
    }
}

extension RouteStage {
    fileprivate init(stayAt coordinate: GeodeticCoordinate, altitude: Double, duration: Double) {
        self.init(from: coordinate, altitude: altitude)
        self.duration = duration
        hasDirection = false
    }

    fileprivate var moves: Bool { distance > 0 }

    /// Sets the speeds and times of a leg. The leg must be long enough to reach the end speed from the start speed.
    fileprivate mutating func setSpeeds(from first: Double, to last: Double, acceleration: Double) {
        let cruise = maximumSpeed
        let rising = (cruise * cruise - first * first) / (2 * acceleration)
        let falling = (cruise * cruise - last * last) / (2 * acceleration)
        if rising + falling > distance {
            let squared = (2 * acceleration * distance + first * first + last * last) / 2
            maximumSpeed = max(squared.squareRoot(), first, last)
        }
        firstSpeed = first
        lastSpeed = last
        rise = (maximumSpeed - first) / acceleration
        fall = (maximumSpeed - last) / acceleration
        let accelerated = (first + maximumSpeed) / 2 * rise + (last + maximumSpeed) / 2 * fall
        duration = rise + fall + max(distance - accelerated, 0) / maximumSpeed
    }
}
