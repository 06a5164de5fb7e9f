// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Goes through several tracks in the order of time.
struct TrackMerge {
    private let tracks: [MotionTrack]
    private var next: [Int]

    /// At the first reading of tracks that are in order.
    init(_ tracks: [MotionTrack]) {
        self.tracks = tracks
        next = tracks.map { _ in 0 }
    }

    /// The earliest time that was not taken yet; nil at the end.
    var nextTime: Int64? {
        var earliest: Int64?
        for index in tracks.indices where next[index] < tracks[index].count {
            let time = tracks[index].times[next[index]]
            if earliest.map({ time < $0 }) ?? true { earliest = time }
        }
        return earliest
    }

    /// The reading of that track at that time, which is then behind us; nil when it has none.
    mutating func take(_ track: Int, at time: Int64) -> Int? {
        let index = next[track]
        guard index < tracks[track].count, tracks[track].times[index] == time else { return nil }
        next[track] = index + 1
        return index
    }
}
