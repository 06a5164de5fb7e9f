// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A reading of a motion sensor, as an event of a trace tells it.
public struct TraceSample: Sendable, Hashable {
    /// The sensor: an index into ``TraceCursor/sensors`` of the cursor that found the event.
    public var sensor: Int
    /// What was measured, which says the unit.
    public var kind: SensorKind
    /// The value in the sensor's own axes; a scalar stands in the first component. Always finite.
    public var value: SIMD3<Double>
    /// When it was measured, in nanoseconds since the start, below zero when that was before it; nil when the event
    /// says nothing but its arrival.
    public var stamp: Int64?

    /// A reading of those parts.
    public init(sensor: Int, kind: SensorKind, value: SIMD3<Double>, stamp: Int64? = nil) {
        self.sensor = sensor
        self.kind = kind
        self.value = value
        self.stamp = stamp
    }

    /// The greatest number that is taken for a reading, whatever its unit. No sensor comes near it, and sums and squares
    /// of such numbers are finite.
    public static let maximumMagnitude = 1e9

    /// True when the numbers can be a reading: finite and not beyond ``maximumMagnitude``.
    @inline(__always)
    package static func isUsable(_ value: SIMD3<Double>) -> Bool {
        // Written so that NaN fails.
        abs(value.x) <= maximumMagnitude && abs(value.y) <= maximumMagnitude && abs(value.z) <= maximumMagnitude
    }
}
