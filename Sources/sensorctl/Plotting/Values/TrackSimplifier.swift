// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

package struct TrackPoint: Sendable, Equatable {
    /// The time in seconds from the start of the time axis.
    package var time: Double
    package var latitude: Double
    package var longitude: Double
    /// The horizontal accuracy in metres, or a negative value if unknown.
    package var accuracy: Double
    /// The longest interval between received positions since the previous stored position, in seconds.
    package fileprivate(set) var pause = 0.0

    package init(time: Double, latitude: Double, longitude: Double, accuracy: Double) {
        (self.time, self.latitude, self.longitude, self.accuracy) = (time, latitude, longitude, accuracy)
    }

    fileprivate func isAt(_ other: TrackPoint) -> Bool {
        (time, latitude, longitude) == (other.time, other.latitude, other.longitude)
    }

    var coordinate: GeodeticCoordinate { GeodeticCoordinate(latitude: latitude, longitude: longitude) }

    /// The unit vector from the center of the earth.
    var direction: SIMD3<Double> {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        return SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }

    /// Returns the distance in metres on a sphere, which is sufficient for simplification.
    func distance(to other: TrackPoint) -> Double {
        let step = direction - other.direction
        return (step * step).sum().squareRoot() * WGS84.semiMajorAxis
    }
}

/// Stores a track of any length in bounded memory. Positions that are too close to be distinguished are merged.
package struct TrackSimplifier: Sendable {
    static let limit = 8192

    private var kept: [TrackPoint] = []
    /// The minimum distance between positions in metres, or 0 if every position is stored.
    private var tolerance = 0.0
    /// The latest position, if it was not stored.
    private var pending: TrackPoint?
    private var latest: TrackPoint?
    /// The longest interval between received positions since the last stored position, in seconds.
    private var pause = 0.0
    /// The southernmost, northernmost, westernmost and easternmost positions, whether or not they were stored.
    private var extremes: [TrackPoint] = []
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ new: TrackPoint) {
        guard new.coordinate.isValid, abs(new.longitude) <= 360, abs(new.time) < 1e12 else { return }
        var place = new
        count += 1
        if let latest { pause = max(pause, place.time - latest.time) }
        latest = place
        place.pause = pause
        updateExtremes(place)
        if let last = kept.last, tolerance > 0, place.distance(to: last) < tolerance {
            pending = place
            return
        }
        kept.append(place)
        (pending, pause) = (nil, 0)
        if kept.count > Self.limit { simplify() }
    }

    private mutating func updateExtremes(_ place: TrackPoint) {
        guard extremes.count == 4 else { return extremes = Array(repeating: place, count: 4) }
        if place.latitude < extremes[0].latitude { extremes[0] = place }
        if place.latitude > extremes[1].latitude { extremes[1] = place }
        if place.longitude < extremes[2].longitude { extremes[2] = place }
        if place.longitude > extremes[3].longitude { extremes[3] = place }
    }

    private mutating func simplify() {
        let extent =
            extremes.count == 4 ? extremes[0].distance(to: extremes[1]) + extremes[2].distance(to: extremes[3]) : 1
        tolerance = max(tolerance, extent / 4000, 1e-3)
        while kept.count > Self.limit / 2 {
            tolerance *= 2
            var thinned: [TrackPoint] = []
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

    package var points: [TrackPoint] {
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
