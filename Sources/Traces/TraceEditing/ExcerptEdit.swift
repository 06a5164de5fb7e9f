// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// An edit that extracts part of a trace. The beginning of the part becomes time zero.
///
/// The part begins with events that restore the state at that time: the battery, attached accessories and their open
/// sessions, lost sensors, a lost position source, and gpsd's reports about itself and its receivers.
public struct ExcerptEdit: TraceEdit {
    /// The start of the part, in nanoseconds since the start of the trace.
    private let from: Int64
    /// The end of the part. An event at exactly this time is included.
    private let to: Int64
    private var state = TraceState()
    private var hasStarted = false

    /// Creates an edit.
    ///
    /// - Parameters:
    ///   - start: The beginning of the part, relative to the start of the trace. Earlier events are omitted.
    ///   - end: The end of the part, relative to the start of the trace, or nil for the end of the trace. Later events
    ///     are omitted.
    public init(from start: Duration = .zero, to end: Duration? = nil) {
        from = Int64(saturatingSeconds: max(start, .zero).inSeconds) ?? 0
        to = end.map { Int64(saturatingSeconds: max($0, .zero).inSeconds) ?? 0 } ?? .max
    }

    package init(nanoseconds range: ClosedRange<Int64>) { (from, to) = (range.lowerBound, range.upperBound) }

    /// Returns the header with the part's start time.
    public mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader {
        guard from <= to else {
            throw DeviceError(.invalidConfiguration, "The selected part of the trace ends before it begins.")
        }
        var header = header
        if let start = header.start {
            header.start = TraceHeader.Start(
                wallTime: WallTime(nanoseconds: start.wallTime.nanoseconds.addingSaturated(from)),
                boot: BootTime(nanoseconds: start.boot.nanoseconds.addingSaturated(from)))
        }
        return header
    }

    /// Appends the event with adjusted times if it is within the part.
    public mutating func process(_ event: TraceEvent, into events: inout [TraceEvent]) {
        let time = event.time ?? 0
        guard time >= from else { return state.update(with: event) }
        begin(&events)
        guard time <= to else { return }
        var event = event
        event.time = time - from
        if case .sample(let value, let kind, let sensor, let stamp?) = event.contents {
            event.contents = .sample(value, kind: kind, sensor: sensor, stamp: stamp.subtractingSaturated(from))
        }
        events.append(event)
    }

    /// Appends the initial state if the part starts after the last event.
    public mutating func finish(into events: inout [TraceEvent]) { begin(&events) }

    private mutating func begin(_ events: inout [TraceEvent]) {
        guard !hasStarted else { return }
        hasStarted = true
        if from > 0 { events.append(contentsOf: state.events.map { TraceEvent(time: 0, $0) }) }
    }
}
