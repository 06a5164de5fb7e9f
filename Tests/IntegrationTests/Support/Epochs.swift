// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

/// The locations that a coalescing manager may deliver, computed from all reports.
///
/// A receiver with one report per epoch is delivered immediately. Once two reports had the same time, an epoch is held
/// until the next time or until 150 ms pass without a report, and its last report is delivered. An epoch whose first
/// fix was delivered before the receiver was known to report twice yields no second location. A report without a time
/// belongs to no epoch.
enum Epochs {
    /// The rows that each location may be made from. There is only one, unless the machine is so slow that 150 ms may
    /// pass within an epoch.
    static func expected(_ every: [CLLocation], rows: [ReportRow]) -> [[ReportRow]] {
        var groups: [[ReportRow]] = []
        var isKnownToRepeat = false
        var index = 0
        var nextFix = 0
        while index < rows.count {
            var end = index + 1
            if let time = rows[index].time {
                while end < rows.count, rows[end].time == time { end += 1 }
            }
            let epoch = Array(rows[index..<end])
            let locations = Array(every.dropFirst(nextFix).prefix(epoch.count(where: \.isFix)))
            nextFix += locations.count
            let isHeld = isKnownToRepeat && epoch[0].time != nil
            if epoch.count > 1 { isKnownToRepeat = true }
            let isTorn = zip(locations, locations.dropFirst()).contains { first, second in
                guard let first = first.report?.arrival, let second = second.report?.arrival else { return true }
                return second.seconds(since: first) > 0.14
            }
            if !isHeld, epoch[0].isFix {
                groups.append([epoch[0]])
            } else if let last = epoch.last, last.isFix || epoch.contains(where: \.isFix) && isTorn {
                groups.append(isTorn ? epoch.filter(\.isFix) : [last])
            }
            index = end
        }
        return groups
    }
}

extension ReportRow {
    /// True if the location may be made from this row.
    func matches(_ location: CLLocation) -> Bool {
        location.coordinate.latitude == number("lat") && location.coordinate.longitude == number("lon")
            && location.speed == number("speed") ?? -1 && location.course == number("track") ?? -1
            && location.verticalAccuracy == (number("mode") == 3 ? number("epv") ?? -1 : -1)
    }
}
