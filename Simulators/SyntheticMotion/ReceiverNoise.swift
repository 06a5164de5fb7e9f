// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How a receiver's positions differ from the truth.
///
/// Each axis has white noise, different at each fix, and an error that wanders and comes back (a first-order Gauss-Markov
/// process), as the atmosphere and reflections make it.
public struct ReceiverNoise: Sendable, Hashable {
    /// The name that it is chosen by.
    public var name: String
    /// The standard deviation of the white noise north and east, in metres.
    public var horizontal: Double
    /// The standard deviation of the wandering error north and east, in metres.
    public var horizontalWander: Double
    /// The same for heights: white, in metres.
    public var vertical: Double
    /// The same for heights: wandering, in metres.
    public var verticalWander: Double
    /// How long a wandering error lasts, in seconds: after that time a correlation of 1/e is left.
    public var wanderTime: Double
    /// The standard deviation of each component of the velocity, in m/s.
    public var velocity: Double

    /// A receiver without the noise that is not given; the figures are those of the properties.
    public init(
        name: String, horizontal: Double = 0, horizontalWander: Double = 0, vertical: Double = 0,
        verticalWander: Double = 0, wanderTime: Double = 60, velocity: Double = 0
    ) {
        self.name = name
        self.horizontal = horizontal
        self.horizontalWander = horizontalWander
        self.vertical = vertical
        self.verticalWander = verticalWander
        self.wanderTime = wanderTime
        self.velocity = velocity
    }

    /// One that tells the truth.
    public static let ideal = ReceiverNoise(name: "ideal")

    /// A receiver with a free view of the sky; an assumption of usual size, which amounts to an `eph` of 3.8 m.
    public static let openSky = ReceiverNoise(
        name: "open-sky", horizontal: 0.4, horizontalWander: 1.5, vertical: 0.8, verticalWander: 2.5, wanderTime: 120,
        velocity: 0.05)

    /// A receiver between houses; an assumption of usual size, which amounts to an `eph` of 15 m.
    public static let urban = ReceiverNoise(
        name: "urban", horizontal: 2, horizontalWander: 6, vertical: 4, verticalWander: 10, wanderTime: 30,
        velocity: 0.3)

    /// The receivers that have a name.
    public static let all = [ideal, openSky, urban]

    var isValid: Bool {
        let figures = [horizontal, horizontalWander, vertical, verticalWander, velocity]
        return figures.allSatisfy { $0 >= 0 && $0 <= 10_000 } && wanderTime > 0 && wanderTime.isFinite
    }
}
