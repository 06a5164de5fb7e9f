// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import SensorFusion

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
