// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Detects visits in a sequence of fixes.
///
/// A fix at low speed begins a stay. The stay becomes a visit when the device has been within the stay's radius for
/// five minutes. Stops at traffic lights are shorter than 90 seconds, so they are not visits. A visit ends when the
/// device has been away for five minutes, or as soon as it is far away. If the device returns before then, the visit
/// continues. The times of arrival and departure are those of the first and last fixes inside the radius.
///
/// The constants are within the ranges used by published stay-point detectors (50 to 200 m, 5 to 20 minutes).
struct VisitTracker: Sendable {
    /// The maximum error of a fix, in metres. Fixes with a larger error are ignored. Fixes without an error estimate
    /// are assumed to have this error.
    static let maximumAccuracy = LocationConversion.unknownHorizontalAccuracy
    /// The minimum radius of a stay, in metres. The radius is twice the accuracy of the stay's first fix, if that is
    /// larger.
    static let minimumRadius = 75.0
    /// The maximum speed at which a stay can begin, in metres per second. This is the speed of a brisk walk.
    static let maximumSpeed = 1.4
    /// The minimum duration of a visit, and of an absence that ends a visit, in seconds.
    static let minimumDuration = 300.0
    /// The maximum time between two fixes in the same visit, in seconds.
    static let maximumGap = 43_200.0

    struct Visit: Sendable, Equatable {
        /// The arrival time in seconds since 2001-01-01T00:00:00Z, or nil if the stay began before the first fix.
        var arrival: Double?
        /// The departure time in seconds since 2001-01-01T00:00:00Z, or nil while the device is still there.
        var departure: Double?
        var latitude: Double
        var longitude: Double
        /// The accuracy in metres.
        var accuracy: Double
    }

    fileprivate struct Stay {
        var arrival: Double
        /// True if the stay began with the first fix, in which case the time of arrival is unknown.
        var isFirst: Bool
        var radius: Double
        var latitude: Double
        var longitude: Double
        var firstPosition: CLLocationCoordinate2D
        /// The total weight of the fixes used to compute the centre.
        var weight: Double
        var count = 1
        /// The time of the last fix inside the radius.
        var lastInside: Double
        var accuracies: [Double]
        /// The weighted mean distance of the fixes from the centre, in metres.
        var spread = 0.0
        var isReported = false
        /// The current sequence of fixes outside the stay: the time of its first fix, the number of fixes, and the
        /// number that are far outside.
        var absence: (since: Double, count: Int, far: Int)?

        var center: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
    }

    private var stay: Stay?
    private var last: Double?

    mutating func accept(_ fix: TrackedFix) -> [Visit] {
        guard fix.accuracy >= 0, fix.accuracy <= Self.maximumAccuracy else { return [] }
        let former = last
        if let former, fix.timestamp <= former {
            // If the clock was set back, durations are unknown, so the current stay is discarded.
            if former - fix.timestamp > 10 { (stay, last) = (nil, nil) }
            return []
        }
        last = fix.timestamp
        guard var stay else {
            open(fix, isFirst: former == nil)
            return []
        }
        let distance = geodesicDistance(stay.center, fix.coordinate)
        let gap = fix.timestamp - (former ?? fix.timestamp)
        // A visit ends only when the device leaves a larger circle, so that noise at the boundary does not end it.
        if distance <= stay.radius * (stay.isReported ? 1.5 : 1), gap <= Self.maximumGap {
            stay.absence = nil
            stay.include(fix, distance)
            defer { self.stay = stay }
            guard !stay.isReported, fix.timestamp - stay.arrival >= Self.minimumDuration, stay.count >= 3 else {
                return []
            }
            stay.isReported = true
            return [stay.visit(departure: nil)]
        }
        var absence = stay.absence ?? (fix.timestamp, 0, 0)
        absence.count += 1
        if distance > 3 * stay.radius { absence.far += 1 }
        stay.absence = absence
        self.stay = stay
        // A single fix outside does not end the stay, because a signal reflection may have caused it.
        let hasLeft =
            gap > Self.maximumGap || absence.far >= 2
            || absence.count >= 2 && (!stay.isReported || fix.timestamp - absence.since >= Self.minimumDuration)
        guard hasLeft else { return [] }
        open(fix, isFirst: false)
        return stay.isReported ? [stay.visit(departure: stay.lastInside)] : []
    }

    private mutating func open(_ fix: TrackedFix, isFirst: Bool) {
        guard fix.speed <= Self.maximumSpeed else {
            stay = nil
            return
        }
        let radius = max(Self.minimumRadius, 2 * fix.accuracy)
        stay = Stay(
            arrival: fix.timestamp, isFirst: isFirst, radius: radius, latitude: fix.coordinate.latitude,
            longitude: fix.coordinate.longitude, firstPosition: fix.coordinate, weight: Self.weight(fix),
            lastInside: fix.timestamp, accuracies: [fix.accuracy])
    }

    fileprivate static func weight(_ fix: TrackedFix) -> Double { 1 / max(1, fix.accuracy * fix.accuracy) }
}

extension VisitTracker.Stay {
    /// Adds a fix inside the stay. The centre is the weighted mean of the fixes in the first five minutes, or of the
    /// first three fixes if those take longer. The centre stays within half a radius of the first fix, so that it does
    /// not follow a device that moves slowly.
    fileprivate mutating func include(_ fix: TrackedFix, _ distance: Double) {
        if distance <= radius { lastInside = fix.timestamp }
        count += 1
        guard fix.timestamp - arrival <= VisitTracker.minimumDuration || count <= 3 else { return }
        let weight = VisitTracker.weight(fix)
        let share = weight / (self.weight + weight)
        var longitudeStep = fix.coordinate.longitude - longitude
        if abs(longitudeStep) > 180 { longitudeStep -= longitudeStep > 0 ? 360 : -360 }
        let moved = CLLocationCoordinate2D(
            latitude: latitude + share * (fix.coordinate.latitude - latitude),
            longitude: (longitude + share * longitudeStep).remainder(dividingBy: 360))
        self.weight += weight
        spread += share * (distance - spread)
        if accuracies.count < 512 { accuracies.append(fix.accuracy) }
        guard geodesicDistance(firstPosition, moved) <= radius / 2 else { return }
        (latitude, longitude) = (moved.latitude, moved.longitude)
    }

    fileprivate func visit(departure: Double?) -> VisitTracker.Visit {
        let sorted = accuracies.sorted()
        let median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        return VisitTracker.Visit(
            arrival: isFirst ? nil : arrival, departure: departure, latitude: latitude, longitude: longitude,
            accuracy: max(median, spread))
    }
}
