// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension TraceCursor {
    /// Returns the next event, with a copy of its contents, or nil at the end of the trace.
    package mutating func nextEvent(_ bytes: UnsafeRawBufferPointer) -> TraceEvent? {
        while let record = next(bytes) {
            if let contents = contents(of: record, bytes) { return TraceEvent(time: record.time, contents) }
        }
        return nil
    }

    /// Parses a line as if it were at the cursor's position. Returns nil if the line contains no valid event.
    package mutating func event(onLine line: UnsafeRawBufferPointer) -> TraceEvent? {
        guard line.count > 0, let record = nativeRecord(line, 0..<line.count, isEnded: true),
            let contents = contents(of: record, line)
        else { return nil }
        return TraceEvent(time: record.time, contents)
    }

    private func contents(of record: TraceRecord, _ bytes: UnsafeRawBufferPointer) -> TraceEvent.Contents? {
        switch record.kind {
        case .gpsd: return .gpsd(record.line(in: bytes))
        case .gpsdText: return .gpsdText(record.line(in: bytes))
        case .lost: return record.loss(in: bytes).map { .lost($0) }
        case .regained: return .regained
        case .sample:
            guard let sample = record.sample, let sensor = id(sample.sensor) else { return nil }
            return .sample(sample.value, kind: sample.kind, sensor: sensor, stamp: sample.stamp)
        case .sensorLost:
            guard let sensor = record.sensor.flatMap(id), let error = record.loss(in: bytes) else { return nil }
            return .sensorLost(error, sensor: sensor)
        case .sensorRegained: return record.sensor.flatMap(id).map { .sensorRegained(sensor: $0) }
        case .battery: return .battery(record.battery(in: bytes))
        case .accessory: return record.accessoryEvent(in: bytes).map { .accessory($0) }
        case .beacon: return record.beaconEvent(in: bytes).map { .beacon($0) }
        }
    }

    private func id(_ sensor: Int) -> SensorDescription.ID? {
        sensors.indices.contains(sensor) ? sensors[sensor].id : nil
    }
}
