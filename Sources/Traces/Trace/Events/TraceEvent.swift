// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// One event of a trace in memory of its own, for those that change traces or make them.
public struct TraceEvent: Sendable {
    /// What happened.
    public enum Contents: Sendable {
        /// gpsd sent that report: JSON, without its line end.
        case gpsd([UInt8])
        /// gpsd sent a line that is not JSON.
        case gpsdText([UInt8])
        /// Positions could not be had any more.
        case lost(DeviceError)
        /// The position source was back.
        case regained
        /// A motion sensor gave a reading, in its own axes and in the unit of its kind; a scalar in the first component.
        /// The stamp is when it was measured, in nanoseconds since the start; nil for the time of the event.
        case sample(SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID, stamp: Int64?)
        /// A motion sensor gave nothing any more.
        case sensorLost(DeviceError, sensor: SensorDescription.ID)
        /// A motion sensor was back.
        case sensorRegained(sensor: SensorDescription.ID)
        /// The battery changed; nil when there was none any more.
        case battery(BatteryReading?)
        /// Something about an accessory.
        case accessory(TraceAccessoryEvent)
        /// A beacon was heard, or beacons could not be heard any more, or could again. The time of a sighting is the event's:
        /// its own does not count.
        case beacon(BeaconEvent)
    }

    /// Nanoseconds since the start of the trace; nil when it comes from a file without stamps of arrival.
    public var time: Int64?
    /// What happened.
    public var contents: Contents

    /// How many bytes it takes in memory, roughly.
    package var size: Int {
        let own = MemoryLayout<TraceEvent>.stride
        switch contents {
        case .gpsd(let line), .gpsdText(let line): return own + line.count
        case .accessory(let event):
            switch event.change {
            case .sent(_, let bytes), .received(_, let bytes): return own + bytes.count
            default: return own
            }
        default: return own
        }
    }

    /// An event of those parts.
    public init(time: Int64?, _ contents: Contents) {
        self.time = time
        self.contents = contents
    }
}
