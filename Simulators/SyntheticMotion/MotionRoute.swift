// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Geodesy

/// A way and its times: along geodesics from point to point, with corners. ``MotionSynthesizer`` makes it smooth.
///
/// It is made of waypoints with speeds, or of the positions of a trace, and holds them in memory: some 150 bytes each.
public struct MotionRoute: Sendable {
    /// The most waypoints or positions.
    public static let maximumCount = 1_000_000
    /// The longest way, in seconds: seven days.
    public static let maximumDuration = 604_800.0
    /// The greatest speed, in metres per second.
    public static let maximumSpeed = 3_000.0
    /// Altitudes that are taken, in metres above mean sea level.
    public static let altitudes: ClosedRange<Double> = -1_000...80_000

    /// Seconds from the start of the way to its end.
    public let duration: Double
    /// Metres along the way, without the rounding of its corners.
    public let distance: Double
    /// The civil time at the start of the way, when positions of a trace say so.
    public let start: WallTime?
    /// What somebody should know about the way; empty when all is well.
    public let remarks: [String]
    /// True when the way goes on beyond its ends at the speed that it has there: it is a piece of a longer one.
    let extends: Bool
    let stages: [RouteStage]

    /// A way of stages that follow each other; there is at least one.
    init(_ stages: [RouteStage], extends: Bool, start: WallTime? = nil, remarks: [String] = []) {
        self.stages = stages
        self.extends = extends
        self.start = start
        self.remarks = remarks
        duration = stages.last?.end ?? 0
        distance = stages.reduce(0) { $0 + $1.distance }
    }

    /// Where the way is at a time in seconds since its start.
    ///
    /// - Parameter stage: a stage to begin the search at; set to the one that was found.
    func place(at time: Double, near stage: inout Int) -> RoutePlace {
        var index = min(max(stage, 0), stages.count - 1)
        if time < stages[index].start || time >= stages[index].end {
            index = min(stages.partitioningIndex { $0.end > time }, stages.count - 1)
        }
        stage = index
        return stages[index].place(at: time, extends: extends)
    }

    /// Fills in what directions count during stages that tell none: that of the way before them up to the middle of the
    /// time, then that of the way after them.
    static func turn(_ stages: inout [RouteStage], heading: Double) {
        var last: RouteDirection?
        var index = 0
        while index < stages.count {
            guard !stages[index].tellsDirection else {
                last = stages[index].direction(atEnd: true)
                index += 1
                continue
            }
            let first = index
            while index < stages.count, !stages[index].tellsDirection { index += 1 }
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
    /// The direction of the way at its start or its end.
    fileprivate func direction(atEnd: Bool) -> RouteDirection {
        let slope = climb / distance
        guard atEnd else { return RouteDirection(azimuth: azimuth, slope: slope) }
        let end = Geodesic.direct(from: from, azimuth: azimuth, distance: distance)
        return RouteDirection(azimuth: end.finalAzimuth, slope: slope)
    }
}

/// A place on a way, and how to go on from there.
public struct Waypoint: Sendable, Hashable {
    /// Degrees, north positive.
    public var latitude: Double
    /// Degrees, east positive; beyond ±180 the same meridian as its remainder modulo 360.
    public var longitude: Double
    /// Metres above mean sea level; NaN for that of the waypoint before, and 0 at the first.
    public var altitude: Double
    /// Metres per second on the way from here to the next one; NaN for that of the waypoint before, and at the first for
    /// ``RouteOptions/speed``.
    public var speed: Double
    /// How long to stand still here, in seconds.
    public var pause: Double

    /// A waypoint of those parts; they are checked when a ``MotionRoute`` is made.
    public init(latitude: Double, longitude: Double, altitude: Double = .nan, speed: Double = .nan, pause: Double = 0) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.speed = speed
        self.pause = pause
    }
}

/// How a way between waypoints is gone.
public struct RouteOptions: Sendable, Hashable {
    /// Metres per second where waypoints do not say.
    public var speed = 10.0
    /// The most by which the speed changes along the way, in m/s²; infinity changes it at once, and the smooth path then
    /// takes the few seconds that it takes for a corner. Where two waypoints lie too close to keep it, the way is gone
    /// more slowly.
    public var acceleration = 2.0
    /// The most acceleration to the side in a corner, in m/s²: before a sharper corner the speed is reduced. Infinity for
    /// no such care. It looks at each corner by itself: a curve of many waypoints is gone at the speed that they say.
    public var corneringAcceleration = 3.0
    /// Where the device looks when it never moves, in degrees clockwise from true north.
    public var heading = 0.0

    /// The standard options.
    public init() {}
}
