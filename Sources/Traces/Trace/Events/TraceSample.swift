// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A reading from a motion sensor, as stored in a trace.
package struct TraceSample: Sendable, Hashable {
    /// The sensor's index in ``TraceCursor/sensors`` of the cursor that returned the event.
    package var sensor: Int
    package var kind: SensorKind
    /// The value, in the sensor's own axes. Always finite. A scalar value is stored in the first component.
    package var value: SIMD3<Double>
    /// The time of measurement in nanoseconds since the start of the trace, or nil if unknown. May be negative.
    package var stamp: Int64?

    package init(sensor: Int, kind: SensorKind, value: SIMD3<Double>, stamp: Int64? = nil) {
        (self.sensor, self.kind, self.value, self.stamp) = (sensor, kind, value, stamp)
    }

    /// The maximum magnitude of a component, in the reading's unit. Real readings stay far below it, and sums and
    /// squares of values up to it are finite.
    package static let maximumMagnitude = 1e9

    /// True if all components are finite and within ``maximumMagnitude``.
    @inline(__always) package static func isValid(_ value: SIMD3<Double>) -> Bool {
        // Also rejects NaN, because comparisons with NaN are false.
        abs(value.x) <= maximumMagnitude && abs(value.y) <= maximumMagnitude && abs(value.z) <= maximumMagnitude
    }
}

/// Encodes a motion reading as a trace line: `{"t":1.25,"accelerometer":[0.1,0.2,9.81],"sensor":"x","stamp":1.2483}`.
///
/// The sensor is omitted if its ID equals the name of its kind. The stamp is omitted if it equals the time.
package enum TraceSampleText {
    /// Appends the reading as a line, unless a value is invalid. `sensor` is the result of ``member(_:kind:)``.
    package static func append(
        _ value: SIMD3<Double>, kind: SensorKind, sensor: [UInt8], time: Int64, stamp: Int64, to buffer: inout [UInt8]
    ) {
        guard TraceSample.isValid(kind.isVector ? value : SIMD3(value.x, 0, 0)) else { return }
        TraceLine.begin(kind.lineKey, time, &buffer)
        DecimalDigits.append(shortest: value.x, to: &buffer)
        if kind.isVector {
            buffer.append(UInt8(ascii: ","))
            DecimalDigits.append(shortest: value.y, to: &buffer)
            buffer.append(UInt8(ascii: ","))
            DecimalDigits.append(shortest: value.z, to: &buffer)
            buffer.append(UInt8(ascii: "]"))
        }
        buffer.append(contentsOf: sensor)
        // `Int64.min` represents "no stamp" in a record.
        if stamp != time, stamp != .min {
            TraceLine.append(",\"stamp\":", &buffer)
            TraceSeconds.append(stamp, to: &buffer)
        }
        TraceLine.end(&buffer)
    }

    /// Returns the `sensor` member with its preceding comma, or an empty array if the ID equals the kind's name.
    package static func member(_ sensor: String, kind: SensorKind) -> [UInt8] {
        sensor == kind.rawValue ? [] : member(sensor)
    }

    static func member(_ sensor: String) -> [UInt8] {
        var writer = JSONWriter(appendingTo: [UInt8](",\"sensor\":".utf8))
        writer.string(sensor)
        return writer.bytes
    }
}
