// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// Leaves a part of a trace, with time zero at its beginning.
///
/// What had happened before and still holds goes along: the battery, accessories that are attached and their open
/// sessions, sensors and the position source when they were lost, and what gpsd had said of itself and its receivers.
public struct CutEdit: TraceEdit {
    /// Nanoseconds since the start.
    private let from: Int64
    private let to: Int64
    private var state = TraceState()
    private var hasBegun = false

    /// - Parameters:
    ///   - start: Seconds from the start of the trace; what is before is left out.
    ///   - end: Seconds from the start of the trace; what is later is left out. Infinity for the trace's end.
    public init(from start: Double = 0, to end: Double = .infinity) {
        from = Int64(saturatingSeconds: max(start, 0)) ?? 0
        to = end == .infinity ? .max : Int64(saturatingSeconds: max(end, 0)) ?? 0
    }

    /// The same, in nanoseconds, which no conversion rounds.
    package init(nanoseconds range: ClosedRange<Int64>) { (from, to) = (range.lowerBound, range.upperBound) }

    /// The same header with its start moved.
    public mutating func header(_ header: TraceHeader) throws(DeviceError) -> TraceHeader {
        guard from <= to else {
            throw DeviceError(.invalidConfiguration, "The part of the trace ends before it begins.")
        }
        var header = header
        if let start = header.start {
            header.start = TraceHeader.Start(
                wallTime: WallTime(nanoseconds: start.wallTime.nanoseconds.addingSaturated(from)),
                boot: BootTime(nanoseconds: start.boot.nanoseconds.addingSaturated(from)))
        }
        return header
    }

    /// Lets through what happens in the part.
    public mutating func take(_ event: TraceEvent, into events: inout [TraceEvent]) {
        let time = event.time ?? 0
        guard time >= from else { return state.take(event) }
        begin(&events)
        guard time <= to else { return }
        var event = event
        event.time = time - from
        if case .sample(let value, let kind, let sensor, let stamp?) = event.contents {
            event.contents = .sample(value, kind: kind, sensor: sensor, stamp: stamp.subtractingSaturated(from))
        }
        events.append(event)
    }

    /// A part behind the last event begins with what held then.
    public mutating func finish(into events: inout [TraceEvent]) { begin(&events) }

    private mutating func begin(_ events: inout [TraceEvent]) {
        guard !hasBegun else { return }
        hasBegun = true
        if from > 0 { events.append(contentsOf: state.events.map { TraceEvent(time: 0, $0) }) }
    }
}
