// SPDX-License-Identifier: Apache-2.0

/// Readings of one sensor that arrived together, oldest first.
public struct MotionBatch: Sendable {
    /// The sensor of the readings.
    public var sensor: SensorDescription.ID
    /// The kind of the sensor, which determines the unit of the values.
    public var kind: SensorKind
    /// The values, in the requested axes. A scalar is in the first component.
    public var values: [SIMD3<Double>]
    /// The measurement time of each value, from the device's clock, in ascending order.
    public var times: [BootTime]
    /// The arrival time of the batch, from the device's clock.
    public var arrival: BootTime
    /// The decimation factor: each reading stands for this many readings of the sensor.
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

    /// The number of readings.
    public var count: Int { min(values.count, times.count) }
}
