// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Finds stays in a row of fixes: a value that is fed with fixes and says when a visit begins and ends.
///
/// A fix at which the device is slow opens a stay. It is a visit when the device has been within `radius` of the stay's
/// middle for five minutes; traffic lights take less than 90 seconds. Whoever walks up and down in front of the door does
/// not leave: a visit ends when the device has been outside for five minutes, or is far outside. Until then it may come
/// back. The times are those of the first and the last fix inside.
///
/// The figures are in the middle of what published stay detectors use (50 to 200 m, 5 to 20 minutes).
struct VisitTracker: Sendable {
    /// Fixes of a worse accuracy than this many metres say nothing of a stay. It is what stands for an accuracy that the
    /// receiver does not tell: stays of such fixes are of 200 m.
    static let worstAccuracy = LocationConversion.unknownHorizontalAccuracy
    /// The least radius of a stay in metres; twice the accuracy of its first fix where that is more.
    static let leastRadius = 75.0
    /// Faster than this many metres per second, nobody stays: a brisk walk.
    static let greatestSpeed = 1.4
    /// Seconds that make a stay a visit, and an absence its end.
    static let patience = 300.0
    /// A visit goes on over a silence of up to this many seconds if the device is there afterwards.
    static let longestSilence = 43_200.0

    /// A visit that has begun, or that has ended.
    struct Visit: Sendable, Equatable {
        /// Seconds since 2001-01-01T00:00:00Z; nil when the device was there from the first fix on.
        var arrival: Double?
        /// Nil while the device is there.
        var departure: Double?
        var latitude: Double
        var longitude: Double
        /// Metres.
        var accuracy: Double
    }

    fileprivate struct Stay {
        var arrival: Double
        var isFirst: Bool
        var radius: Double
        var latitude: Double
        var longitude: Double
        var opening: CLLocationCoordinate2D
        var weight: Double
        var count = 1
        var lastInside: Double
        var accuracies: [Double]
        var spread = 0.0
        var isTold = false
        /// The first fix outside in a row of such, how many they are, and how many of them are far away.
        var absence: (since: Double, count: Int, far: Int)?

        var center: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
    }

    private var stay: Stay?
    private var last: Double?

    /// Takes a fix; what has begun or ended with it, an end before a beginning.
    mutating func accept(_ fix: TrackedFix) -> [Visit] {
        guard fix.accuracy >= 0, fix.accuracy <= Self.worstAccuracy else { return [] }
        let former = last
        if let former, fix.timestamp <= former {
            // A clock that was set back: nothing is known of how long.
            if former - fix.timestamp > 10 { (stay, last) = (nil, nil) }
            return []
        }
        last = fix.timestamp
        guard var stay else {
            open(fix, isFirst: former == nil)
            return []
        }
        let distance = geodesicDistance(stay.center, fix.place)
        let silence = fix.timestamp - (former ?? fix.timestamp)
        if distance <= stay.radius * (stay.isTold ? 1.5 : 1), silence <= Self.longestSilence {
            stay.absence = nil
            stay.include(fix, distance)
            defer { self.stay = stay }
            guard !stay.isTold, fix.timestamp - stay.arrival >= Self.patience, stay.count >= 3 else { return [] }
            stay.isTold = true
            return [stay.visit(departure: nil)]
        }
        var absence = stay.absence ?? (fix.timestamp, 0, 0)
        absence.count += 1
        if distance > 3 * stay.radius { absence.far += 1 }
        stay.absence = absence
        self.stay = stay
        // One fix may be a reflection.
        let hasGone =
            silence > Self.longestSilence || absence.far >= 2
            || absence.count >= 2 && (!stay.isTold || fix.timestamp - absence.since >= Self.patience)
        guard hasGone else { return [] }
        open(fix, isFirst: false)
        return stay.isTold ? [stay.visit(departure: stay.lastInside)] : []
    }

    private mutating func open(_ fix: TrackedFix, isFirst: Bool) {
        guard fix.speed <= Self.greatestSpeed else {
            stay = nil
            return
        }
        let radius = max(Self.leastRadius, 2 * fix.accuracy)
        stay = Stay(
            arrival: fix.timestamp, isFirst: isFirst, radius: radius, latitude: fix.place.latitude,
            longitude: fix.place.longitude, opening: fix.place, weight: Self.weight(fix), lastInside: fix.timestamp,
            accuracies: [fix.accuracy])
    }

    private static func weight(_ fix: TrackedFix) -> Double { 1 / max(1, fix.accuracy * fix.accuracy) }
}

extension VisitTracker.Stay {
    /// Takes a fix inside. The middle is the mean of the first five minutes, and no farther than half of the radius from
    /// where the stay began: a slow walk shall not take it along.
    fileprivate mutating func include(_ fix: TrackedFix, _ distance: Double) {
        if distance <= radius { lastInside = fix.timestamp }
        count += 1
        guard fix.timestamp - arrival <= VisitTracker.patience || count <= 3 else { return }
        let weight = 1 / max(1, fix.accuracy * fix.accuracy)
        let share = weight / (self.weight + weight)
        var longitudeStep = fix.place.longitude - longitude
        if abs(longitudeStep) > 180 { longitudeStep -= longitudeStep > 0 ? 360 : -360 }
        let moved = CLLocationCoordinate2D(
            latitude: latitude + share * (fix.place.latitude - latitude),
            longitude: (longitude + share * longitudeStep).remainder(dividingBy: 360))
        self.weight += weight
        spread += share * (distance - spread)
        if accuracies.count < 512 { accuracies.append(fix.accuracy) }
        guard geodesicDistance(opening, moved) <= radius / 2 else { return }
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
