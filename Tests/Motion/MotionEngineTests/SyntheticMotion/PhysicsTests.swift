// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy
import SensorFusion
import SystemCalls
import Testing
import Trace

@testable import SyntheticMotion

@Suite("Physics of synthetic motion")
struct PhysicsTests {
    private func still(
        latitude: Double = 48.137, altitude: Double = 0, heading: Double = 0,
        change: (inout MotionOptions) -> Void = { _ in }
    ) throws -> MotionSynthesizer {
        var route = RouteOptions()
        route.heading = heading
        var options = MotionOptions()
        change(&options)
        return try MotionSynthesizer(
            try MotionRoute(
                [Waypoint(latitude: latitude, longitude: 11.575, altitude: altitude, pause: 10)], options: route),
            options: options)
    }

    /// Gravity on the ellipsoid at the equator, at 45° and at the poles, as published with WGS 84: the equator and the
    /// poles in TR8350.2, table 3.4, and 9.806197769 m/s² at 45° in the geodesist's handbook.
    @Test(
        "At rest the accelerometer reads the local gravity, upward",
        arguments: [
            (0.0, 9.7803253359), (45, 9.806197769), (90, 9.8321849378), (-90, 9.8321849378),
        ])
    func rest(latitude: Double, gravity: Double) throws {
        let state = try still(latitude: latitude).state(at: 5)
        #expect(abs(state.specificForce.length - gravity) < 1e-8, "\(state.specificForce)")
        #expect(abs(state.specificForce.z - gravity) < 1e-8)
        #expect(state.velocity.length < 1e-9)
        // The textbook's free-air gradient is -3.086 µm/s² per meter of height.
        let higher = try still(latitude: latitude, altitude: 1000).state(at: 5)
        #expect(abs(state.specificForce.z - higher.specificForce.z - 0.003086) < 5e-6)
    }

    @Test("At rest the gyroscope reads the earth's rotation of 15.04° per hour, if it is enabled")
    func earthRate() throws {
        let rate = 15.041067 / 3600 * Double.pi / 180
        for heading in [0.0, 90, 200] {
            let state = try still(heading: heading).state(at: 5)
            #expect(abs(difference(state.heading, heading)) < 1e-9)
            let (phi, psi) = (48.137 * Double.pi / 180, heading * Double.pi / 180)
            // North and up. North is to the left when the device faces east.
            let expected = SIMD3(-cos(phi) * sin(psi), cos(phi) * cos(psi), sin(phi)) * rate
            #expect((state.rotationRate - expected).length < 1e-10, "\(state.rotationRate)")
            #expect(try still(heading: heading) { $0.earthRotates = false }.state(at: 5).rotationRate.length < 1e-11)
        }
    }

    /// Control points on a circle, separated by an angle θ, define a curve whose radius is smaller by the factor (66 +
    /// 52 cos θ + 2 cos 2θ) / 120. The numbers are the values of the quintic B-spline at its knots.
    @Test("On a circle the force is v²/r inward and the rotation rate is v/r", arguments: [0.25, 1])
    func circle(smoothing: Double) throws {
        let (radius, speed) = (50.0, 10.0)
        var options = MotionOptions()
        options.smoothing = smoothing
        options.earthRotates = false
        let synthesizer = try MotionSynthesizer(try Routes.circle(radius: radius, speed: speed), options: options)
        let step = speed * smoothing / radius
        let shrunk = (66 + 52 * cos(step) + 2 * cos(2 * step)) / 120
        // The altitude of 500 m increases the distance to the earth's center by 8e-5, which is below the tolerance.
        let (r, v) = (radius * shrunk, speed * shrunk)
        for time in stride(from: synthesizer.duration / 3, to: synthesizer.duration * 2 / 3, by: 0.31) {
            let state = synthesizer.state(at: time)
            // The remaining 0.3 % are due to the corners of the polygon.
            #expect(abs(state.speed / v - 1) < 0.003, "\(state.speed) \(v)")
            #expect(abs(state.specificForce.x / (v * v / r) - 1) < 0.01, "\(state.specificForce)")
            #expect(abs(state.specificForce.y) < 0.02)
            #expect(abs(state.rotationRate.z / (-v / r) - 1) < 0.01, "\(state.rotationRate)")
            #expect(abs(state.roll) == 0)
        }
    }

    @Test("A coordinated turn has no lateral force and a bank angle of arctan(v²/(r g))")
    func coordinated() throws {
        var options = MotionOptions()
        options.leanMode = .coordinated
        options.smoothing = 0.25
        let synthesizer = try MotionSynthesizer(try Routes.circle(radius: 50, speed: 10), options: options)
        for time in stride(from: 0, to: synthesizer.duration, by: 0.37) {
            let state = synthesizer.state(at: time)
            #expect(abs(state.specificForce.x) < 1e-12)
            guard time > 20, time < synthesizer.duration - 20 else { continue }
            #expect(abs(state.roll - atan(2 / 9.8085) * 180 / .pi) < 0.15, "\(state.roll)")
            // The specific force counters both accelerations: √(g² + a²).
            #expect(abs(state.specificForce.z - (9.8085 * 9.8085 + 4).squareRoot()) < 0.02)
            // The rotation is clockwise about the vertical, and the right side points below the horizontal by the bank
            // angle.
            #expect(abs(state.rotationRate.length - 0.2) < 0.003)
            #expect(abs(state.rotationRate.x - 0.2 * sin(state.roll * .pi / 180)) < 0.001)
        }
    }

    /// 15 m/s east at 48°: 2 ω v sin φ to the right is 1.63 mm/s², and 2 ω v cos φ upward is 1.46 mm/s². v²/r of the
    /// motion around the earth is 35 µm/s².
    @Test("The Coriolis force pushes a moving device sideways and makes it lighter when it moves east")
    func coriolis() throws {
        let east = try MotionSynthesizer(try Routes.straight(azimuth: 90, speed: 15)).state(at: 30)
        var options = MotionOptions()
        options.earthRotates = false
        let still = try MotionSynthesizer(try Routes.straight(azimuth: 90, speed: 15), options: options).state(at: 30)
        let phi = 48.137 * Double.pi / 180
        let change = east.specificForce - still.specificForce
        // Right is south when the device faces east. A specific force to the north counters the push to the south.
        #expect(abs(change.x + 2 * 7.292115e-5 * 15 * sin(phi)) < 1e-6, "\(change)")
        #expect(abs(change.z + 2 * 7.292115e-5 * 15 * cos(phi)) < 1e-6, "\(change)")
        #expect(abs(still.specificForce.z - (9.809035 - 15 * 15 / 6_387_000)) < 2e-4)
    }

    @Test("On a straight route the speed is exact and gravity is the only force", arguments: [0.0, 37, 90, 201, 300])
    func straight(azimuth: Double) throws {
        var options = MotionOptions()
        options.earthRotates = false
        let synthesizer = try MotionSynthesizer(
            try Routes.straight(azimuth: azimuth, climb: 50), options: options)
        // A climb of 50 m on 1,000 m, at 10 m/s along the slope.
        let slope = atan(0.05)
        let state = synthesizer.state(at: synthesizer.duration / 2)
        #expect(abs(state.speed - 10 * cos(slope)) < 1e-4)
        #expect(abs(state.velocity.z - 10 * sin(slope)) < 1e-4)
        #expect(abs(state.pitch - slope * 180 / .pi) < 1e-3)
        #expect(abs(difference(state.heading, azimuth)) < 0.01)
        // A slope tilts gravity backward, so the specific force has a forward component.
        #expect(abs(state.specificForce.y - state.specificForce.length * sin(slope)) < 1e-3)
        #expect(abs(state.specificForce.x) < 1e-4)
        #expect(state.rotationRate.length < 1e-5)
    }

    @Test(
        "The magnetometer points to magnetic north, and adding the declination yields the course",
        arguments: [0.0, 75, 190, 285])
    func compass(azimuth: Double) throws {
        let synthesizer = try MotionSynthesizer(try Routes.straight(azimuth: azimuth))
        let time = synthesizer.duration / 2
        let state = synthesizer.state(at: time)
        let field = synthesizer.field(state)
        let truth = MagneticModel.wmm2025.field(
            latitude: state.latitude, longitude: state.longitude, altitude: 0, year: 2026)
        // Horizontal. North is to the left when the device faces east.
        let magnetic = atan2(-field.x, field.y) * 180 / .pi
        #expect(abs(difference(magnetic + truth.declination, azimuth)) < 0.02)
        #expect(abs(field.length * 1e5 - truth.total) < 1)
        // Downward in the northern hemisphere.
        #expect(abs(field.z * 1e5 + truth.z) < 1)
    }

    /// Pressure by geometric altitude from the U.S. Standard Atmosphere 1976, table I.
    @Test(
        "The pressure matches the standard atmosphere",
        arguments: [
            (0.0, 101.325), (1000, 89.8763), (5000, 54.0483), (11_000, 22.6999), (15_000, 12.1118), (20_000, 5.52931),
        ])
    func pressure(altitude: Double, pressure: Double) {
        #expect(abs(StandardAtmosphere.pressure(altitude: altitude) / pressure - 1) < 5e-5)
    }

    @Test("The placement rotates the device axes, and the mount matrix rotates the sensor axes")
    func mounting() throws {
        // The device stands upright: its top edge points up, its back forward. Vehicle x, y, z are device x, -z, y.
        let placement = MountMatrix([1, 0, 0], [0, 0, 1], [0, -1, 0])
        // The sensor is rotated by 90° about z: device = matrix · sensor.
        let matrix = MountMatrix([0, 1, 0], [-1, 0, 0], [0, 0, 1])
        let flat = try still(heading: 30)
        let placed = try still(heading: 30) {
            $0.placement = placement
            $0.mountMatrix = matrix
        }
        let (a, b) = (flat.state(at: 5), placed.state(at: 5))
        #expect((b.specificForce - [0, a.specificForce.z, 0]).length < 1e-9)
        #expect((b.rotationRate - [a.rotationRate.x, a.rotationRate.z, -a.rotationRate.y]).length < 1e-12)
        // The device's top edge points up, and its screen backward.
        #expect((b.attitude.rotate([0, 1, 0]) - [0, 0, 1]).length < 1e-12)
        #expect((b.attitude.rotate([0, 0, -1]) - [sin(Double.pi / 6), cos(Double.pi / 6), 0]).length < 1e-9)
        let contents = try TraceContents(try placed.trace())
        let sensor = try #require(contents.header.sensors.first { $0.kind == .accelerometer })
        #expect(sensor.mountMatrix == matrix)
        let reading = try #require(contents.values(.accelerometer).first)
        #expect((sensor.mountMatrix.apply(to: reading) - [0, a.specificForce.z, 0]).length < 1e-9)
        // Device y points up: matrix · (x) = -y, so up is sensor -x.
        #expect(reading.x < -9)
    }
}
