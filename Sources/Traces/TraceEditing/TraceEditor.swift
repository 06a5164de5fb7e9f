// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Runs traces through edits, event by event: a trace of any length takes the memory of a few events.
public enum TraceEditor {
    /// Writes the trace as it is after the edits, which are made one after the other.
    ///
    /// A trace that is not native becomes one. Reports without a stamp of their arrival get the times at which
    /// playback would tell them.
    /// - Returns: Sentences about lines that could not be read in full, grouped by problem.
    @discardableResult
    public static func write(
        _ trace: TraceFile, edits: [any TraceEdit] = [], to sink: any TraceSink
    ) throws(DeviceError) -> [String] {
        var edits = edits
        var header = TraceReading.header(of: trace)
        for index in edits.indices { header = try edits[index].header(header) }
        try sink.write(header)
        var reading = TraceReading(trace)
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

    /// The same in memory.
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
            for event in events { edits[index].take(event, into: &edited) }
            events = edited
        }
        return events
    }
}

/// A change of a trace, made event by event: a cut, a scrubbing, faults. ``TraceEditor`` makes it.
public protocol TraceEdit {
    /// What becomes of the header. Called once, before any event.
    mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader

    /// Adds what becomes of an event: nothing, one or several. Their times do not go back.
    mutating func take(_ event: TraceEvent, into events: inout [TraceEvent])

    /// Adds what is left at the end. Throws where only now it is known that the edit cannot be of this trace.
    mutating func finish(into events: inout [TraceEvent]) throws(DeviceError)
}

extension TraceEdit {
    /// Nothing is left.
    public mutating func finish(into events: inout [TraceEvent]) {}
}
