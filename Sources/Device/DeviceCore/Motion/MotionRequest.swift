// SPDX-License-Identifier: Apache-2.0

/// What a subscriber wants of a motion source.
public struct MotionRequest: Sendable, Hashable {
    /// The axes of readings.
    public enum Axes: Sendable, Hashable {
        /// Those of the device: x right, y to the top edge, z out of the screen. The mount matrix has been applied.
        case device
        /// The sensor's own, as recorders keep them.
        case sensor
    }

    /// The kind of sensor. The best one of that kind is taken unless one is named.
    public var kind: SensorKind
    /// The sensor, when it has to be that one.
    public var sensor: SensorDescription.ID?
    /// Seconds from one reading to the next; 0 for each reading that the sensor makes at its greatest rate.
    public var interval: Double
    /// Seconds that a reading may wait for others, so that fewer wake-ups are needed; 0 for each as soon as it is there.
    public var latency: Double
    /// True for every reading that the sensor makes at the rate that it runs at anyway, without asking for a rate.
    public var everyReading: Bool
    /// False for every reading that the sensor makes, where others or its rates make it faster than the interval.
    public var thins: Bool
    /// The axes of the readings.
    public var axes: Axes
    /// Where what comes of the readings is told: a place that may wait for them itself.
    package var place: DirectPlace?

    /// Readings of the best sensor of a kind, or as the arguments say.
    public init(
        kind: SensorKind, sensor: SensorDescription.ID? = nil, interval: Double = 0, latency: Double = 0,
        everyReading: Bool = false, thins: Bool = true, axes: Axes = .device
    ) {
        self.kind = kind
        self.sensor = sensor
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
        self.everyReading = everyReading
        self.thins = thins
        self.axes = axes
    }
}

/// What the subscribers of one sensor want of it together.
public struct MotionDemand: Sendable, Hashable {
    /// The shortest interval that somebody asked for, in seconds; 0 for the sensor's greatest rate. Infinite when
    /// nobody asks for a rate and whatever it gives will do.
    public var interval: Double
    /// The shortest time that somebody lets readings wait for others, in seconds.
    public var latency: Double
    /// True when all want a reading in that interval and no more, however fast the sensor is: the source may leave out the
    /// rest, which saves a wake-up for each.
    public var thins: Bool

    /// The rate to ask the hardware for, in hertz: infinite for the greatest, 0 when any will do.
    public var rate: Double { interval > 0 ? 1 / interval : .infinity }

    /// A demand of those parts.
    public init(interval: Double, latency: Double, thins: Bool = false) {
        self.interval = interval
        self.latency = latency
        self.thins = thins
    }
}
