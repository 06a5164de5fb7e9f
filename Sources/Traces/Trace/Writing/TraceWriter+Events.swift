// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension TraceWriter {
    /// Writes a line from gpsd without its terminator. A line that is not a JSON object is stored as text, so that the
    /// trace stays valid. All times are in nanoseconds since the start of the trace.
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

    /// Writes one line per reading, with the batch's arrival time, and omits readings that a trace cannot represent.
    /// The readings are in the sensor's own axes. `start` is a time of the batch's clock.
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

    /// The default sensor ID is the name of the kind. If `stamp` is nil, the reading has only an arrival time.
    package func write(
        sample value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID? = nil, stamp: Int64? = nil,
        at time: Int64
    ) throws(DeviceError) {
        try write(TraceEvent(time: time, .sample(value, kind: kind, sensor: sensor ?? kind.rawValue, stamp: stamp)))
    }

    /// Writes a battery change, or the removal of the battery if the value is nil.
    package func write(battery: BatteryReading?, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .battery(battery)))
    }

    package func writeLost(_ error: DeviceError, sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorLost(error, sensor: sensor)))
    }

    package func writeRegained(sensor: SensorDescription.ID, at time: Int64) throws(DeviceError) {
        try write(TraceEvent(time: time, .sensorRegained(sensor: sensor)))
    }

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
