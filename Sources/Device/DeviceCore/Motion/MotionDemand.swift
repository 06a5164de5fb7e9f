// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the subscribers of one sensor want of it together.
public struct MotionDemand: Sendable, Hashable {
    /// The shortest interval that somebody asked for, in seconds; 0 for the sensor's greatest rate. Infinite when
    /// nobody asks for a rate and whatever it gives will do.
    public var interval: Double
    /// The shortest time that somebody lets readings wait for others, in seconds.
    public var latency: Double

    /// The rate to ask the hardware for, in hertz: infinite for the greatest, 0 when any will do.
    public var rate: Double { interval > 0 ? 1 / interval : .infinity }

    /// A demand of those parts.
    public init(interval: Double, latency: Double) {
        self.interval = interval
        self.latency = latency
    }
}
