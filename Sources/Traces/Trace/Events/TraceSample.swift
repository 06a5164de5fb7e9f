// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// A reading of a motion sensor in a trace.
package struct TraceSample: Sendable, Hashable {
    /// The sensor, as an index into ``TraceCursor/sensors`` of the cursor that returned the event.
    package var sensor: Int
    /// The measured quantity, which determines the unit.
    package var kind: SensorKind
    /// The value in the sensor's own axes. A scalar is in the first component. Always finite.
    package var value: SIMD3<Double>
    /// The time of measurement in nanoseconds since the start of the trace, negative if before it; nil if the event
    /// contains only an arrival time.
    package var stamp: Int64?

    /// Creates a reading.
    package init(sensor: Int, kind: SensorKind, value: SIMD3<Double>, stamp: Int64? = nil) {
        self.sensor = sensor
        self.kind = kind
        self.value = value
        self.stamp = stamp
    }

    /// The maximum magnitude of a component, in the unit of its kind. No sensor comes close to it, and sums and squares
    /// of numbers within it are finite.
    package static let maximumMagnitude = 1e9

    /// True if all components are finite and within ``maximumMagnitude``.
    @inline(__always)
    package static func isValid(_ value: SIMD3<Double>) -> Bool {
        // The comparisons are false for NaN.
        abs(value.x) <= maximumMagnitude && abs(value.y) <= maximumMagnitude && abs(value.z) <= maximumMagnitude
    }
}
