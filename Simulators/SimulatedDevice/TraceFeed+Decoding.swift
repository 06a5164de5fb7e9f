// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Decoding of the records of a trace. Used only by the thread that has claimed the player.
extension TraceFeed {
    /// Decodes the record at the given index in the block. The record must not be a motion sample.
    mutating func decode(_ record: TraceRecord, at index: Int) {
        if record.kind == .gpsd, loadDecodedPosition(of: index) {
            content = .position
            if record.time == nil { reportClock.advance(to: position.time) }
            if !options.streams.names.isEmpty { rename(by: options.streams.names) }
            return
        }
        file.bytes.withUnsafeBytes { bytes in
            switch record.kind {
            case .gpsd:
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if let report = decoder.decode(line, position: &position) {
                    content = .other(report)
                } else {
                    content = .position
                    if record.time == nil { reportClock.advance(to: position.time) }
                }
                if !options.streams.names.isEmpty { rename(by: options.streams.names) }
            case .gpsdText: content = .line
            case .lost:
                content = .lost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The position source was lost."))
            case .regained: content = .regained
            // The player reads samples directly from the record.
            case .sample: break
            case .sensorLost:
                content = .sensorLost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The sensor was lost."))
            case .sensorRegained: content = .sensorRegained
            case .battery: content = .battery(record.battery(in: bytes))
            // `TraceCursor` has already checked that these records can be decoded.
            case .accessory: content = record.accessoryEvent(in: bytes).map { .accessory($0) } ?? .line
            case .beacon: content = record.beaconEvent(in: bytes).map { .beacon($0) } ?? .line
            }
        }
    }

    /// Sets `position` to the decoded position of the record at `index`. Returns false if the reader has not decoded
    /// the record in advance.
    private mutating func loadDecodedPosition(of index: Int) -> Bool {
        while nextPosition < block.positionCount, block.positions[nextPosition].record < index { nextPosition += 1 }
        guard nextPosition < block.positionCount, block.positions[nextPosition].record == index else { return false }
        // Swapping lets the block reuse the memory of the previous position.
        swap(&position, &block.positions[nextPosition].report)
        nextPosition += 1
        return true
    }

    private mutating func rename(by names: [String: String]) {
        switch content {
        case .position: position.receiver = names[position.receiver] ?? position.receiver
        case .other(let report): content = .other(report.renamed(by: names))
        default: break
        }
    }

    mutating func shiftTimes() {
        let shift = shift
        guard shift != 0 else { return }
        switch content {
        case .position: position.time = position.time?.shifted(by: shift)
        case .other(let report): content = .other(report.shifted(by: shift))
        case .line, .lost, .regained, .sensorLost, .sensorRegained, .battery, .accessory, .beacon, .loopStart: break
        }
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

extension GPSDReport {
    func renamed(by names: [String: String]) -> GPSDReport {
        func renamed(_ receiver: ReceiverDescription) -> ReceiverDescription {
            var receiver = receiver
            receiver.path = names[receiver.path] ?? receiver.path
            return receiver
        }
        switch self {
        case .sky(var sky):
            sky.receiver = names[sky.receiver] ?? sky.receiver
            return .sky(sky)
        case .attitude(var attitude):
            attitude.receiver = names[attitude.receiver] ?? attitude.receiver
            return .attitude(attitude)
        case .devices(let receivers): return .devices(receivers.map(renamed))
        case .device(let receiver): return .device(renamed(receiver))
        case .position, .version, .watch, .error, .other, .malformed: return self
        }
    }
}
