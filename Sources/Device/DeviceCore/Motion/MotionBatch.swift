// SPDX-License-Identifier: Apache-2.0

/// Readings of one sensor that came in together, oldest first.
public struct MotionBatch: Sendable {
    /// The sensor they are of.
    public var sensor: SensorDescription.ID
    /// What it measures, which says the unit.
    public var kind: SensorKind
    /// The values, in the axes that the subscription asked for; a scalar stands in the first component.
    public var values: [SIMD3<Double>]
    /// When each was measured, by the device's clock; rising.
    public var times: [BootTime]
    /// When they came in, by the device's clock.
    public var arrival: BootTime
    /// Of so many readings of the sensor each of these is one, the others having been left out.
    package var thinning = 1

    /// Readings of those parts; a value for each time.
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
