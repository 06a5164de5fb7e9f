// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SensorFusion
import SystemCalls

/// A smooth path along a route, with the attitude of a body that follows the path.
///
/// Points of the route at uniform time intervals are the control points of a quintic B-spline in earth-fixed
/// coordinates. Velocity and acceleration are therefore exact derivatives of the position, even at the poles.
struct SmoothPath: Sendable {
    /// Up to `routeHeadingSpeed`, the heading is the direction of the route. At `courseHeadingSpeed` and above, it is
    /// the course. Both speeds are in m/s.
    private static let routeHeadingSpeed = 0.3
    private static let courseHeadingSpeed = 1.5

    struct Instant {
        /// The position in the earth-fixed frame, in metres.
        var position: SIMD3<Double>
        var geodeticPosition: EarthFixed.GeodeticPosition
        /// The velocity in m/s (east, north, up).
        var velocity: SIMD3<Double>
        /// The angles in radians. The heading is clockwise from north, the pitch is positive if the front is raised,
        /// and the roll is positive to the right.
        var heading: Double
        var pitch: Double
        var roll: Double
        /// The rotation from the body frame to the east, north, up frame.
        var attitude: Quaternion
        /// The rotation from the body frame to the earth-fixed frame.
        var earthAttitude: Quaternion
        /// The specific force in the body frame, in m/s².
        var specificForce: SIMD3<Double>
    }

    private struct Control {
        var index = Int.min
        var position = SIMD3<Double>.zero
        /// The azimuth in radians.
        var azimuth = 0.0
        var slope = 0.0
    }

    let route: MotionRoute
    /// The time, in seconds, that the path adds at each end of the route, or 0 for a section of a longer route.
    let lead: Double
    let duration: Double
    private let knot: Double
    private let geoidSeparation: Double
    private let rotationRate: Double
    private let pitches: Bool
    private let leans: Bool
    private var stage = 0
    /// A cache of control points. Control point i is stored at index i & 15.
    private var controls = [Control](repeating: Control(), count: 16)

    init(_ route: MotionRoute, _ options: MotionOptions) {
        self.route = route
        knot = options.smoothing
        lead = route.extends ? 0 : 3 * options.smoothing
        duration = route.duration + 2 * lead
        geoidSeparation = options.geoidSeparation
        rotationRate = options.earthRotates ? EarthFixed.rotationRate : 0
        pitches = options.followsSlope
        leans = options.leanMode == .coordinated
    }

    mutating func instant(at time: Double) -> Instant {
        let knots = (time - lead) / knot
        let interval = knots.rounded(.down)
        let first = Int(interval) - 2
        let weights = QuinticSpline.weights(knots - interval)
        let points = (first..<first + 6).map { control($0) }
        // Coordinates relative to the first point preserve precision.
        let origin = points[0].position
        let displacements = points.dropFirst().map { $0.position - origin }
        let position = origin + QuinticSpline.sum(weights.values, displacements)
        let geodeticPosition = EarthFixed.geodeticPosition(of: position)
        let frame = geodeticPosition.attitude
        let velocity = frame.conjugate.rotate(QuinticSpline.sum(weights.firsts, displacements)) / knot
        let acceleration = frame.conjugate.rotate(QuinticSpline.sum(weights.seconds, displacements)) / (knot * knot)
        // The specific force in a frame that rotates with the earth (Groves, equation 5.18) is the acceleration, plus
        // twice the cross product of the rotation rate and the velocity (Coriolis), minus gravity.
        let (sine, cosine) = (sin(geodeticPosition.latitude), cos(geodeticPosition.latitude))
        let turning = SIMD3(0, cosine, sine) * rotationRate
        let gravity = NormalGravity.at(sine: sine, height: geodeticPosition.height)
        let force = acceleration + 2 * turning.cross(velocity) + SIMD3(0, 0, gravity)

        let heading = heading(velocity, points, weights)
        let slopes = points.dropFirst().map { $0.slope - points[0].slope }
        let pitch = pitches ? atan(points[0].slope + QuinticSpline.sum(weights.values, slopes)) : 0
        var attitude = Quaternion(aboutZ: -heading) * Quaternion(x: sin(pitch / 2), y: 0, z: 0, w: cos(pitch / 2))
        var bodyForce = attitude.conjugate.rotate(force)
        var roll = 0.0
        if leans {
            // The lower bound avoids free fall, in which the lean angle is undefined.
            roll = atan2(bodyForce.x, max(bodyForce.z, 0.1))
            let lean = Quaternion(x: 0, y: sin(roll / 2), z: 0, w: cos(roll / 2))
            attitude = attitude * lean
            bodyForce = lean.conjugate.rotate(bodyForce)
        }
        return Instant(
            position: position, geodeticPosition: geodeticPosition, velocity: velocity, heading: heading, pitch: pitch,
            roll: roll,
            attitude: attitude, earthAttitude: frame * attitude, specificForce: bodyForce)
    }

    /// Returns the heading: the course at high speed, and the smoothed direction of the route at low speed. In between,
    /// the heading changes smoothly.
    private func heading(_ velocity: SIMD3<Double>, _ points: [Control], _ weights: QuinticSpline.Weights) -> Double {
        let speed = (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot()
        let share = Self.smoothStep(
            (speed - Self.routeHeadingSpeed) / (Self.courseHeadingSpeed - Self.routeHeadingSpeed))
        let course = atan2(velocity.x, velocity.y)
        guard share < 1 else { return course }
        // The azimuth of each point after the first, relative to that of the first point. Between adjacent points, the
        // azimuth is assumed to change by at most half a turn.
        var azimuthChanges: [Double] = []
        for (point, next) in zip(points, points.dropFirst()) {
            azimuthChanges.append((azimuthChanges.last ?? 0) + Self.wrapped(next.azimuth - point.azimuth))
        }
        let direction = points[0].azimuth + QuinticSpline.sum(weights.values, azimuthChanges)
        guard share > 0 else { return direction }
        return direction + share * Self.wrapped(course - direction)
    }

    private mutating func control(_ index: Int) -> Control {
        let slot = index & 15
        if controls[slot].index == index { return controls[slot] }
        let point = route.point(at: Double(index) * knot, near: &stage)
        let slope = point.direction.slope
        controls[slot] = Control(
            index: index,
            position: EarthFixed.position(
                latitude: point.coordinate.latitude, longitude: point.coordinate.longitude,
                height: point.altitude + geoidSeparation),
            azimuth: point.direction.azimuth * .pi / 180, slope: min(max(slope, -1), 1))
        return controls[slot]
    }

    /// Returns a smooth step from 0 to 1 whose first two derivatives are continuous.
    private static func smoothStep(_ x: Double) -> Double {
        let x = min(max(x, 0), 1)
        return x * x * x * (10 + x * (6 * x - 15))
    }

    /// Wraps an angle to the range -π to π.
    static func wrapped(_ angle: Double) -> Double { angle - (angle / (2 * .pi)).rounded() * 2 * .pi }
}

extension SIMD3<Double> {
    func cross(_ other: Self) -> Self {
        [y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x]
    }
}
