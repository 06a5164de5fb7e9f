// SPDX-License-Identifier: Apache-2.0

import DeviceCore
@testable import SyntheticMotion
import Testing
import Trace

@Suite("Hostile input to synthetic motion")
struct HostileTests {
    private func error(_ waypoints: [Waypoint], _ options: RouteOptions = RouteOptions()) -> String? {
        message { () throws(DeviceError) in _ = try MotionRoute(waypoints, options: options) }
    }

    @Test("An error names an invalid waypoint by its number and field")
    func waypoints() throws {
        let good = Waypoint(latitude: 48, longitude: 11)
        for (bad, part) in [
            (Waypoint(latitude: .nan, longitude: 11), "latitude"),
            (Waypoint(latitude: 90.001, longitude: 11), "latitude"),
            (Waypoint(latitude: .infinity, longitude: 11), "latitude"),
            (Waypoint(latitude: 48, longitude: .nan), "longitude"),
            (Waypoint(latitude: 48, longitude: 1e300), "longitude"),
            (Waypoint(latitude: 48, longitude: 11.1, altitude: .infinity), "altitude"),
            (Waypoint(latitude: 48, longitude: 11.1, altitude: -20_000), "altitude"),
            (Waypoint(latitude: 48, longitude: 11.1, speed: 0), "speed"),
            (Waypoint(latitude: 48, longitude: 11.1, speed: -3), "speed"),
            (Waypoint(latitude: 48, longitude: 11.1, speed: .infinity), "speed"),
            (Waypoint(latitude: 48, longitude: 11.1, pause: .nan), "pause"),
            (Waypoint(latitude: 48, longitude: 11.1, pause: -1), "pause"),
            (Waypoint(latitude: 48, longitude: 11.1, pause: .infinity), "pause"),
        ] {
            let text = try #require(error([good, bad, good]))
            #expect(text.hasPrefix("Waypoint 2: ") && text.contains(part), "\(text)")
        }
        #expect(error([])?.contains("no waypoint") == true)
        #expect(error([good])?.contains("only one waypoint") == true)
        #expect(error([good, good, good])?.contains("same place") == true)
        let far = Waypoint(latitude: -48, longitude: -169, speed: 0.01)
        #expect(error([Waypoint(latitude: 48, longitude: 11, speed: 0.01), far])?.contains("seven days") == true)
        let many = [Waypoint](repeating: good, count: MotionRoute.maximumCount + 1)
        #expect(error(many)?.contains("at most 1000000 are supported") == true)
    }

    @Test("Invalid options are rejected")
    func options() throws {
        let good = [Waypoint(latitude: 48, longitude: 11), Waypoint(latitude: 48.01, longitude: 11)]
        for change in [
            { (options: inout RouteOptions) in options.speed = .nan }, { $0.speed = 0 }, { $0.speed = .infinity },
            { $0.acceleration = 0 }, { $0.acceleration = .nan }, { $0.corneringAcceleration = -1 },
            { $0.heading = .infinity },
        ] {
            var options = RouteOptions()
            change(&options)
            #expect(error(good, options) != nil)
        }
        let route = try MotionRoute(good)
        for change in [
            { (options: inout MotionOptions) in options.sampleRate = .nan }, { $0.sampleRate = 0 },
            { $0.sampleRate = 1e9 }, { $0.fixRate = -1 }, { $0.fixRate = .infinity }, { $0.fixDelay = .nan },
            { $0.smoothing = 0 }, { $0.smoothing = .infinity }, { $0.biasFraction = 2 },
            { $0.placement = MountMatrix([1, 0, 0], [0, 1, 0], [0, 0, -1]) },
            { $0.mountMatrix = MountMatrix([2, 0, 0], [0, 2, 0], [0, 0, 2]) },
            { $0.mountMatrix = MountMatrix([.nan, 0, 0], [0, 1, 0], [0, 0, 1]) },
            { $0.hardIron = [.nan, 0, 0] }, { $0.softIron = MountMatrix(.zero, .zero, .zero) },
            { $0.geoidSeparation = .nan }, { $0.magnetometerRate = 0 }, { $0.pressureRate = .nan },
            { $0.magnetometer = SensorModel(name: "x", noise: SensorNoise(density: .nan)) },
            { $0.receiver.wanderTime = 0 }, { $0.receiver.velocity = -1 },
        ] {
            var options = MotionOptions()
            change(&options)
            #expect(message { () throws(DeviceError) in _ = try MotionSynthesizer(route, options: options) } != nil)
        }
    }

    @Test("Every valid route yields numbers that a trace can store")
    func extremes() throws {
        var hasty = RouteOptions()
        hasty.acceleration = .infinity
        hasty.corneringAcceleration = .infinity
        let routes = [
            // Zero-length legs, legs shorter than a step, and the same position with another longitude.
            try MotionRoute([
                Waypoint(latitude: 48, longitude: 11), Waypoint(latitude: 48, longitude: 11, pause: 1),
                Waypoint(latitude: 48, longitude: -349), Waypoint(latitude: 48.000001, longitude: 11),
                Waypoint(latitude: 48.000001, longitude: -349, pause: 1), Waypoint(latitude: 48.1, longitude: 11),
            ]),
            // From pole to pole and to the opposite side of the earth at high speed.
            try MotionRoute(
                [
                    Waypoint(latitude: 90, longitude: 0, altitude: 80_000, speed: 3000),
                    Waypoint(latitude: -90, longitude: 0, altitude: -1000),
                ], options: hasty),
            try MotionRoute(
                [Waypoint(latitude: 0, longitude: 0, speed: 3000), Waypoint(latitude: 0, longitude: 180)],
                options: hasty),
            // Immediate U-turns.
            try MotionRoute(
                [
                    Waypoint(latitude: 0, longitude: 0, speed: 100), Waypoint(latitude: 0, longitude: 0.01),
                    Waypoint(latitude: 0, longitude: 0), Waypoint(latitude: 0, longitude: 0.01, speed: 0.01),
                    Waypoint(latitude: 0, longitude: 0.010001),
                ], options: hasty),
        ]
        for route in routes {
            for leanMode in MotionOptions.LeanMode.allCases {
                var options = MotionOptions()
                options.leanMode = leanMode
                let synthesizer = try MotionSynthesizer(route, options: options)
                let times = stride(from: -100, to: synthesizer.duration + 100, by: synthesizer.duration / 300)
                for time in Array(times) + [.nan, .infinity, -.infinity, 1e300] {
                    let state = synthesizer.state(at: time)
                    #expect(abs(state.latitude) <= 90 && abs(state.longitude) <= 180)
                    #expect((0...360).contains(state.heading))
                    #expect(state.specificForce.length < 1e5 && state.rotationRate.length < 1e4)
                    #expect(state.velocity.length < 4000)
                    #expect(state.altitude.isFinite && state.pitch.isFinite && state.roll.isFinite)
                }
            }
        }
    }

    @Test("A route of many waypoints keeps their order and their total distance")
    func many() throws {
        // A zigzag of 20,000 points, 2 m apart.
        let waypoints = (0..<20_000).map { index in
            Waypoint(latitude: 10 + Double(index) * 1.8e-5, longitude: 20 + Double(index % 2) * 1e-6)
        }
        let route = try MotionRoute(waypoints)
        // 1.8e-5° of latitude are 1.990 m here.
        #expect(abs(route.distance - 19_999 * 1.9935) < 60, "\(route.distance)")
        let synthesizer = try MotionSynthesizer(route)
        #expect(abs(synthesizer.state(at: synthesizer.duration).latitude - 10.359982) < 1e-6)
    }

    @Test("Traces with no position, a single one or implausible ones are rejected")
    func traces() throws {
        func route(_ lines: [String]) -> Result<MotionRoute, DeviceError> {
            do throws(DeviceError) {
                let text = lines.map { $0 + "\n" }.joined()
                return .success(try MotionRoute(try TraceFile(bytes: Array(text.utf8), name: "x.json")))
            } catch {
                return .failure(error)
            }
        }
        func line(_ second: Int, _ latitude: String, _ longitude: String = "11", _ altitude: String = "5") -> String {
            #"{"class":"TPV","mode":3,"time":"2026-01-01T00:00:\#(second < 10 ? "0" : "")\#(second).000Z","lat":\#(latitude),"lon":\#(longitude),"altMSL":\#(altitude)}"#
        }
        for (lines, part) in [
            ([#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#], "no positions"),
            ([line(1, "48")], "one position"),
            ([line(1, "48"), line(1, "48.1"), line(0, "48.2")], "one position"),
            ([line(1, "48"), line(2, "-48")], "one position"),
        ] {
            guard case .failure(let error) = route(lines) else {
                Issue.record("no error: \(part)")
                continue
            }
            #expect(error.description.contains(part), "\(error)")
        }
        let jump = try route([
            line(1, "48"), line(2, "48.0001"), line(3, "-20"), line(4, "48.0002", "11", "1e7"), line(5, "48.0004"),
        ]).get()
        #expect(jump.warnings.count == 1 && jump.duration == 4)
        #expect(abs(try MotionSynthesizer(jump).state(at: 2).speed - 11.1) < 0.2)
    }
}
