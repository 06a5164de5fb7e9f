// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension TraceWriter {
    /// Writes a line from gpsd, given without its line terminator. A line that is not a JSON object is stored as text,
    /// so that the trace stays valid. In this extension, all times are in nanoseconds since the start of the trace.
    package func write(gpsdLine line: UnsafeRawBufferPointer, at time: Int64) throws(DeviceError) {
        try appendLines(at: time) { buffer, time in
            TraceEventEncoder.append(gpsdLine: line, at: time, to: &buffer)
        }
    }

    package func write(gpsdLine line: [UInt8], at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .gpsd(line)))
    }

    package func writeLost(_ error: DeviceError, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .lost(error)))
    }

    package func writeRegained(at time: Int64) throws(DeviceError) { try write(TraceEvent(time: time, .regained)) }

    /// Writes the readings of a batch, one line per reading, with the batch's arrival time.
    ///
    /// Omits readings that a trace cannot represent because a component is not finite or exceeds
    /// ``TraceSample/maximumMagnitude``.
    ///
    /// - Parameters:
    ///   - batch: The readings in the sensor's own axes. A reading's time is written as its stamp if it differs from
    ///     the arrival time.
    ///   - start: The start of the trace, on the clock of the batch.
    package func write(_ batch: MotionBatch, since start: BootTime) throws(DeviceError) {
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

    /// Writes a reading of a motion sensor, like ``write(_:since:)``. If `sensor` is nil, the name of the kind is the
    /// sensor id. If `stamp` is nil, the reading has only an arrival time.
    package func write(
        sample value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID? = nil, stamp: Int64? = nil,
        at time: Int64
    ) throws(DeviceError) {
        try write(TraceEvent(time: time, .sample(value, kind: kind, sensor: sensor ?? kind.rawValue, stamp: stamp)))
    }

    /// Writes a battery change. nil means that the battery was removed.
    package func write(battery: BatteryReading?, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .battery(battery)))
    }

    package func writeLost(_ error: DeviceError, sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorLost(error, sensor: sensor)))
    }

    package func writeRegained(sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorRegained(sensor: sensor)))
    }

    /// Writes an accessory event. Data that exceeds ``TraceAccessoryEvent/maximumBytes`` is split into several events.
    /// Empty data is not written.
    package func write(_ event: TraceAccessoryEvent, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .accessory(event)))
    }

    package func write(_ event: BeaconEvent, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .beacon(event)))
    }

    /// Writes an event of any kind. An event without a time is written with the previous event's time.
    public func write(_ event: TraceEvent) throws(DeviceError) {
        try append { lines, buffer in lines.append(event, to: &buffer) }
    }
}
