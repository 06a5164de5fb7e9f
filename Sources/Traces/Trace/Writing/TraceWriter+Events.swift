// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension TraceWriter {
    /// Writes a line from gpsd. A line that is not a JSON object is stored as text, so that the trace stays valid.
    ///
    /// - Parameters:
    ///   - line: The line without its line terminator.
    ///   - time: The arrival time, in nanoseconds since the start of the trace.
    package func write(gpsdLine line: UnsafeRawBufferPointer, at time: Int64) throws(DeviceError) {
        try appendLines(at: time) { buffer, time in
            TraceEventEncoder.append(gpsdLine: line, at: time, to: &buffer)
        }
    }

    /// Writes a line from gpsd, like ``write(gpsdLine:at:)`` with a raw buffer.
    package func write(gpsdLine line: [UInt8], at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .gpsd(line)))
    }

    /// Writes the loss of the position source with its reason.
    package func writeLost(_ error: DeviceError, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .lost(error)))
    }

    /// Writes that the position source is available again.
    package func writeRegained(at time: Int64) throws(DeviceError) { try write(TraceEvent(time: time, .regained)) }

    /// Writes the readings of a batch, one line for each, with the arrival time of the batch.
    ///
    /// Omits readings that a trace cannot represent, because a component is not finite or exceeds
    /// ``TraceSample/maximumMagnitude``.
    ///
    /// - Parameters:
    ///   - batch: The readings in the sensor's own axes. The time of a reading is written as its stamp if it differs
    ///     from the arrival time.
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

    /// Writes a reading of a motion sensor, like ``write(_:since:)``.
    ///
    /// - Parameters:
    ///   - value: The reading in the sensor's own axes and the unit of its kind; a scalar is in the first component.
    ///   - kind: The measured quantity.
    ///   - sensor: The sensor's id in the header; nil for the name of its kind.
    ///   - stamp: The time of measurement, in nanoseconds since the start of the trace; nil for the arrival time.
    ///   - time: The arrival time, in nanoseconds since the start of the trace.
    package func write(
        sample value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID? = nil, stamp: Int64? = nil,
        at time: Int64
    ) throws(DeviceError) {
        try write(TraceEvent(time: time, .sample(value, kind: kind, sensor: sensor ?? kind.rawValue, stamp: stamp)))
    }

    /// Writes a change of the battery; nil if the battery was removed.
    package func write(battery: BatteryReading?, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .battery(battery)))
    }

    /// Writes the loss of a motion sensor with its reason.
    package func writeLost(_ error: DeviceError, sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorLost(error, sensor: sensor)))
    }

    /// Writes that a motion sensor is available again.
    package func writeRegained(sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorRegained(sensor: sensor)))
    }

    /// Writes an accessory event. Data that exceeds ``TraceAccessoryEvent/maximumBytes`` is split into several events;
    /// empty data is not written.
    package func write(_ event: TraceAccessoryEvent, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .accessory(event)))
    }

    package func write(_ event: BeaconEvent, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .beacon(event)))
    }

    /// Writes an event of any kind. An event without a time gets that of the previous event.
    public func write(_ event: TraceEvent) throws(DeviceError) {
        try append { lines, buffer in lines.append(event, to: &buffer) }
    }
}
