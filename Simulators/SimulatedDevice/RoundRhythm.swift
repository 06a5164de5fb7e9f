// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The times of one round that tell when the next one has to begin, in nanoseconds of the device's clock since the trace's
/// start.
struct RoundRhythm: Sendable {
    /// One stream's first and last event, and the time between its last two.
    private struct Beat: Sendable {
        var first: Int64
        var last: Int64
        var interval: Int64 = 0

        mutating func note(_ time: Int64) {
            guard time > last else { return }
            interval = time - last
            last = time
        }
    }

    /// The offset with which the round began.
    let offset: Int64
    private var last: Int64?
    private var positions: Beat?
    /// Of the first sensor that gave a reading.
    private var readings: Beat?
    private var sensor: Int?

    var isEmpty: Bool { last == nil }

    init(offset: Int64) { self.offset = offset }

    mutating func note(_ time: Int64, isPosition: Bool, sensor: Int?) {
        last = time
        if isPosition {
            if positions == nil { positions = Beat(first: time, last: time) } else { positions?.note(time) }
        } else if let sensor {
            if readings == nil {
                readings = Beat(first: time, last: time)
                self.sensor = sensor
            } else if sensor == self.sensor {
                readings?.note(time)
            }
        }
    }

    /// The latest end of the round when no pause is longer than that.
    func end(atMost gap: Int64?) -> Int64 { gap.map { (last ?? 0).addingSaturated($0) } ?? .max }

    /// When the next round begins: at the end that it was given, unless something happens at that very time, else so that the
    /// stream with the beat goes on in its beat, and always after the last event.
    ///
    /// - Parameter from: when this one began.
    func next(from: Int64, end: Int64?) -> Int64 {
        let least = (last ?? from).addingSaturated(1)
        if let end, end >= least { return end }
        guard let beat = positions ?? readings else { return least }
        let first = beat.first.subtractingSaturated(from)
        return max(beat.last.addingSaturated(beat.interval).subtractingSaturated(first), least)
    }
}
