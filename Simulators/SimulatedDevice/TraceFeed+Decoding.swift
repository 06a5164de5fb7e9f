// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Decoding of the records of a trace. Used only by the thread that has claimed the player.
extension TraceFeed {
    /// Decodes the next record, which must not be a motion sample. Does not consume it.
    mutating func decode(_ record: TraceRecord) {
        guard record.kind == .gpsd else {
            event.content = file.bytes.withUnsafeBytes { content(of: record, in: $0) }
            return
        }
        if records.takePosition(into: &event.position) {
            event.content = .position
        } else {
            file.bytes.withUnsafeBytes {
                event.decode(UnsafeRawBufferPointer(rebasing: $0[record.range]), with: &decoder)
            }
        }
        if record.time == nil, case .position = event.content { reportClock.advance(to: event.position.time) }
        if !options.streams.names.isEmpty { event.rename(by: options.streams.names) }
    }

    private func content(of record: TraceRecord, in bytes: UnsafeRawBufferPointer) -> PlaybackEvent.Content {
        let contents: TraceEvent.Contents?
        switch record.kind {
        case .gpsdText: return .text
        case .lost:
            contents = .lost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The position source was lost."))
        case .regained: contents = .regained
        case .sensorLost:
            let error = record.loss(in: bytes) ?? DeviceError(.connectionLost, "The sensor was lost.")
            contents = sensorID(of: record).map { .sensorLost(error, sensor: $0) }
        case .sensorRegained: contents = sensorID(of: record).map { .sensorRegained(sensor: $0) }
        case .battery: contents = .battery(record.battery(in: bytes))
        // `TraceCursor` has already checked that these records can be decoded.
        case .accessory: contents = record.accessoryEvent(in: bytes).map { .accessory($0) }
        case .beacon: contents = record.beaconEvent(in: bytes).map { .beacon($0) }
        case .gpsd, .sample: contents = nil
        }
        return contents.map { .other($0) } ?? .ignored
    }

    /// Returns the ID of the record's sensor, or nil if the device does not include the sensor.
    func sensorID(of record: TraceRecord) -> SensorDescription.ID? {
        record.sensor.flatMap { sensorIDs.indices.contains($0) ? sensorIDs[$0] : nil }
    }

    /// Returns the first time in the trace's position reports, or nil if no report contains a time.
    static func firstTime(of file: TraceFile) -> WallTime? {
        var decoder = GPSDDecoder()
        var report = PositionReport()
        return file.play { cursor, bytes in
            while let record = cursor.next(bytes) {
                guard case .gpsd = record.kind else { continue }
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if decoder.decode(line, position: &report) == nil, let time = report.time { return time }
            }
            return nil
        }
    }
}
