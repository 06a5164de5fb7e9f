// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Geodesy
import SensorFusion
import SystemCalls
import Testing

@testable import SyntheticMotion

@Suite("Synthetic paths")
struct PathTests {
    @Test("The spline weights match their definition by convolution")
    func weights() {
        // The values 1, 26, 66, 26, 1 over 120, the slopes 1, 10, 0, -10, -1 over 24 and the second derivatives 1, 2,
        // -6, 2, 1 over 6 of the quintic B-spline at its knots, from published tables.
        let start = QuinticSpline.weights(0)
        #expect(all(start.values, [1, 26, 66, 26, 1, 0], 120))
        #expect(all(start.firsts, [-1, -10, 0, 10, 1, 0], 24))
        #expect(all(start.seconds, [1, 2, -6, 2, 1, 0], 6))
        for u in [0.0, 0.1, 0.37, 0.5, 0.92, 1] {
            let w = QuinticSpline.weights(u)
            let numbers = [w.values.0, w.values.1, w.values.2, w.values.3, w.values.4, w.values.5]
            #expect(abs(numbers.reduce(0, +) - 1) < 1e-15)
            // A straight line is reproduced: points at -2...3 yield u.
            let result = zip(numbers, -2...3).reduce(0) { $0 + $1.0 * Double($1.1) }
            #expect(abs(result - u) < 1e-14)
        }
    }

    private func all(
        _ found: (Double, Double, Double, Double, Double, Double), _ expected: [Double], _ divisor: Double
    ) -> Bool {
        zip([found.0, found.1, found.2, found.3, found.4, found.5], expected)
            .allSatisfy { abs($0 - $1 / divisor) < 1e-15 }
    }

    @Test("Geographic coordinates survive the conversion to earth-fixed positions and back")
    func coordinates() {
        for latitude in [-90, -89.9999999, -45, -1e-9, 0, 30, 60, 89, 90] {
            for longitude in [-180, -90, 0, 11.575, 179.999] {
                for height in [-1000.0, 0, 500, 80_000] {
                    let position = EarthFixed.position(latitude: latitude, longitude: longitude, height: height)
                    let result = EarthFixed.geodeticPosition(of: position)
                    #expect(abs(result.latitude * 180 / .pi - latitude) < 1e-13, "\(latitude) \(height)")
                    #expect(abs(result.height - height) < 5e-9)
                    if abs(latitude) < 89.99 {
                        #expect(abs(difference(result.longitude * 180 / .pi, longitude)) < 1e-12)
                    }
                }
            }
        }
    }

    @Test("A route starts and ends at rest, keeps its speeds and stops at its pauses")
    func timetable() throws {
        let route = try MotionRoute([
            Waypoint(latitude: 48, longitude: 11, speed: 10), Waypoint(latitude: 48.01, longitude: 11, pause: 30),
            Waypoint(latitude: 48.01, longitude: 11.02),
        ])
        // 0.01° north are 1,111.97 m, and 0.02° east are 1,491.6 m. Accelerating at 2 m/s² to 10 m/s and braking takes
        // 5 s more than constant speed, on both legs.
        let lengths = [1111.96, 1491.6]
        #expect(abs(route.distance - lengths[0] - lengths[1]) < 2)
        #expect(abs(route.duration - (route.distance / 10 + 10 + 30)) < 1e-6)
        let synthesizer = try MotionSynthesizer(route)
        #expect(abs(synthesizer.duration - route.duration - 6) < 1e-9)
        let pause = 3 + lengths[0] / 10 + 5 + 15
        for (time, latitude, longitude) in [(0, 48, 11), (pause, 48.01, 11), (synthesizer.duration, 48.01, 11.02)] {
            let state = synthesizer.state(at: time)
            #expect(state.velocity.length < 1e-6, "\(time): \(state.velocity)")
            #expect(abs(state.latitude - latitude) < 1e-8)
            #expect(abs(state.longitude - longitude) < 1e-8)
        }
        #expect(abs(synthesizer.state(at: 60).speed - 10) < 1e-4)
        // In the middle of the stop the device turns from north to east and is halfway there, to within one knot.
        #expect(abs(difference(synthesizer.state(at: 3 + 1111.96 / 10 + 5 + 15).heading, 45)) < 25)
        #expect(abs(difference(synthesizer.state(at: 3 + 1111.96 / 10 + 5 + 5).heading, 0)) < 0.01)
        #expect(abs(difference(synthesizer.state(at: 3 + 1111.96 / 10 + 5 + 26).heading, 90)) < 0.1)
    }

    @Test("Motion is continuous at corners, stops and U-turns, and rotation rates are bounded")
    func continuity() throws {
        for leanMode in MotionOptions.LeanMode.allCases {
            var options = MotionOptions()
            options.leanMode = leanMode
            options.earthRotates = false
            let synthesizer = try MotionSynthesizer(try Routes.town(), options: options)
            var path = SmoothPath(synthesizer.route, synthesizer.options)
            var last: MotionState?
            for time in stride(from: 0, to: synthesizer.duration, by: 0.02) {
                let state = synthesizer.state(at: time, on: &path)
                if let last {
                    let rotation = last.attitude.conjugate * state.attitude
                    let angle = 2 * asin(min(rotation.vector.length, 1))
                    #expect(abs(angle / 0.02 - state.rotationRate.length) < 0.15, "\(leanMode) \(time)")
                    #expect((state.specificForce - last.specificForce).length < 0.3, "\(leanMode) \(time)")
                }
                // At most 3 m/s² in corners at the given speeds, and turns on the spot take two seconds.
                #expect(state.rotationRate.length < 2.5, "\(leanMode) \(time): \(state.rotationRate)")
                #expect((state.specificForce.length - 9.8).magnitude < 3, "\(leanMode) \(time)")
                last = state
            }
        }
    }

    @Test(
        "Motion over the poles and the antimeridian is as smooth as elsewhere",
        arguments: [
            (GeodeticCoordinate(latitude: 89.998, longitude: 20), 0.0),
            (GeodeticCoordinate(latitude: -89.998, longitude: -130), 180),
            (GeodeticCoordinate(latitude: 17, longitude: 179.998), 90),
            (GeodeticCoordinate(latitude: -65, longitude: -179.996), 270),
            (GeodeticCoordinate(latitude: 90, longitude: 0), 45),
        ] as [(GeodeticCoordinate, Double)])
    func poles(start: GeodeticCoordinate, azimuth: Double) throws {
        var options = MotionOptions()
        options.earthRotates = false
        let route = try Routes.straight(azimuth: azimuth, length: 600, from: start)
        let synthesizer = try MotionSynthesizer(route, options: options)
        var travelled = 0.0
        var last = synthesizer.state(at: 0)
        for time in stride(from: 0.5, through: synthesizer.duration, by: 0.5) {
            let state = synthesizer.state(at: time)
            travelled += Geodesic.distance(
                from: GeodeticCoordinate(latitude: last.latitude, longitude: last.longitude),
                to: GeodeticCoordinate(latitude: state.latitude, longitude: state.longitude))
            last = state
            #expect(abs(state.latitude) <= 90 && abs(state.longitude) <= 180)
            // At rest on the pole, directions depend on the meridian. In motion there is neither rotation nor lateral
            // force.
            if state.speed > 2 {
                #expect(state.specificForce.x.magnitude < 1e-3)
                #expect(state.rotationRate.length < 1e-4, "\(time): \(state.rotationRate)")
            }
        }
        #expect(abs(travelled - 600) < 0.1)
    }

    @Test("A vertical route, as in an elevator, is valid")
    func lift() throws {
        let route = try MotionRoute([
            Waypoint(latitude: 48, longitude: 11, altitude: 0, speed: 2),
            Waypoint(latitude: 48, longitude: 11, altitude: 40),
        ])
        #expect(abs(route.duration - 20) < 0.1)
        let synthesizer = try MotionSynthesizer(route)
        let state = synthesizer.state(at: synthesizer.duration / 2)
        #expect(abs(state.velocity.z - 2) < 1e-3)
        #expect(abs(state.altitude - 20) < 0.1)
        #expect(state.pitch == 0)
    }
}
