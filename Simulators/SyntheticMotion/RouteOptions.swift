// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a way between waypoints is gone.
public struct RouteOptions: Sendable, Hashable {
    /// Metres per second where waypoints do not say.
    public var speed = 10.0
    /// The most by which the speed changes along the way, in m/s²; infinity changes it at once, and the smooth path then
    /// takes the few seconds that it takes for a corner. Where two waypoints lie too close to keep it, the way is gone
    /// more slowly.
    public var acceleration = 2.0
    /// The most acceleration to the side in a corner, in m/s²: before a sharper corner the speed is reduced. Infinity for
    /// no such care. It looks at each corner by itself: a curve of many waypoints is gone at the speed that they say.
    public var corneringAcceleration = 3.0
    /// Where the device looks when it never moves, in degrees clockwise from true north.
    public var heading = 0.0

    /// The standard options.
    public init() {}
}
