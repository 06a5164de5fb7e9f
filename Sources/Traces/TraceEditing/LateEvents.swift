// SPDX-License-Identifier: Apache-2.0

import Trace

/// Events that wait for their time, with a bound on how many and on how large they are.
struct LateEvents {
    /// So many events wait: a minute of two thousand readings a second.
    static let capacity = 1 << 17
    /// So many bytes do they have.
    static let maximumSize = 64 << 20

    /// How many bytes wait.
    private(set) var size = 0
    private var heap = TimeHeap<TraceEvent>()
    private let capacity: Int
    /// Where too many came at once some go before their time. None goes before one that has gone.
    private var last = Int64.min

    init(capacity: Int = LateEvents.capacity) { self.capacity = capacity }

    /// Adds an event; the earliest is handed on where too many wait.
    mutating func add(_ event: TraceEvent, into events: inout [TraceEvent]) {
        heap.insert(event, at: max(event.time ?? 0, last))
        size += event.size
        while heap.count > capacity || size > Self.maximumSize, heap.count > 0 { release(into: &events) }
    }

    /// Hands on those that have no later time than this.
    mutating func release(upTo time: Int64, into events: inout [TraceEvent]) {
        while let first = heap.earliest, first <= time { release(into: &events) }
    }

    private mutating func release(into events: inout [TraceEvent]) {
        guard let (first, time) = heap.removeEarliest() else { return }
        var event = first
        last = time
        size -= first.size
        let due = event.time ?? 0
        if due < time {
            if case .sample(let value, let kind, let sensor, nil) = event.contents {
                event.contents = .sample(value, kind: kind, sensor: sensor, stamp: due)
            }
            event.time = time
        }
        events.append(event)
    }
}
