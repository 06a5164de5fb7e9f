// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import TestSupport
import Testing

@testable import CoreMotion

@Suite("Device motion in known poses")
struct DeviceMotionPoseTests {
    /// A pose and the expected values, computed by hand. Angles are in degrees, relative to a frame whose x axis points
    /// to magnetic north and whose y axis points west.
    struct Pose: Sendable, CustomTestStringConvertible {
        var name: String
        /// The rotation from the device's axes to east, north and up.
        var attitude: Quaternion
        var gravity: [Double]
        var roll = 0.0
        var pitch = 0.0
        var yaw: Double
        var heading: Double
        var testDescription: String { name }
    }

    static let poses = [
        Pose(name: "flat, top edge north", attitude: .identity, gravity: [0, 0, -1], yaw: -90, heading: 0),
        // After a counterclockwise quarter turn, the right edge points in the former direction of the top edge.
        Pose(
            name: "flat, right edge north", attitude: States.rotation([0, 0, 1], 90), gravity: [0, 0, -1], yaw: 0,
            heading: 270),
        Pose(
            name: "flat, top edge east", attitude: States.rotation([0, 0, 1], -90), gravity: [0, 0, -1], yaw: 180,
            heading: 90),
        Pose(
            name: "flat, top edge south", attitude: States.rotation([0, 0, 1], 180), gravity: [0, 0, -1], yaw: 90,
            heading: 180),
        Pose(
            name: "flat, top edge 30 degrees east of north", attitude: States.rotation([0, 0, 1], -30),
            gravity: [0, 0, -1], yaw: -120, heading: 30),
        // The top edge is raised, so gravity points towards the bottom edge.
        Pose(
            name: "top edge north and raised by 30", attitude: States.rotation([1, 0, 0], 30),
            gravity: [0, -0.5, -0.75.squareRoot()], pitch: 30, yaw: -90, heading: 0),
        Pose(
            name: "upright, its back to the north", attitude: States.rotation([1, 0, 0], 90), gravity: [0, -1, 0],
            pitch: 90, yaw: -90, heading: 0),
        // A right-handed rotation about the y axis lowers the right edge, so gravity points towards it.
        Pose(
            name: "right edge lowered by 30", attitude: States.rotation([0, 1, 0], 30),
            gravity: [0.5, 0, -0.75.squareRoot()], roll: 30, yaw: -90, heading: 0),
        Pose(
            name: "on its right edge", attitude: States.rotation([0, 1, 0], 90), gravity: [1, 0, 0], roll: 90, yaw: -90,
            heading: 0),
        Pose(
            name: "face down over the right edge", attitude: States.rotation([0, 1, 0], 180), gravity: [0, 0, 1],
            roll: 180, yaw: -90, heading: 0),
    ]

    private func motion(_ state: FusedState, _ frame: CMAttitudeReferenceFrame) throws -> CMDeviceMotion {
        let values = try #require(MotionConversion.deviceMotion(state, in: frame))
        return CMDeviceMotion(FusedMotionReading(values: values, time: state.time))
    }

    /// Returns the smallest difference of two angles, in degrees.
    private func difference(_ a: Double, _ b: Double) -> Double {
        let turns = (a - b) / 360
        return abs(turns - turns.rounded()) * 360
    }

    @Test("Gravity, angles and heading of a pose match the values computed by hand", arguments: poses)
    func pose(pose: Pose) throws {
        let motion = try motion(States.at(7.5, pose.attitude), .xMagneticNorthZVertical)
        #expect(States.isNear(States.components(motion.gravity), pose.gravity))
        #expect(States.isNear(States.components(motion.userAcceleration), [0, 0, 0]))
        let attitude = motion.attitude
        #expect(difference(attitude.roll * 180 / .pi, pose.roll) < 1e-6)
        #expect(abs(attitude.pitch * 180 / .pi - pose.pitch) < 1e-6)
        #expect(difference(attitude.yaw * 180 / .pi, pose.yaw) < 1e-6)
        #expect(difference(motion.heading, pose.heading) < 1e-6)
        #expect(motion.heading >= 0 && motion.heading < 360)
        #expect(motion.timestamp == 7.5)
        #expect(motion.sensorLocation == .default)
        // Gravity equals the downward direction transformed by the rotation matrix.
        let m = attitude.rotationMatrix
        #expect(States.isNear([-m.m13, -m.m23, -m.m33], pose.gravity))
    }

    @Test("The heading is 270 degrees minus the yaw and always below 360")
    func headings() throws {
        for degrees in stride(from: -720.0, through: 720, by: 7.5) {
            let state = States.at(0, States.rotation([0, 0, 1], degrees) * States.rotation([1, 0, 0], 20))
            let motion = try motion(state, .xMagneticNorthZVertical)
            #expect(difference(motion.heading, -degrees) < 1e-9)
            #expect(difference(motion.heading, 270 - motion.attitude.yaw * 180 / .pi) < 1e-9)
            #expect(motion.heading >= 0 && motion.heading < 360)
        }
        for tiny in [1e-17, -1e-17, 1e-300, -1e-300] {
            let heading = try motion(
                States.at(0, Quaternion(x: 0, y: 0, z: tiny, w: 1)), .xMagneticNorthZVertical
            ).heading
            #expect(heading >= 0 && heading < 360)
        }
    }

    @Test("The heading of an upright device is the direction of its back until the device is tilted below 50 degrees")
    func camera() throws {
        var axis = HeadingAxis()
        func heading(_ elevation: Double) throws -> Double {
            // The top edge points north, raised by `elevation` degrees. The device is rolled by 20 degrees about its y
            // axis.
            let attitude = States.rotation([1, 0, 0], elevation) * States.rotation([0, 1, 0], 20)
            let frame = CMAttitudeReferenceFrame.xMagneticNorthZVertical
            let values = MotionConversion.deviceMotion(States.at(0, attitude), in: frame, correctedFrom: 0, axis: &axis)
            return try #require(values).heading
        }
        // The back points along -z, opposite to (sin 20, -sin e cos 20, cos e cos 20).
        func back(_ elevation: Double) -> Double {
            let (e, r) = (elevation * .pi / 180, 20 * Double.pi / 180)
            return atan2(-sin(r), sin(e) * cos(r)) * 180 / .pi
        }
        #expect(try difference(heading(59), 0) < 1e-9)
        for elevation in [61.0, 90, 51] { #expect(try difference(heading(elevation), back(elevation)) < 1e-9) }
        #expect(try difference(heading(49), 0) < 1e-9)
    }

    @Test("Attitudes recorded by Core Motion yield the gravity recorded with them", arguments: RecordedAttitudes.rows)
    func recorded(row: [Double]) throws {
        let degrees = row[0..<3].map { $0 * 1e-4 * 180 / .pi }
        let attitude =
            States.rotation([0, 0, 1], degrees[2]) * States.rotation([1, 0, 0], degrees[1])
            * States.rotation([0, 1, 0], degrees[0])
        let motion = try motion(States.at(0, attitude), .xArbitraryZVertical)
        #expect(States.isNear(States.components(motion.gravity), row[3...].map { $0 * 1e-4 }, 2e-4))
        #expect(
            States.isNear(
                [motion.attitude.roll, motion.attitude.pitch, motion.attitude.yaw], row[0..<3].map { $0 * 1e-4 }, 1e-9))
    }

    @Test("User acceleration to the right has a negative x, and towards the top edge a negative y")
    func push() throws {
        var state = States.at(0)
        // An accelerometer's reading is positive in the direction of the acceleration.
        state.acceleration = [2 * 9.80665, 9.80665, 9.80665]
        let motion = try motion(state, .xArbitraryZVertical)
        #expect(States.isNear(States.components(motion.userAcceleration), [-2, -1, 0]))
    }

    @Test("Gravity and user acceleration add up to the accelerometer's reading")
    func sum() throws {
        var numbers = SeededGenerator(seed: 42)
        for _ in 0..<20_000 {
            var state = States.at(0)
            state.attitude = Quaternion(components: Self.vector(1, &numbers)).normalized
            let v = Self.vector(40, &numbers)
            state.acceleration = [v.x, v.y, v.z]
            let motion = try motion(state, .xArbitraryZVertical)
            let reading = MotionConversion.acceleration(state.acceleration)
            let (g, u) = (States.components(motion.gravity), States.components(motion.userAcceleration))
            for (axis, value) in States.components(reading).enumerated() {
                // A reading far below 1 g has more significant digits than a sum of two numbers near 1.
                #expect(abs(value) < 0.5 ? abs(g[axis] + u[axis] - value) < 1e-16 : g[axis] + u[axis] == value)
            }
            #expect(abs(g.reduce(0) { $0 + $1 * $1 } - 1) < 1e-14)
        }
    }

    private static func vector(_ size: Double, _ random: inout SeededGenerator) -> SIMD4<Double> {
        .random(in: -size...size, using: &random)
    }
}
