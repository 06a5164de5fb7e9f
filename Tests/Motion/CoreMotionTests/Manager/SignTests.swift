// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Units and signs")
struct SignTests {
    /// A pose and its reading. At rest, an accelerometer reads +9.80665 m/s² on the axis that points up. Core Motion
    /// reports gravity, which points down, in units of 9.80665 m/s².
    struct Pose: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var proper: [Double]
        var expected: [Double]
    }

    static let poses = [
        Pose(testDescription: "face up", proper: [0, 0, 9.80665], expected: [0, 0, -1]),
        Pose(testDescription: "face down", proper: [0, 0, -9.80665], expected: [0, 0, 1]),
        Pose(testDescription: "upright", proper: [0, 9.80665, 0], expected: [0, -1, 0]),
        Pose(testDescription: "upside down", proper: [0, -9.80665, 0], expected: [0, 1, 0]),
        Pose(testDescription: "right edge up", proper: [9.80665, 0, 0], expected: [-1, 0, 0]),
        Pose(testDescription: "left edge up", proper: [-9.80665, 0, 0], expected: [1, 0, 0]),
    ]

    @Test("At rest, the axis that points up reads -1", arguments: poses)
    func rest(pose: Pose) throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startAccelerometerUpdates()
        test.feed(.accelerometer, SIMD3(pose.proper), at: 0)
        let value = try #require(manager.accelerometerData).acceleration
        #expect([value.x, value.y, value.z] == pose.expected)
    }

    @Test("An acceleration to the right reads negative, like gravity to the left")
    func push() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startAccelerometerUpdates()
        // An acceleration of 0.5 g to the right, lying face up.
        test.feed(.accelerometer, [4.903325, 0, 9.80665], at: 0)
        let value = try #require(manager.accelerometerData).acceleration
        #expect(value.x == -0.5)
        #expect(value.z == -1)
    }

    @Test("Free fall reads zero without a negative sign")
    func freeFall() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startAccelerometerUpdates()
        test.feed(.accelerometer, [0, 0, 0], at: 0)
        let value = try #require(manager.accelerometerData).acceleration
        #expect("\(value.x) \(value.y) \(value.z)" == "0.0 0.0 0.0")
    }

    @Test("Gyroscope readings are right-handed, in radians per second")
    func gyroscope() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startGyroUpdates()
        // A counterclockwise quarter turn per second, seen from above, lying face up: +pi/2 rad/s about z.
        test.feed(.gyroscope, [0.1, -0.2, .pi / 2], at: 0)
        let value = try #require(manager.gyroData).rotationRate
        #expect(SIMD3(value.x, value.y, value.z) == [0.1, -0.2, .pi / 2])
    }

    @Test("The magnetic field is reported in microtesla, at 100 microtesla per gauss")
    func magnetometer() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startMagnetometerUpdates()
        // The field in central Europe, lying face up with the top edge pointing north: 0.2 G north, 0.43 G down.
        test.feed(.magnetometer, [0, 0.2, -0.43], at: 0)
        let value = try #require(manager.magnetometerData).magneticField
        #expect(SIMD3(value.x, value.y, value.z) == [0, 20, -43])
    }

    @Test("Timestamps are those of the sensor, in seconds since boot")
    func timestamps() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startGyroUpdates()
        test.feed(.gyroscope, [0, 0, 0], at: 2.5)
        #expect(try #require(manager.gyroData).timestamp == 102.5)
    }

    @Test("Readings are rotated by the mount matrix")
    func mountMatrix() throws {
        let test = TestDevice()
        var sensor = SensorDescription(id: "accelerometer", kind: .accelerometer)
        // The sensor's x axis points to the device's top edge.
        sensor.mountMatrix = MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1])
        test.hub.post(sensors: [sensor], contextDescriptions: [])
        let manager = test.use { CMMotionManager() }
        manager.startAccelerometerUpdates()
        test.feed(.accelerometer, [9.80665, 0, 0], at: 0)
        let value = try #require(manager.accelerometerData).acceleration
        #expect(SIMD3(value.x, value.y, value.z) == [0, -1, 0])
    }
}
