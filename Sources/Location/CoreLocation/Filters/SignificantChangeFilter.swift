// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Lets a location through after 500 metres, and not more often than every five minutes.
struct SignificantChangeFilter: Sendable {
    /// Metres.
    static let distance = 500.0
    /// Seconds.
    static let interval = 300.0

    private var last: (place: CLLocationCoordinate2D, time: BootTime)?

    /// True when the location goes through.
    mutating func accept(_ place: CLLocationCoordinate2D, now: BootTime) -> Bool {
        if let last {
            guard now.seconds(since: last.time) >= SignificantChangeFilter.interval,
                geodesicDistance(last.place, place) >= SignificantChangeFilter.distance
            else { return false }
        }
        last = (place, now)
        return true
    }

    /// The next location goes through.
    mutating func reset() {
        last = nil
    }
}
