// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Geodesy

/// A timed route that follows geodesics from point to point. ``MotionSynthesizer`` smooths its sharp corners.
///
/// Create a route from waypoints with speeds, or from the positions of a trace. Each point uses about 150 bytes.
public struct MotionRoute: Sendable {
    package static let maximumCount = 1_000_000
    /// The maximum duration (seven days), in seconds.
    package static let maximumDuration = 604_800.0
    /// The maximum speed, in m/s.
    package static let maximumSpeed = 3_000.0
    /// The valid altitudes, in metres above mean sea level.
    package static let altitudes: ClosedRange<Double> = -1_000...80_000

    /// The duration of the route in seconds.
    public let duration: Double
    /// The length of the route in metres.
    public let distance: Double
    /// The wall-clock time at the start of a route created from a trace, or nil for any other route.
    public let start: WallTime?
    /// Warnings to show to the user.
    public let warnings: [String]
    /// True if the route is a section of a longer route and continues at the same speed beyond its ends.
    let extends: Bool
    let stages: [RouteStage]

    /// Creates a route from one or more stages.
    init(_ stages: [RouteStage], extends: Bool, start: WallTime? = nil, remarks: [String] = []) {
        (self.stages, self.extends, self.start, self.warnings) = (stages, extends, start, remarks)
        duration = stages.last?.end ?? 0
        distance = stages.reduce(0) { $0 + $1.distance }
    }

    /// Returns the position at a time in seconds since the start of the route. The search begins at index `stage`. On
    /// return, `stage` is the index of the stage that contains the time.
    func point(at time: Double, near stage: inout Int) -> RoutePoint {
        var index = min(max(stage, 0), stages.count - 1)
        if time < stages[index].start || time >= stages[index].end {
            index = min(stages.partitioningIndex { $0.end > time }, stages.count - 1)
        }
        stage = index
        return stages[index].point(at: time, extends: extends)
    }

    /// Sets the directions of stages that have none. A run of such stages takes the direction of the preceding stage
    /// for the first half of its duration and that of the following stage for the second half.
    static func fillDirections(_ stages: inout [RouteStage], heading: Double) {
        var last: RouteDirection?
        var index = 0
        while index < stages.count {
            guard !stages[index].hasDirection else {
                last = stages[index].direction(atEnd: true)
                index += 1
                continue
            }
            let first = index
            while index < stages.count, !stages[index].hasDirection { index += 1 }
            let next = index < stages.count ? stages[index].direction(atEnd: false) : nil
            let before = last ?? next ?? RouteDirection(azimuth: heading)
            let middle = (stages[first].start + stages[index - 1].end) / 2
            for stay in first..<index {
                stages[stay].before = before
                stages[stay].after = next ?? before
                stages[stay].turningTime = middle
            }
        }
    }
}

extension RouteStage {
    fileprivate func direction(atEnd: Bool) -> RouteDirection {
        let slope = climb / distance
        guard atEnd else { return RouteDirection(azimuth: azimuth, slope: slope) }
        let end = Geodesic.direct(from: from, azimuth: azimuth, distance: distance)
        return RouteDirection(azimuth: end.finalAzimuth, slope: slope)
    }
}

/// A point on a route, with the speed at which the body travels to the next point.
public struct Waypoint: Sendable, Hashable {
    /// The latitude, in degrees, positive to the north.
    public var latitude: Double
    /// The longitude, in degrees, positive to the east. Values beyond ±180 are wrapped.
    public var longitude: Double
    /// The altitude in metres above mean sea level. NaN means the preceding altitude, or 0 for the first waypoint.
    public var altitude: Double
    /// The speed on the way to the next waypoint, in m/s. NaN means the preceding speed, or ``RouteOptions/speed`` for
    /// the first waypoint.
    public var speed: Double
    /// The duration of the stop at this waypoint, in seconds.
    public var pause: Double

    /// Creates a waypoint. ``MotionRoute`` validates the values.
    public init(latitude: Double, longitude: Double, altitude: Double = .nan, speed: Double = .nan, pause: Double = 0) {
        (self.latitude, self.longitude, self.altitude, self.speed) = (latitude, longitude, altitude, speed)
        self.pause = pause
    }
}

/// The speeds and accelerations on a route between waypoints.
public struct RouteOptions: Sendable, Hashable {
    /// The speed in m/s, which applies until a waypoint specifies a different speed.
    public var speed = 10.0
    /// The maximum acceleration along the route, in m/s². If two waypoints are too close together to reach a speed at
    /// this acceleration, the speed is reduced. If the value is infinite, speed changes are instantaneous before
    /// smoothing.
    public var acceleration = 2.0
    /// The maximum lateral acceleration in corners, in m/s². If a corner would cause a higher acceleration, the speed
    /// is reduced before the corner. If the value is infinite, the speed is not reduced. Each corner is considered
    /// separately, even in a curve made of many waypoints.
    public var corneringAcceleration = 3.0
    /// The heading of a device that never moves, in degrees clockwise from true north.
    public var heading = 0.0

    /// Creates the default options.
    public init() {}
}
