// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// A place on a way, and how to go on from there.
public struct Waypoint: Sendable, Hashable {
    /// Degrees, north positive.
    public var latitude: Double
    /// Degrees, east positive; beyond ±180 the same meridian as its remainder modulo 360.
    public var longitude: Double
    /// Metres above mean sea level; NaN for that of the waypoint before, and 0 at the first.
    public var altitude: Double
    /// Metres per second on the way from here to the next one; NaN for that of the waypoint before, and at the first for
    /// ``RouteOptions/speed``.
    public var speed: Double
    /// How long to stand still here, in seconds.
    public var pause: Double

    /// A waypoint of those parts; they are checked when a ``MotionRoute`` is made.
    public init(
        latitude: Double, longitude: Double, altitude: Double = .nan, speed: Double = .nan, pause: Double = 0
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.speed = speed
        self.pause = pause
    }
}
