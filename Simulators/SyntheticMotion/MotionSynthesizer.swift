// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Geodesy
package import SensorFusion

/// Synthesizes consistent positions and sensor readings along a route.
///
/// ```swift
/// let route = try MotionRoute([
///     Waypoint(latitude: 48.137, longitude: 11.575, altitude: 520, speed: 14),
///     Waypoint(latitude: 48.145, longitude: 11.575),
///     Waypoint(latitude: 48.145, longitude: 11.590, pause: 20),
/// ])
/// var options = MotionOptions()
/// options.inertialUnit = .mpu6050
/// let synthesizer = try MotionSynthesizer(route, options: options)
/// try synthesizer.write(to: try TraceWriter(path: "drive.trace"))
/// ```
///
/// Corners and speed changes are spread over a few seconds. The body faces the direction of travel. For a route between
/// waypoints, smoothing extends the path by a few seconds at each end, so ``duration`` is longer than the duration of
/// the route. Each reading is computed independently, so errors do not accumulate.
public struct MotionSynthesizer: Sendable {
    /// The rotation rate is computed from two attitudes, `halfStep` seconds before and after the current time. For
    /// wheeled vehicles, the error of this approximation is below 1 nrad/s.
    static let halfStep = 0.0005

    package let route: MotionRoute
    package let options: MotionOptions
    /// The time from the first to the last measurement, in seconds.
    public let duration: Double
    /// The wall-clock time at the start, truncated to milliseconds because report times have this precision.
    public let start: WallTime
    /// Warnings to show to the user.
    public let warnings: [String]
    private let path: SmoothPath
    private let deviceFromBody: MountMatrix
    private let bodyFromDevice: Quaternion

    /// Creates a synthesizer.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - options: The synthesis options.
    /// - Throws: A `DeviceError` that names the invalid option.
    public init(_ route: MotionRoute, options: MotionOptions = MotionOptions()) throws(DeviceError) {
        try options.check()
        (self.route, self.options) = (route, options)
        path = SmoothPath(route, options)
        duration = path.duration
        let start = options.start ?? route.start ?? Self.standardStart
        let rest = start.nanoseconds % 1_000_000
        self.start = WallTime(nanoseconds: start.nanoseconds - (rest < 0 ? rest + 1_000_000 : rest))
        deviceFromBody = options.placement
        bodyFromDevice = Quaternion(rotation: options.placement.inverseRotation)
        var remarks = route.warnings
        let begin = self.start.seconds
        let years = [begin, begin + path.duration].map { DecimalYear.at(secondsSince1970: $0) }
        if options.magnetometer != nil, !years.allSatisfy({ MagneticModel.wmm2025.validYears.contains($0) }) {
            remarks.append(
                "The magnetic model is valid for 2025 to 2029, but the trace is from \(Int(years[0])): its field is wrong by some tenths of a degree for each year in between."
            )
        }
        self.warnings = remarks
    }

    /// The start of 2026 in UTC.
    private static let standardStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)

    /// Returns the state at a time in seconds since the start. Before and after the path, the body is at rest. If the
    /// route was created from a trace, the body instead continues to move for up to one minute.
    package func state(at time: Double) -> MotionState {
        var path = path
        return state(at: time, on: &path)
    }

    func state(at time: Double, on path: inout SmoothPath) -> MotionState {
        // Clamping the time prevents integer overflow.
        let time = time.isFinite ? min(max(time, -60), duration + 60) : 0
        let before = path.instant(at: time - Self.halfStep)
        let after = path.instant(at: time + Self.halfStep)
        let now = path.instant(at: time)
        let turn = before.earthAttitude.conjugate * after.earthAttitude
        var rate = turn.rotationVector / (2 * Self.halfStep)
        if options.earthRotates { rate += now.earthAttitude.conjugate.rotate(SIMD3(0, 0, EarthFixed.rotationRate)) }
        let degrees = 180 / Double.pi
        var heading = SmoothPath.wrapped(now.heading) * degrees
        if heading < 0 { heading += 360 }
        return MotionState(
            time: time, latitude: now.geodeticPosition.latitude * degrees,
            longitude: now.geodeticPosition.longitude * degrees,
            altitude: now.geodeticPosition.height - options.geoidSeparation,
            ellipsoidalAltitude: now.geodeticPosition.height,
            velocity: now.velocity, heading: heading, pitch: now.pitch * degrees, roll: now.roll * degrees,
            attitude: now.attitude * bodyFromDevice, specificForce: deviceFromBody.apply(to: now.specificForce),
            rotationRate: deviceFromBody.apply(to: rate))
    }

    /// Returns the earth's magnetic field in the device frame, in gauss.
    func field(_ state: MotionState) -> SIMD3<Double> {
        let field = MagneticModel.wmm2025.field(
            latitude: state.latitude, longitude: state.longitude, altitude: state.ellipsoidalAltitude,
            year: DecimalYear.at(secondsSince1970: start.seconds + state.time), withRates: false)
        // The model returns north, east and down components in nanoteslas.
        return state.attitude.conjugate.rotate(SIMD3(field.y, field.x, -field.z) * 1e-5)
    }
}

extension Quaternion {
    /// Creates a quaternion from a rotation matrix (Shepperd, Journal of Guidance and Control 1, 1978).
    init(rotation matrix: MountMatrix) {
        let (a, b, c) = matrix.rows
        let trace = a.x + b.y + c.z
        let q: Quaternion
        if trace >= max(a.x, b.y, c.z) {
            q = Quaternion(x: c.y - b.z, y: a.z - c.x, z: b.x - a.y, w: 1 + trace)
        } else if a.x >= max(b.y, c.z) {
            q = Quaternion(x: 1 + a.x - b.y - c.z, y: a.y + b.x, z: a.z + c.x, w: c.y - b.z)
        } else if b.y >= c.z {
            q = Quaternion(x: a.y + b.x, y: 1 - a.x + b.y - c.z, z: b.z + c.y, w: a.z - c.x)
        } else {
            q = Quaternion(x: a.z + c.x, y: b.z + c.y, z: 1 - a.x - b.y + c.z, w: b.x - a.y)
        }
        self = q.normalized
    }

    /// The rotation vector in radians, which is accurate only for small rotations.
    var rotationVector: SIMD3<Double> {
        let sine = w < 0 ? vector * -1 : vector
        let square = (sine * sine).sum()
        // The first terms of the series of 2 asin(x) / x. For a rotation of 0.1 rad, the truncation error is below
        // 1e-15.
        return sine * (2 * (1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (15.0 / 336 + square * 105 / 3456)))))
    }
}

/// The position, attitude and motion of a device at one instant, without noise.
package struct MotionState: Sendable {
    /// The time in seconds since the start.
    package var time: Double
    /// The latitude, in degrees, positive to the north.
    package var latitude: Double
    /// The longitude, in degrees, positive to the east, from -180 to 180.
    package var longitude: Double
    /// The altitude in metres above mean sea level.
    package var altitude: Double
    /// The altitude in metres above the WGS 84 ellipsoid.
    package var ellipsoidalAltitude: Double
    /// The velocity over ground in m/s (east, north, up).
    package var velocity: SIMD3<Double>
    /// The direction that the body faces, from 0 to 360 degrees clockwise from true north. At 1.5 m/s and above, it is
    /// the course. Below 0.3 m/s, it is the direction of the route. Between these speeds, it changes smoothly.
    package var heading: Double
    /// The pitch in degrees, positive if the front is raised.
    package var pitch: Double
    /// The roll in degrees, positive to the right.
    package var roll: Double
    /// The rotation from the device frame to the east, north, up frame.
    package var attitude: Quaternion
    /// The proper acceleration in the device frame, in m/s². At rest, the axis that points up reads +9.81.
    package var specificForce: SIMD3<Double>
    /// The rotation rate in the device frame, in rad/s, including the earth's rotation if
    /// ``MotionOptions/earthRotates`` is true.
    package var rotationRate: SIMD3<Double>

    /// The horizontal speed over ground in m/s.
    package var speed: Double { (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot() }
}
