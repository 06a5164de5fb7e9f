// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Mends the date of a receiver that has lost count of GPS weeks: the signal carries ten bits of the week number, so an
/// old receiver is off by a multiple of 1024 weeks.
enum WeekRollover {
    /// 1024 weeks in nanoseconds.
    static let period: Int64 = 1024 * 7 * 86_400 * 1_000_000_000

    /// The time moved by whole rollovers to where it is nearest to the system clock.
    static func repaired(_ time: WallTime, near system: WallTime) -> WallTime {
        // What is left of the distance once whole rollovers are taken off. Each time is taken by itself: their
        // difference may be more than the range holds.
        var distance = system.nanoseconds % period - time.nanoseconds % period
        let half = period / 2
        while distance > half { distance -= period }
        while distance < -half { distance += period }
        return WallTime(nanoseconds: system.nanoseconds.subtractingSaturated(distance))
    }
}
