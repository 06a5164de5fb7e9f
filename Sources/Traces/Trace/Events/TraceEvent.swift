// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// A trace event that owns its contents. Used to edit and generate traces.
public struct TraceEvent: Sendable {
    /// The event's kind and contents.
    public enum Contents: Sendable {
        /// A report from gpsd, as JSON without a line terminator.
        case gpsd([UInt8])
        /// A line from gpsd that is not JSON.
        case gpsdText([UInt8])
        /// The position source was lost.
        case lost(DeviceError)
        /// The position source became available again.
        case regained
        /// A reading from a motion sensor, in the sensor's own axes. The unit depends on the kind of sensor. A scalar
        /// value is stored in the first component. `stamp` is the time of measurement in nanoseconds since the start of
        /// the trace, or nil if it equals the event's time.
        case sample(SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID, stamp: Int64?)
        /// A motion sensor was lost.
        case sensorLost(DeviceError, sensor: SensorDescription.ID)
        /// A motion sensor became available again.
        case sensorRegained(sensor: SensorDescription.ID)
        /// The battery's level or state changed. The value is nil if the battery was removed.
        case battery(BatteryReading?)
        /// An accessory event.
        case accessory(TraceAccessoryEvent)
        /// A beacon was sighted, or the beacon source was lost or became available again. The event's `time` takes
        /// precedence over the time stored in the sighting.
        case beacon(BeaconEvent)
    }

    /// The time in nanoseconds since the start of the trace, or nil if the event comes from a file without arrival
    /// times.
    public var time: Int64?
    /// The event's kind and contents.
    public var contents: Contents

    /// The approximate memory use in bytes.
    package var size: Int {
        let fixedSize = MemoryLayout<TraceEvent>.stride
        switch contents {
        case .gpsd(let line), .gpsdText(let line): return fixedSize + line.count
        case .accessory(let event):
            switch event.change {
            case .sent(_, let bytes), .received(_, let bytes): return fixedSize + bytes.count
            default: return fixedSize
            }
        default: return fixedSize
        }
    }

    /// Creates an event.
    public init(time: Int64?, _ contents: Contents) {
        self.time = time
        self.contents = contents
    }
}
