// SPDX-License-Identifier: Apache-2.0

import Trace

/// A queue of delayed events, limited in number and total size.
struct DelayedEventQueue {
    /// The maximum number of events, sufficient for one minute at 2000 readings per second.
    static let maximumCount = 1 << 17
    /// The maximum total size of the events in bytes (64 MiB).
    static let maximumSize = 64 << 20
    private(set) var size = 0
    private var heap = TimeHeap<TraceEvent>()
    private let maximumCount: Int
    /// The time of the last released event. A full queue releases events early, so an event added afterwards may be
    /// earlier. Its time is then raised to this time.
    private var lastReleasedTime = Int64.min

    init(capacity: Int = DelayedEventQueue.maximumCount) { self.maximumCount = capacity }

    /// Adds an event, and releases the earliest events if the queue is full.
    mutating func insert(_ event: TraceEvent, into events: inout [TraceEvent]) {
        heap.insert(event, at: max(event.time ?? 0, lastReleasedTime))
        size += event.size
        while heap.count > maximumCount || size > Self.maximumSize, heap.count > 0 { release(into: &events) }
    }

    mutating func release(upTo time: Int64, into events: inout [TraceEvent]) {
        while let first = heap.earliest, first <= time { release(into: &events) }
    }

    private mutating func release(into events: inout [TraceEvent]) {
        guard let (first, time) = heap.removeEarliest() else { return }
        var event = first
        lastReleasedTime = time
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
