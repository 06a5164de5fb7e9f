// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation

/// What a manager that coalesces may deliver, worked out from all reports.
///
/// A receiver that sends one report an epoch is delivered at once. Once two reports had one time, epochs are held until
/// the next time or until 150 ms pass without a report; then the last report of the epoch counts. An epoch whose first
/// fix went out already, because the receiver was not known yet to report twice, gives no second location. A report
/// without a time belongs to no epoch.
enum Epochs {
    /// For each location the rows it may be made from: one, unless the machine was so slow that the quiet time may have
    /// passed in the middle of an epoch.
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
    /// True when the location may come from this row.
    func matches(_ location: CLLocation) -> Bool {
        location.coordinate.latitude == number("lat") && location.coordinate.longitude == number("lon")
            && location.speed == number("speed") ?? -1 && location.course == number("track") ?? -1
            && location.verticalAccuracy == (number("mode") == 3 ? number("epv") ?? -1 : -1)
    }
}
