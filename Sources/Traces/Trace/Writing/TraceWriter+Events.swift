// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension TraceWriter {
    /// Writes a line from gpsd. One that is not a JSON object is kept as text, so that the trace stays valid.
    ///
    /// - Parameters:
    ///   - line: the line without its line end.
    ///   - time: its arrival, in nanoseconds since the start of the trace.
    public func write(gpsdLine line: UnsafeRawBufferPointer, at time: Int64) throws(DeviceError) {
        try appendLines(at: time) { buffer, time in
            TraceEventLines.append(gpsdLine: line, at: time, to: &buffer)
        }
    }

    /// Writes a line from gpsd, as ``write(gpsdLine:at:)`` with bytes in place does.
    public func write(gpsdLine line: [UInt8], at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .gpsd(line)))
    }

    /// Writes that positions cannot be had any more, and why.
    public func writeLost(_ error: DeviceError, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .lost(error)))
    }

    /// Writes that the position source is back.
    public func writeRegained(at time: Int64) throws(DeviceError) { try write(TraceEvent(time: time, .regained)) }

    /// Writes the readings of a batch, each with its own line, all with the time at which the batch came in.
    ///
    /// Readings that a trace cannot hold, because a number in them is not finite or beyond
    /// ``TraceSample/maximumMagnitude``, are left out.
    ///
    /// - Parameters:
    ///   - batch: readings in the sensor's own axes. A reading's own time is written where it is not the arrival.
    ///   - start: the start of the trace, on the clock of the batch.
    public func write(_ batch: MotionBatch, since start: BootTime) throws(DeviceError) {
        let origin = start.nanoseconds
        let member = TraceSampleText.member(batch.sensor, kind: batch.kind)
        try appendLines(at: max(batch.arrival.nanoseconds.subtractingSaturated(origin), 0)) { buffer, time in
            for index in 0..<batch.count {
                let stamp = batch.times[index].nanoseconds.subtractingSaturated(origin)
                TraceSampleText.append(
                    batch.values[index], kind: batch.kind, sensor: member, time: time, stamp: stamp, to: &buffer)
            }
        }
    }

    /// Writes one reading of a motion sensor, as ``write(_:since:)`` does.
    ///
    /// - Parameters:
    ///   - value: the reading in the sensor's own axes and in the unit of its kind; a scalar in the first component.
    ///   - kind: what was measured.
    ///   - sensor: the sensor's id in the header; nil for the name of its kind.
    ///   - stamp: when it was measured, in nanoseconds since the start; nil for the time of its arrival.
    ///   - time: its arrival, in nanoseconds since the start of the trace.
    public func write(
        sample value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID? = nil, stamp: Int64? = nil,
        at time: Int64
    ) throws(DeviceError) {
        try write(TraceEvent(time: time, .sample(value, kind: kind, sensor: sensor ?? kind.rawValue, stamp: stamp)))
    }

    /// Writes what the battery is from here on; nil when there is none any more.
    public func write(battery: BatteryReading?, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .battery(battery)))
    }

    /// Writes that a motion sensor gives nothing any more, and why.
    public func writeLost(_ error: DeviceError, sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorLost(error, sensor: sensor)))
    }

    /// Writes that a motion sensor is back.
    public func writeRegained(sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorRegained(sensor: sensor)))
    }

    /// Writes what has happened to an accessory. More bytes than ``TraceAccessoryEvent/maximumBytes`` become several
    /// events, and no bytes none.
    public func write(_ event: TraceAccessoryEvent, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .accessory(event)))
    }

    /// Writes what was heard of beacons.
    public func write(_ event: BeaconEvent, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .beacon(event)))
    }

    /// Writes an event of any kind. One without a time has that of the event before.
    public func write(_ event: TraceEvent) throws(DeviceError) {
        try append { lines, buffer in lines.append(event, to: &buffer) }
    }
}
