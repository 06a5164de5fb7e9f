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
        let (difference, overflow) = system.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
        guard !overflow else { return time }
        let half = period / 2
        let rollovers = difference >= 0 ? (difference + half) / period : (difference - half) / period
        return WallTime(nanoseconds: time.nanoseconds + rollovers * period)
    }
}
