// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Lets a location through when it is far enough from the last one that went through, or known better.
struct DistanceFilter: Sendable {
    private var last: (place: CLLocationCoordinate2D, accuracy: Double)?

    /// True when the location goes through, which makes it the one to compare with.
    mutating func accept(_ place: CLLocationCoordinate2D, accuracy: Double, filter: Double) -> Bool {
        guard filter > 0, let last else {
            last = (place, accuracy)
            return true
        }
        guard accuracy < last.accuracy || geodesicDistance(last.place, place) >= filter else { return false }
        self.last = (place, accuracy)
        return true
    }
}

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
}

/// One call of `requestLocation()`: waits for a fix that is good enough, and takes the best one when time is up.
struct SingleRequest: Sendable {
    /// A fix from before the request may stand in for one when it is younger than this many seconds.
    static let age = 15.0
    /// What "best" means here, in metres.
    static let bestAccuracy = 10.0

    /// Ends the wait when it fires.
    let timer: ClockTimer
    var best: CLLocation?

    /// Takes a fix; true when it is as good as was asked for.
    mutating func accept(_ location: CLLocation, desiredAccuracy: Double) -> Bool {
        if let best, best.values.horizontalAccuracy < location.values.horizontalAccuracy {
            return false
        }
        best = location
        // In this order what is not a number counts as best.
        return location.values.horizontalAccuracy <= max(SingleRequest.bestAccuracy, desiredAccuracy)
    }
}
