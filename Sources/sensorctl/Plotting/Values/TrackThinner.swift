// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

/// A place of a track.
package struct TrackPlace: Sendable, Equatable {
    /// Seconds from the start of the time axis.
    package var time: Double
    /// Degrees.
    package var latitude: Double
    package var longitude: Double
    /// Metres; below zero when nobody knows.
    package var accuracy: Double
    /// The longest time without a place on the way here, in seconds.
    package fileprivate(set) var pause = 0.0

    package init(time: Double, latitude: Double, longitude: Double, accuracy: Double) {
        (self.time, self.latitude, self.longitude, self.accuracy) = (time, latitude, longitude, accuracy)
    }

    fileprivate func isAt(_ other: TrackPlace) -> Bool {
        (time, latitude, longitude) == (other.time, other.latitude, other.longitude)
    }

    var coordinate: GeodeticCoordinate { GeodeticCoordinate(latitude: latitude, longitude: longitude) }

    /// The direction from the middle of the earth, of length 1.
    var direction: SIMD3<Double> {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        return SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }

    /// Metres, near enough to see what can be left out.
    func distance(to other: TrackPlace) -> Double {
        let step = direction - other.direction
        return (step * step).sum().squareRoot() * WGS84.semiMajorAxis
    }
}

/// A track of any number of places in bounded memory: places that lie so close together that nobody sees it become one.
package struct TrackThinner: Sendable {
    static let limit = 8192

    private var kept: [TrackPlace] = []
    /// Metres; 0 while every place is kept.
    private var tolerance = 0.0
    /// The last place of all, if it was not kept.
    private var pending: TrackPlace?
    private var latest: TrackPlace?
    /// The longest pause since the last place that was kept.
    private var pause = 0.0
    /// The places furthest south, north, west and east, whether they were kept or not.
    private var extremes: [TrackPlace] = []
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ new: TrackPlace) {
        guard new.coordinate.isValid, abs(new.longitude) <= 360, abs(new.time) < 1e12 else { return }
        var place = new
        count += 1
        if let latest { pause = max(pause, place.time - latest.time) }
        latest = place
        place.pause = pause
        note(place)
        if let last = kept.last, tolerance > 0, place.distance(to: last) < tolerance {
            pending = place
            return
        }
        kept.append(place)
        (pending, pause) = (nil, 0)
        if kept.count > Self.limit { thin() }
    }

    private mutating func note(_ place: TrackPlace) {
        guard extremes.count == 4 else { return extremes = Array(repeating: place, count: 4) }
        if place.latitude < extremes[0].latitude { extremes[0] = place }
        if place.latitude > extremes[1].latitude { extremes[1] = place }
        if place.longitude < extremes[2].longitude { extremes[2] = place }
        if place.longitude > extremes[3].longitude { extremes[3] = place }
    }

    private mutating func thin() {
        let extent =
            extremes.count == 4 ? extremes[0].distance(to: extremes[1]) + extremes[2].distance(to: extremes[3]) : 1
        tolerance = max(tolerance, extent / 4000, 1e-3)
        while kept.count > Self.limit / 2 {
            tolerance *= 2
            var thinned: [TrackPlace] = []
            var longest = 0.0
            for place in kept {
                longest = max(longest, place.pause)
                guard let last = thinned.last, place.distance(to: last) < tolerance else {
                    var place = place
                    place.pause = longest
                    thinned.append(place)
                    longest = 0
                    continue
                }
            }
            kept = thinned
        }
    }

    /// The places that are left, in the order of the way.
    package var places: [TrackPlace] {
        guard tolerance > 0 else { return kept }
        var places = kept
        if let pending { places.append(pending) }
        for extreme in extremes where !places.contains(where: { $0.isAt(extreme) }) {
            let place = places.firstIndex { $0.time > extreme.time } ?? places.endIndex
            places.insert(extreme, at: place)
        }
        return places
    }
}
