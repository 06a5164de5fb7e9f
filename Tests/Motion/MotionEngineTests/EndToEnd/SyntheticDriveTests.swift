// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import DeviceCore
import SensorFusion
import SimulatedDevice
import SyntheticMotion
import Testing
import Trace

/// Compares the output of the managers for a synthetic drive with the path from which it was generated.
@Suite("A synthetic drive from the path to the handlers", .timeLimit(.minutes(30))) @MainActor
struct SyntheticDriveTests {
    /// A drive twice around a block, with long straight sides at constant speed.
    private static func drive(_ change: (inout MotionOptions) -> Void = { _ in }) throws -> MotionSynthesizer {
        let corners = [(48.0, 11.0), (48.006, 11.0), (48.006, 11.010), (48.0, 11.010)]
        let waypoints = (0...8).map { index in
            Waypoint(latitude: corners[index % 4].0, longitude: corners[index % 4].1, altitude: 500, speed: 12)
        }
        var options = MotionOptions()
        change(&options)
        return try MotionSynthesizer(try MotionRoute(waypoints), options: options)
    }

    private static func device(_ synthesizer: MotionSynthesizer) throws -> SimulatedDevice {
        let builder = TraceBuilder(name: "drive")
        try synthesizer.write(to: builder)
        return SimulatedDevice(try builder.file())
    }

    /// Returns the times, in tenths of a second, before which speed and course have been constant for 20 s.
    private static func calmTimes(_ synthesizer: MotionSynthesizer, after begin: Double) -> Set<Int64> {
        var calm: Set<Int64> = []
        var since = 0.0
        for time in stride(from: 0, to: synthesizer.duration, by: 0.1) {
            let state = synthesizer.state(at: time)
            let across = state.specificForce.x.magnitude + state.specificForce.y.magnitude
            since = across < 0.02 ? since + 0.1 : 0
            if since > 20, time > begin { calm.insert(Int64((time * 10).rounded())) }
        }
        return calm
    }

    @Test("Heading, gravity and user acceleration match the path", arguments: ["ideal", "mpu9250"])
    func motion(chip: String) throws {
        let unit = try #require(InertialUnit.all.first { $0.name == chip })
        let synthesizer = try Self.drive {
            $0.inertialUnit = unit
            $0.magnetometer = unit.magnetometer
        }
        let log = MotionLog(try Self.device(synthesizer), interval: 0.1, frame: .xTrueNorthZVertical)
        #expect(log.motions.count > 3000)
        let calm = Self.calmTimes(synthesizer, after: 30)
        var headings: [Double] = []
        var calmHeadings: [Double] = []
        var calmTilts: [Double] = []
        var forces: [Double] = []
        for motion in log.motions {
            let seconds = Double(motion.time) / 1e9
            guard seconds > 10 else { continue }
            let state = synthesizer.state(at: seconds)
            let turns = (motion.heading - state.heading) / 360
            headings.append((turns - turns.rounded()) * 360)
            // The up direction of the path in the axes of the device, which lies flat.
            let up = state.attitude.up
            let tilt = Angles.between(motion.gravity, SIMD3(repeating: 0) - up)
            let isCalm = calm.contains(Int64((seconds * 10).rounded()))
            if isCalm { calmTilts.append(tilt) }
            if isCalm, let heading = headings.last { calmHeadings.append(heading) }
            // The acceleration without gravity, in Core Motion's sign convention: -1 on the axis that points up.
            let expected = (state.specificForce - up * 9.809) / -9.80665
            if isCalm { forces.append((motion.userAcceleration - expected).length) }
        }
        // Braking and corners at 2 to 3 m/s² are indistinguishable from a tilt while they last. With a magnetic dip of
        // 64 degrees, one degree of tilt rotates a magnetic heading by two degrees: up to 8 degrees after a corner in
        // this drive, and 3 degrees after half a minute of straight road.
        #expect(Angles.rootMeanSquare(headings) < 5)
        #expect(Angles.rootMeanSquare(calmHeadings) < 3, "\(Angles.rootMeanSquare(calmHeadings))")
        #expect(calmTilts.count > 500)
        #expect(calmTilts.allSatisfy { $0 < 1 }, "\(calmTilts.max() ?? 0)")
        #expect(forces.allSatisfy { $0 < 0.03 }, "\(forces.max() ?? 0)")
    }

    @Test("Locations have the course and speed of the path and are marked as simulated")
    func locations() throws {
        final class Listener: NSObject, CLLocationManagerDelegate {
            var locations: [CLLocation] = []
            func locationManager(_ manager: CLLocationManager, didUpdateLocations found: [CLLocation]) {
                locations += found
            }
        }
        let synthesizer = try Self.drive()
        let device = try Self.device(synthesizer)
        let listener = Listener()
        try device.use {
            let manager = CLLocationManager()
            manager.desiredAccuracy = kCLLocationAccuracyBest
            manager.delegate = listener
            manager.startUpdatingLocation()
            try device.play()
        }
        #expect(listener.locations.count == Int(synthesizer.duration) + 1)
        for location in listener.locations {
            let state = synthesizer.state(
                at: location.timestamp.timeIntervalSince1970 - synthesizer.start.seconds)
            #expect(abs(location.coordinate.latitude - state.latitude) < 2e-9)
            #expect(abs(location.coordinate.longitude - state.longitude) < 2e-9)
            #expect(abs(location.altitude - 500) < 0.01)
            #expect(abs(location.speed - state.speed) < 0.01)
            if state.speed > 2 {
                let turns = (location.course - state.heading) / 360
                #expect(abs(turns - turns.rounded()) < 1e-4)
            }
            #expect(location.sourceInformation?.isSimulatedBySoftware == true)
        }
    }
}
