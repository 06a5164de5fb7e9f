// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// The most recent attitudes, kept for samples that arrive late.
struct AttitudeHistory: Sendable {
    private static let capacity = 256

    private struct Entry: Sendable {
        var time: BootTime
        var attitude: Quaternion
    }

    /// A ring buffer. `newest` is the index of the latest entry, or -1 if there is none.
    private var entries: [Entry] = []
    private var newest = -1

    init() { entries.reserveCapacity(Self.capacity) }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        newest = -1
    }

    /// Adds an attitude. Replaces the newest attitude if it has the same time. Clears the history first if the newest
    /// attitude is later.
    mutating func add(_ attitude: Quaternion, at time: BootTime) {
        if newest >= 0 {
            if entries[newest].time == time {
                entries[newest].attitude = attitude
                return
            }
            if entries[newest].time > time { removeAll() }
        }
        newest = (newest + 1) % Self.capacity
        if newest < entries.count {
            entries[newest] = Entry(time: time, attitude: attitude)
        } else {
            entries.append(Entry(time: time, attitude: attitude))
        }
    }

    /// Returns the attitude at the given time, interpolated between the adjacent attitudes, or nil if the history does
    /// not cover that time.
    func attitude(at time: BootTime) -> Quaternion? {
        guard newest >= 0, time <= entries[newest].time else { return nil }
        var later = newest
        for _ in 0..<entries.count {
            if entries[later].time <= time { break }
            let earlier = (later + entries.count - 1) % entries.count
            let (a, b) = (entries[earlier], entries[later])
            // If the preceding entry is not older, `b` is the oldest entry.
            guard a.time < b.time else { return nil }
            if a.time <= time {
                let part = time.seconds(since: a.time) / b.time.seconds(since: a.time)
                return Self.interpolated(a.attitude, b.attitude, part)
            }
            later = earlier
        }
        return entries[later].time == time ? entries[later].attitude : nil
    }

    /// Linear interpolation suffices for small rotations. The sign is adjusted because q and -q are the same rotation.
    private static func interpolated(_ a: Quaternion, _ b: Quaternion, _ part: Double) -> Quaternion {
        let sign: Double = (a.components * b.components).sum() < 0 ? -1 : 1
        return Quaternion(components: a.components * (1 - part) + b.components * (sign * part)).normalized
    }
}
