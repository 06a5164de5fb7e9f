// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Trace

/// Reads a trace, one event after the other, each with its place on the device's clock.
struct TraceFeed {
    /// An event that is next in the trace.
    struct Event {
        let time: BootTime
        let content: Content
        /// The record it was read from.
        let record: TraceRecord
    }

    /// What an event is about.
    enum Content {
        case report(GPSDReport)
        case line
        case lost(DeviceError)
        case regained
    }

    private let file: TraceFile
    private let start: BootTime
    /// Nanoseconds by which the receivers' times are moved.
    private let shift: Int64
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    /// The trace clock, nanoseconds since the start, of traces without stamps of arrival.
    private var elapsed: Int64 = 0
    private var lastTime: WallTime?

    init(file: TraceFile, start: BootTime, shift: Int64) {
        self.file = file
        self.start = start
        self.shift = shift
        cursor = TraceCursor(file)
    }

    /// What the reader had to say about the file so far.
    var warnings: [TraceWarning] { cursor.warnings }

    /// The next event; nil at the end.
    mutating func next() -> Event? {
        file.bytes.withUnsafeBytes { bytes in
            guard let record = cursor.next(bytes) else { return nil }
            let content: Content
            switch record.kind {
            case .gpsd:
                var report = decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[record.range]))
                if record.time == nil { follow(report) }
                if shift != 0 { report.move(by: shift) }
                content = .report(report)
            // A line that is not JSON says nothing, and is there for those who want each line.
            case .gpsdText: content = .line
            case .lost:
                content = .lost(record.loss(in: bytes) ?? DeviceError(.connectionLost, "The position source was lost."))
            case .regained: content = .regained
            }
            let nanoseconds = record.time ?? elapsed
            return Event(
                time: BootTime(nanoseconds: start.nanoseconds.addingSaturated(nanoseconds)), content: content,
                record: record)
        }
    }

    /// Moves the trace clock with the report's own time where that rises by up to a minute; else it holds.
    private mutating func follow(_ report: GPSDReport) {
        guard case .position(let position) = report, let time = position.time else { return }
        if let lastTime {
            let rise = time.nanoseconds.subtractingSaturated(lastTime.nanoseconds)
            if rise > 0, rise <= 60_000_000_000 { elapsed = elapsed.addingSaturated(rise) }
        }
        lastTime = time
    }

    /// The first time that a report of the trace carries; nil when none does.
    static func firstTime(of file: TraceFile) -> WallTime? {
        var cursor = TraceCursor(file)
        var decoder = GPSDDecoder()
        return file.bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                guard case .gpsd = record.kind else { continue }
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                if case .position(let report) = decoder.decode(line), let time = report.time { return time }
            }
            return nil
        }
    }
}

extension GPSDReport {
    /// Moves the receiver's time.
    fileprivate mutating func move(by nanoseconds: Int64) {
        switch self {
        case .position(var report):
            report.time?.nanoseconds.add(nanoseconds)
            self = .position(report)
        case .sky(var sky):
            sky.time?.nanoseconds.add(nanoseconds)
            self = .sky(sky)
        case .attitude(var attitude):
            attitude.time?.nanoseconds.add(nanoseconds)
            self = .attitude(attitude)
        case .version, .devices, .device, .watch, .error, .other, .malformed: break
        }
    }
}

extension Int64 {
    fileprivate mutating func add(_ other: Int64) {
        self = addingSaturated(other)
    }
}
