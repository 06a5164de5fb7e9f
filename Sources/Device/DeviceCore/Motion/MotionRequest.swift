// SPDX-License-Identifier: Apache-2.0

/// A subscriber's request to a motion source.
public struct MotionRequest: Sendable, Hashable {
    /// The axes of readings.
    public enum Axes: Sendable, Hashable {
        /// The axes of the device: x to the right, y to the top edge, z out of the screen. The mount matrix is applied.
        case device
        /// The sensor's own axes, as used in recordings.
        case sensor
    }

    /// The kind of sensor. Selects the best sensor of this kind unless ``sensor`` is set.
    public var kind: SensorKind
    /// A specific sensor; nil for the best one of the kind.
    public var sensor: SensorDescription.ID?
    /// The time between readings in seconds; 0 for every reading at the sensor's maximum rate.
    public var interval: Double
    /// The maximum time in seconds that a reading may be held back to reduce wakeups; 0 for immediate delivery.
    public var latency: Double
    /// True to receive every reading at the sensor's current rate, without requesting a rate.
    public var includesAllReadings: Bool
    /// True to decimate readings to ``interval``. False to receive all readings, even if other subscribers or the
    /// supported rates make the sensor faster.
    public var decimates: Bool
    /// The axes of the readings.
    public var axes: Axes
    /// The executor of the subscriber's callbacks if it can read from the source itself; otherwise nil.
    package var executor: DirectPlace?

    /// Creates a request. By default it requests all readings of the best sensor of a kind at its maximum rate, in the
    /// device's axes.
    public init(
        kind: SensorKind, sensor: SensorDescription.ID? = nil, interval: Double = 0, latency: Double = 0,
        everyReading: Bool = false, thins: Bool = true, axes: Axes = .device
    ) {
        self.kind = kind
        self.sensor = sensor
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
        self.includesAllReadings = everyReading
        self.decimates = thins
        self.axes = axes
    }
}

/// The combined requests of all subscribers of a sensor.
public struct MotionDemand: Sendable, Hashable {
    /// The shortest requested interval in seconds; 0 for the sensor's maximum rate, infinity if no subscriber requests
    /// a rate.
    public var interval: Double
    /// The shortest time in seconds for which a subscriber allows readings to be held back.
    public var latency: Double
    /// True if all subscribers want at most one reading per interval. The source may then discard other readings, which
    /// saves a wakeup for each.
    public var decimates: Bool

    /// The rate to request from the hardware in hertz: infinity for the maximum rate, 0 for any rate.
    public var rate: Double { interval > 0 ? 1 / interval : .infinity }

    /// Creates a demand.
    public init(interval: Double, latency: Double, thins: Bool = false) {
        self.interval = interval
        self.latency = latency
        self.decimates = thins
    }
}
