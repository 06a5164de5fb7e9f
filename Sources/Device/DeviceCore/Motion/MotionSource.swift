// SPDX-License-Identifier: Apache-2.0

/// A source of motion readings.
public protocol MotionSource: Sendable {
    /// The available sensors, with the best of each kind first. The first access may take seconds, because it queries
    /// servers.
    var sensors: [SensorDescription] { get }

    /// Returns the sensor with this identifier, or nil if there is none. Does not block.
    func description(of sensor: SensorDescription.ID) -> SensorDescription?

    /// The XML descriptions of the libiio contexts, which are stored in recordings.
    var contextDescriptions: [String] { get }

    /// The errors for contexts that could not be queried during the last search for sensors.
    var problems: [DeviceError] { get }

    /// Delivers events to the closure, in order, until the subscription ends. Events are delivered one at a time, on
    /// the source's threads or on the request's `executor`. Only two kinds of event may arrive while the closure is
    /// still processing earlier readings on another thread: the loss of the sensor, and readings from a different
    /// sensor, after a change to the list of sensors has moved the subscription.
    ///
    /// If the sensor is already lost, the loss is reported before this call returns. If the sensor does not exist yet,
    /// no event is delivered until the sensor appears. The hardware runs at the rate of the fastest subscriber, and
    /// readings for slower subscribers are decimated.
    ///
    /// `onInputIdle` is called when the source has no more readings for now, for example at the end of a trace. A
    /// subscriber that is waiting for readings from other sensors can then stop waiting.
    func subscribe(
        _ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void,
        onInputIdle: @escaping @Sendable () -> Void
    ) -> Subscription

    /// Returns the sensor's actual rate, in hertz, measured from timestamps, or nil if the rate is not known yet.
    func measuredRate(of sensor: SensorDescription.ID) -> Double?
}

extension MotionSource {
    /// An empty list, for sources that do not search for sensors.
    public var problems: [DeviceError] { [] }

    /// Delivers events to the closure, in order and on the source's threads, until the subscription ends.
    public func subscribe(_ request: MotionRequest, receive: @escaping @Sendable (MotionEvent) -> Void) -> Subscription
    { subscribe(request, receive: receive, onInputIdle: {}) }
}

/// An event from a motion source.
public enum MotionEvent: Sendable {
    /// Readings arrived. The batch is never empty.
    case samples(MotionBatch)
    /// The sensor is unavailable for now. Delivered once each time the sensor becomes unavailable. The case is indirect
    /// to keep the enum small.
    indirect case lost(DeviceError)
    /// The sensor is available again. Readings follow.
    case regained
}

/// A subscriber's request to a motion source.
public struct MotionRequest: Sendable, Hashable {
    /// The axes in which readings are expressed.
    public enum Axes: Sendable, Hashable {
        /// The device axes, after applying the mount matrix: x to the right, y to the top edge, z out of the screen.
        case device
        /// The sensor's own axes, as used in recordings.
        case sensor
    }

    /// The sensor kind. The best sensor of this kind is used unless ``sensor`` is set.
    public var kind: SensorKind
    /// The identifier of the sensor to use, or nil for the best sensor of the kind.
    public var sensor: SensorDescription.ID?
    /// The time between readings, in seconds, or 0 for all readings at the sensor's maximum rate.
    public var interval: Double
    /// The maximum time, in seconds, that a reading may be held back to reduce wakeups, or 0 for immediate delivery.
    public var latency: Double
    /// True to receive all readings at whatever rate the sensor currently runs. Such a request does not affect the
    /// rate.
    public var includesAllReadings: Bool
    /// True to decimate readings to ``interval``. If false, all readings are delivered, even if the sensor runs faster.
    public var decimates: Bool
    /// The axes of the readings.
    public var axes: Axes
    /// The executor that runs the subscriber's callbacks, or nil if it cannot read from the source.
    package var executor: ExecutorIdentity?

    /// Creates a request. By default, it requests all readings of the best sensor, at the maximum rate and in device
    /// axes.
    public init(
        kind: SensorKind, sensor: SensorDescription.ID? = nil, interval: Double = 0, latency: Double = 0,
        includesAllReadings: Bool = false, decimates: Bool = true, axes: Axes = .device
    ) {
        self.kind = kind
        self.sensor = sensor
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
        self.includesAllReadings = includesAllReadings
        self.decimates = decimates
        self.axes = axes
    }
}

/// The combination of all requests for a sensor.
package struct MotionDemand: Sendable, Hashable {
    /// The shortest requested interval, in seconds: 0 for the maximum rate, infinity if no subscriber requests a rate.
    package var interval: Double
    /// The maximum time, in seconds, that a reading may be held back: the lowest requested latency.
    package var latency: Double
    /// True if every subscriber wants at most one reading per interval. The source may then discard other readings.
    package var decimates: Bool

    /// The rate to request from the hardware, in hertz. Infinity requests the maximum rate, and 0 accepts any rate.
    package var rate: Double { interval > 0 ? 1 / interval : .infinity }

    package init(interval: Double, latency: Double, decimates: Bool = false) {
        self.interval = interval
        self.latency = latency
        self.decimates = decimates
    }
}

/// Readings of one sensor that arrived together, in chronological order.
public struct MotionBatch: Sendable {
    /// The identifier of the sensor.
    public var sensor: SensorDescription.ID
    /// The kind of the sensor, which determines the unit of the values.
    public var kind: SensorKind
    /// The values, in the requested axes. For scalar sensors, the value is in the first component.
    public var values: [SIMD3<Double>]
    /// The time at which each value was measured, according to the device's clock, in ascending order.
    public var times: [BootTime]
    /// The arrival time of the batch, from the device's clock.
    public var arrival: BootTime
    /// The source's decimation factor. With a factor of n, the batch contains only every nth reading.
    package var decimationFactor = 1

    /// Creates a batch. `values` and `times` must have the same number of elements.
    public init(
        sensor: SensorDescription.ID, kind: SensorKind, values: [SIMD3<Double>] = [], times: [BootTime] = [],
        arrival: BootTime = .zero
    ) {
        self.sensor = sensor
        self.kind = kind
        self.values = values
        self.times = times
        self.arrival = arrival
    }

    package var count: Int { min(values.count, times.count) }
}
