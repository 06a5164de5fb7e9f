// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The event times of one pass, which determine the start of the next pass. Times are in nanoseconds of the device's
/// clock since the start of the trace.
struct LoopTiming: Sendable {
    /// The first and last event of a stream and the interval between its last two events.
    private struct StreamTiming: Sendable {
        var first: Int64
        var last: Int64
        var interval: Int64 = 0

        mutating func record(_ time: Int64) {
            guard time > last else { return }
            interval = time - last
            last = time
        }
    }

    /// The offset at the start of the pass.
    let offset: Int64
    private var last: Int64?
    private var positions: StreamTiming?
    /// The samples of the first sensor that delivered one.
    private var readings: StreamTiming?
    private var sensor: Int?

    var isEmpty: Bool { last == nil }

    init(offset: Int64) { self.offset = offset }

    mutating func record(_ time: Int64, isPosition: Bool, sensor: Int?) {
        last = time
        if isPosition {
            if positions == nil { positions = StreamTiming(first: time, last: time) } else { positions?.record(time) }
        } else if let sensor {
            if readings == nil {
                readings = StreamTiming(first: time, last: time)
                self.sensor = sensor
            } else if sensor == self.sensor {
                readings?.record(time)
            }
        }
    }

    /// Returns the latest possible end of the pass if pauses are limited to `gap`.
    func end(atMost gap: Int64?) -> Int64 { gap.map { (last ?? 0).addingSaturated($0) } ?? .max }

    /// Returns the start of the next pass.
    ///
    /// The next pass starts at `end`, unless an event occurs at or after that time. Otherwise, it starts so that the
    /// stream continues with its interval. It always starts after the last event.
    ///
    /// - Parameters:
    ///   - from: The start of the current pass.
    ///   - end: The required end of the current pass; nil if there is none.
    func next(from: Int64, end: Int64?) -> Int64 {
        let least = (last ?? from).addingSaturated(1)
        if let end, end >= least { return end }
        guard let beat = positions ?? readings else { return least }
        let first = beat.first.subtractingSaturated(from)
        return max(beat.last.addingSaturated(beat.interval).subtractingSaturated(first), least)
    }
}
