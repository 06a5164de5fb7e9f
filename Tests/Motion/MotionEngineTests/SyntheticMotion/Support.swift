// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Geodesy
import SensorFusion
import SyntheticMotion
import SystemCalls
import Trace

/// Routes used by several tests.
enum Routes {
    static let munich = GeodeticCoordinate(latitude: 48.137, longitude: 11.575)

    /// A drive of ten minutes with corners of all angles, two stops, a U-turn and hills.
    static func town() throws(DeviceError) -> MotionRoute {
        let legs: [(azimuth: Double, length: Double, altitude: Double, speed: Double, pause: Double)] = [
            (10, 300, 525, 10, 0), (100, 450, 540, 14, 15), (75, 200, 540, 8, 0), (-20, 350, 520, 12, 0),
            (160, 120, 520, 6, 20), (159, 800, 560, 20, 0), (-110, 500, 545, 15, 0), (200, 60, 545, 5, 0),
            (280, 700, 530, 18, 0), (100, 400, 530, 11, 30), (30, 900, 500, 22, 0), (-60, 2600, 505, 16, 0),
        ]
        var position = munich
        var waypoints = [Waypoint(latitude: position.latitude, longitude: position.longitude, altitude: 520, speed: 10)]
        for leg in legs {
            position = Geodesic.direct(from: position, azimuth: leg.azimuth, distance: leg.length).destination
            waypoints[waypoints.count - 1].speed = leg.speed
            waypoints.append(
                Waypoint(
                    latitude: position.latitude, longitude: position.longitude, altitude: leg.altitude, pause: leg.pause
                ))
        }
        return try MotionRoute(waypoints)
    }

    /// A clockwise circle around a center, in steps of 0.5°.
    static func circle(radius: Double, speed: Double, turns: Int = 3) throws(DeviceError) -> MotionRoute {
        let waypoints = (0...turns * 720).map { step in
            let position = Geodesic.direct(from: munich, azimuth: Double(step) / 2, distance: radius).destination
            return Waypoint(latitude: position.latitude, longitude: position.longitude, altitude: 500)
        }
        var options = RouteOptions()
        options.speed = speed
        options.corneringAcceleration = .infinity
        return try MotionRoute(waypoints, options: options)
    }

    /// A straight route.
    static func straight(
        azimuth: Double, length: Double = 1000, speed: Double = 10, climb: Double = 0,
        from start: GeodeticCoordinate = munich
    ) throws(DeviceError) -> MotionRoute {
        let end = Geodesic.direct(from: start, azimuth: azimuth, distance: length).destination
        var options = RouteOptions()
        options.speed = speed
        return try MotionRoute(
            [
                Waypoint(latitude: start.latitude, longitude: start.longitude, altitude: 0),
                Waypoint(latitude: end.latitude, longitude: end.longitude, altitude: climb),
            ], options: options)
    }
}

/// The contents of a trace.
struct TraceContents {
    var samples: [SensorKind: [(time: Int64, value: SIMD3<Double>)]] = [:]
    var reports: [(time: Int64, report: PositionReport)] = []
    var times: [Int64] = []
    var header: TraceHeader

    init(_ trace: TraceFile) throws {
        header = try trace.header ?? { throw DeviceError(.invalidTrace, "no header") }()
        var cursor = TraceCursor(trace)
        var decoder = GPSDDecoder()
        trace.bytes.withUnsafeBytes { bytes in
            while let event = cursor.nextEvent(bytes) {
                let time = event.time ?? -1
                times.append(time)
                switch event.contents {
                case .sample(let value, let kind, _, _): samples[kind, default: []].append((time, value))
                case .gpsd(let line):
                    var report = PositionReport()
                    if line.withUnsafeBytes({ decoder.decode($0, position: &report) }) == nil {
                        reports.append((time, report))
                    }
                default: break
                }
            }
        }
    }

    func values(_ kind: SensorKind) -> [SIMD3<Double>] { samples[kind, default: []].map(\.value) }
}

extension MotionSynthesizer {
    /// Returns the whole trace in memory.
    func trace() throws -> TraceFile {
        let builder = TraceBuilder(name: "synthetic")
        try write(to: builder)
        return try builder.file()
    }
}

/// The difference of two directions in degrees, from -180 to 180.
func difference(_ a: Double, _ b: Double) -> Double {
    let turns = (a - b) / 360
    return (turns - turns.rounded()) * 360
}

/// Returns the mean and the standard deviation.
func moments(_ values: [Double]) -> (mean: Double, deviation: Double) {
    let mean = values.reduce(0, +) / Double(values.count)
    let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    return (mean, square.squareRoot())
}

/// Returns the text of the thrown error, nil if the call succeeds.
func message(_ body: () throws(DeviceError) -> Void) -> String? {
    do throws(DeviceError) {
        try body()
        return nil
    } catch {
        return error.description
    }
}
