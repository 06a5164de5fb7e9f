// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

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
