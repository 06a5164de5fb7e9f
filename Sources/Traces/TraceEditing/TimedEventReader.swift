// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
package import Trace

/// An iterator over the events of a trace. If the file has no arrival times, event times are computed from the times in
/// the reports, relative to the first report.
package struct TimedEventReader {
    private let bytes: TraceBytes
    private var cursor: TraceCursor
    private var clock = ReportClock()
    private var decoder = GPSDDecoder()

    package init(_ trace: TraceFile) {
        bytes = trace.bytes
        cursor = TraceCursor(trace)
    }

    package var warningCount: Int { cursor.warningCount }
    /// All warnings, grouped by reason.
    package var diagnostics: InputDiagnostics { cursor.diagnostics }
    package var reasons: Set<TraceWarning.Reason> { cursor.reasons }
    /// The number of the last line read, starting at 1.
    package var line: Int { cursor.line }

    package mutating func next() -> TraceEvent? {
        guard var event = bytes.withUnsafeBytes({ cursor.nextEvent($0) }) else { return nil }
        if event.time == nil {
            if case .gpsd(let line) = event.contents { clock.advance(to: decoder.position(line)?.time) }
            event.time = clock.elapsed
        }
        return event
    }

    /// Returns the header of a trace. For gpsd output, which has no header, creates one that contains the start time if
    /// it is known. Sensors that appear only in events are added to the header.
    package static func header(of trace: TraceFile) -> TraceHeader {
        var header = trace.header ?? TraceHeader()
        if trace.header == nil {
            header.source = trace.name
            // Empty, because the times are not from this machine's clock.
            header.clock = ""
            if let start = trace.start ?? firstTime(of: trace) {
                header.start = TraceHeader.Start(wallTime: start, boot: .zero)
            }
        }
        let known = Set(header.sensors.map(\.id))
        for sensor in trace.findSensors() where !known.contains(sensor.id) { header.add(sensor) }
        return header
    }

    private static func firstTime(of trace: TraceFile) -> WallTime? {
        var reading = TimedEventReader(trace)
        while let event = reading.next() {
            // `next` may already have decoded the line. Decoding it again does not change the result.
            if case .gpsd(let line) = event.contents, let time = reading.decoder.position(line)?.time { return time }
        }
        return nil
    }
}

extension GPSDDecoder {
    /// Returns the report if the line is a position report, or nil for any other line.
    mutating func position(_ line: [UInt8]) -> PositionReport? {
        if case .position(let report) = line.withUnsafeBytes({ decode($0) }) { report } else { nil }
    }
}
