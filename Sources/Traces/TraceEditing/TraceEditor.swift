// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Applies edits to traces one event at a time, so memory use does not depend on the length of the trace.
public enum TraceEditor {
    /// Applies the edits in order and writes the resulting trace.
    ///
    /// A trace in a different format is converted to the native format. If reports have no arrival times, they are
    /// assigned the times at which playback would deliver them.
    ///
    /// - Returns: Remarks about lines that were skipped or only partly read, grouped by problem.
    @discardableResult public static func write(
        _ trace: TraceFile, edits: [any TraceEdit] = [], to sink: any TraceSink
    ) throws(DeviceError) -> [String] {
        var edits = edits
        var header = TimedEventReader.header(of: trace)
        for index in edits.indices { header = try edits[index].header(header) }
        try sink.write(header)
        var reading = TimedEventReader(trace)
        while let event = reading.next() {
            for event in run([event], through: &edits, from: 0) { try sink.write(event) }
        }
        for index in edits.indices {
            var rest: [TraceEvent] = []
            try edits[index].finish(into: &rest)
            for event in run(rest, through: &edits, from: index + 1) { try sink.write(event) }
        }
        return reading.diagnostics.remarks
    }

    /// Applies the edits in order and returns the resulting trace.
    public static func trace(_ trace: TraceFile, edits: [any TraceEdit], named name: String) throws(DeviceError)
        -> TraceFile
    {
        let builder = TraceBuilder(name: name)
        try write(trace, edits: edits, to: builder)
        return try builder.file()
    }

    private static func run(
        _ events: [TraceEvent], through edits: inout [any TraceEdit], from first: Int
    ) -> [TraceEvent] {
        var events = events
        for index in edits.indices.dropFirst(first) {
            if events.isEmpty { return [] }
            var edited: [TraceEvent] = []
            for event in events { edits[index].process(event, into: &edited) }
            events = edited
        }
        return events
    }
}

/// An edit, such as fault injection, that a ``TraceEditor`` applies to a trace one event at a time.
public protocol TraceEdit {
    /// Returns the edited header. Called once, before any event.
    mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader

    /// Appends the events that replace the given event. The times of appended events must never decrease.
    mutating func process(_ event: TraceEvent, into events: inout [TraceEvent])

    /// Appends any remaining events at the end of the trace. Throws an error if the edit does not apply to the trace.
    mutating func finish(into events: inout [TraceEvent]) throws(DeviceError)
}

extension TraceEdit {
    /// Appends no events.
    public mutating func finish(into events: inout [TraceEvent]) {}
}
