// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// One event of a trace, as ``TraceCursor`` finds it: a time, a kind, and where its contents lie in the file.
///
/// It holds no memory of its own. ``line(in:)``, ``loss(in:)``, ``battery(in:)``, ``accessoryEvent(in:)`` and
/// ``beaconEvent(in:)`` copy contents out when they are wanted; the numbers of a motion reading are in it.
public struct TraceRecord: Sendable, Hashable {
    /// What happened.
    public enum Kind: UInt8, Sendable {
        /// gpsd sent a report: its bytes are those of the range.
        case gpsd
        /// gpsd sent a line that is not JSON. The range holds it encoded; ``TraceRecord/line(in:)`` decodes it.
        case gpsdText
        /// Positions could not be had any more; ``TraceRecord/loss(in:)`` says why.
        case lost
        /// The position source was back.
        case regained
        /// A motion sensor gave a reading: ``TraceRecord/sample``.
        case sample
        /// The battery changed; ``TraceRecord/battery(in:)`` says to what.
        case battery
        /// A motion sensor gave nothing any more; ``TraceRecord/loss(in:)`` says why, ``TraceRecord/sensor`` which.
        case sensorLost
        /// A motion sensor was back.
        case sensorRegained
        /// Something about an accessory; ``TraceRecord/accessoryEvent(in:)`` says what. The range is the whole line.
        case accessory
        /// Something about beacons; ``TraceRecord/beaconEvent(in:)`` says what.
        case beacon
    }

    /// Nanoseconds since the start of the trace, 0 or more, never less than that of the record before. Nil when the
    /// file has no arrival stamps.
    public var time: Int64?
    /// What happened.
    public var kind: Kind
    /// Where the contents lie: for a report the line exactly as gpsd sent it, without its line end; for a motion reading
    /// the value.
    public var range: Range<Int>
    /// True when the text of a line is written in hexadecimal digits.
    var isHexadecimal = false
    /// The kind of the sensor, where there is one.
    var sensorKind = SensorKind.accelerometer
    /// The sensor's place in the cursor's list; below zero where there is none.
    var sensorIndex: Int32 = -1
    /// The value of a motion reading; three numbers, because a vector would make the record half as large again.
    var x = 0.0
    var y = 0.0
    var z = 0.0
    /// When it was measured; the least number when the event does not say.
    var stamp = Int64.min

    init(time: Int64?, kind: Kind, range: Range<Int>) {
        self.time = time
        self.kind = kind
        self.range = range
    }

    /// The reading; nil for records of another kind than `sample`.
    public var sample: TraceSample? {
        guard kind == .sample, sensorIndex >= 0 else { return nil }
        return TraceSample(
            sensor: Int(sensorIndex), kind: sensorKind, value: SIMD3(x, y, z), stamp: stamp == .min ? nil : stamp)
    }

    /// The motion sensor that the event is about, as an index into ``TraceCursor/sensors``; nil when it is about none.
    public var sensor: Int? { sensorIndex < 0 ? nil : Int(sensorIndex) }
}
