// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import JSONBytes

/// A motion reading as a line of a trace: `{"t":1.25,"accelerometer":[0.1,0.2,9.81],"sensor":"x","stamp":1.2483}`.
///
/// The sensor is named when its id is not the name of its kind, and the stamp is told when it is not the time.
package enum TraceSampleText {
    /// Appends the line with its line end; nothing when a trace cannot hold the numbers.
    ///
    /// - Parameter sensor: the member that names the sensor, as ``member(_:kind:)`` makes it.
    package static func append(
        _ value: SIMD3<Double>, kind: SensorKind, sensor: [UInt8], time: Int64, stamp: Int64, to buffer: inout [UInt8]
    ) {
        guard TraceSample.isUsable(kind.isVector ? value : SIMD3(value.x, 0, 0)) else { return }
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
        // The least number stands for "no stamp" in a record.
        if stamp != time, stamp != .min {
            TraceLine.append(",\"stamp\":", &buffer)
            TraceSeconds.append(stamp, to: &buffer)
        }
        TraceLine.end(&buffer)
    }

    /// The member that names a sensor, with the comma before it; empty for one that is called like its kind.
    package static func member(_ sensor: String, kind: SensorKind) -> [UInt8] {
        sensor == kind.rawValue ? [] : member(sensor)
    }

    /// The member that names a sensor, with the comma before it.
    static func member(_ sensor: String) -> [UInt8] {
        var writer = JSONWriter(appendingTo: [UInt8](",\"sensor\":".utf8))
        writer.string(sensor)
        return writer.bytes
    }
}
