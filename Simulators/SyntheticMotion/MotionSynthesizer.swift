// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import Geodesy
public import SensorFusion

/// Makes positions, turning, acceleration, magnetic field and air pressure that agree with each other, along a route.
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
/// The path is smooth: corners and changes of speed are rounded over a few seconds. What moves looks where it goes, and a
/// route between waypoints begins and ends with some seconds at rest, so that it takes ``duration`` and not the route's
/// own. Each reading is computed from the path at its time and from nothing before it, so that no error grows.
public struct MotionSynthesizer: Sendable {
    /// Half the time over which the turning is measured, in seconds. It leaves out a sixth of its square times the second
    /// derivative of the rate: below a nanoradian a second for what wheels can do.
    static let halfStep = 0.0005

    /// The way.
    public let route: MotionRoute
    /// How it is made.
    public let options: MotionOptions
    /// Seconds from the first reading to the last.
    public let duration: Double
    /// The civil time at the start, in whole milliseconds, as reports have it.
    public let start: WallTime
    /// What somebody should know; empty when all is well.
    public let remarks: [String]
    private let path: SmoothPath
    private let deviceFromBody: MountMatrix
    private let bodyFromDevice: Quaternion

    /// - Parameters:
    ///   - route: the way.
    ///   - options: how it is made.
    /// - Throws: which option cannot be used.
    public init(_ route: MotionRoute, options: MotionOptions = MotionOptions()) throws(DeviceError) {
        try options.check()
        self.route = route
        self.options = options
        path = SmoothPath(route, options)
        duration = path.duration
        let start = options.start ?? route.start ?? Self.standardStart
        let rest = start.nanoseconds % 1_000_000
        self.start = WallTime(nanoseconds: start.nanoseconds - (rest < 0 ? rest + 1_000_000 : rest))
        deviceFromBody = options.placement
        bodyFromDevice = Quaternion(rotation: options.placement.inverseRotation)
        var remarks = route.remarks
        let begin = self.start.seconds
        let years = [begin, begin + path.duration].map { DecimalYear.at(secondsSince1970: $0) }
        if options.magnetometer != nil, !years.allSatisfy({ MagneticModel.wmm2025.validYears.contains($0) }) {
            remarks.append(
                "The magnetic model is made for 2025 to 2029, and the trace is of \(Int(years[0])): its field is off by some tenths of a degree for each year in between."
            )
        }
        self.remarks = remarks
    }

    private static let standardStart = WallTime(nanoseconds: 1_767_225_600_000_000_000)

    /// What there is at a time in seconds since the start.
    ///
    /// Before the start and after the end it is what it is there: at rest, or going on.
    public func state(at time: Double) -> MotionState {
        var path = path
        return state(at: time, on: &path)
    }

    /// The same, with a path that remembers where it is.
    func state(at time: Double, on path: inout SmoothPath) -> MotionState {
        // Far beyond the ends there is nothing to tell, and whole numbers have an end.
        let time = time.isFinite ? min(max(time, -60), duration + 60) : 0
        let before = path.instant(at: time - Self.halfStep)
        let after = path.instant(at: time + Self.halfStep)
        let now = path.instant(at: time)
        let turn = before.earthAttitude.conjugate * after.earthAttitude
        var rate = turn.turningVector / (2 * Self.halfStep)
        if options.earthRotates { rate += now.earthAttitude.conjugate.rotate(SIMD3(0, 0, EarthFixed.rotationRate)) }
        let degrees = 180 / Double.pi
        var heading = SmoothPath.wrapped(now.heading) * degrees
        if heading < 0 { heading += 360 }
        return MotionState(
            time: time, latitude: now.place.latitude * degrees, longitude: now.place.longitude * degrees,
            altitude: now.place.height - options.geoidSeparation, ellipsoidalAltitude: now.place.height,
            velocity: now.velocity, heading: heading, pitch: now.pitch * degrees, roll: now.roll * degrees,
            attitude: now.attitude * bodyFromDevice, specificForce: deviceFromBody.apply(to: now.specificForce),
            rotationRate: deviceFromBody.apply(to: rate))
    }

    /// The earth's magnetic field in gauss, in the device's axes, without the device's own.
    func field(_ state: MotionState) -> SIMD3<Double> {
        let field = MagneticModel.wmm2025.field(
            latitude: state.latitude, longitude: state.longitude, altitude: state.ellipsoidalAltitude,
            year: DecimalYear.at(secondsSince1970: start.seconds + state.time), withRates: false)
        // Nanotesla north, east, down.
        return state.attitude.conjugate.rotate(SIMD3(field.y, field.x, -field.z) * 1e-5)
    }
}

extension Quaternion {
    /// The rotation of a matrix (Shepperd, Journal of Guidance and Control 1, 1978).
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

    /// The rotation vector of a small turn, in radians.
    var turningVector: SIMD3<Double> {
        let sine = w < 0 ? vector * -1 : vector
        let square = (sine * sine).sum()
        // Twice the arcsine of the length, over it; what the series leaves out is below 1e-15 for a tenth of a radian.
        return sine * (2 * (1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (15.0 / 336 + square * 105 / 3456)))))
    }
}

/// How a device is and moves at one instant, without noise.
public struct MotionState: Sendable {
    /// Seconds since the start.
    public var time: Double
    /// Degrees north.
    public var latitude: Double
    /// Degrees east, -180 to 180.
    public var longitude: Double
    /// Metres above mean sea level.
    public var altitude: Double
    /// Metres above the WGS 84 ellipsoid.
    public var ellipsoidalAltitude: Double
    /// Velocity over ground in m/s: east, north, up.
    public var velocity: SIMD3<Double>
    /// Where what moves looks, in degrees clockwise from true north, 0 to 360. It is the course where the speed tells
    /// one, from 1.5 m/s; below 0.3 m/s it is that of the way before and after, turned smoothly.
    public var heading: Double
    /// Degrees that the front is up.
    public var pitch: Double
    /// Degrees that it leans to the right.
    public var roll: Double
    /// Turns vectors from the axes of the device to east, north, up at its place.
    public var attitude: Quaternion
    /// Proper acceleration in m/s², in the device's axes: at rest the axis that points up has +9.81.
    public var specificForce: SIMD3<Double>
    /// The turning against the stars (against the earth when it does not rotate) in rad/s, in the device's axes.
    public var rotationRate: SIMD3<Double>

    /// Metres per second over ground, without the climb.
    public var speed: Double { (velocity.x * velocity.x + velocity.y * velocity.y).squareRoot() }
}
