// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

package struct TrackPoint: Sendable, Equatable {
    /// The time in seconds since the start of the time axis.
    package var time: Double
    package var latitude: Double
    package var longitude: Double
    /// The horizontal accuracy in metres, or a negative value if unknown.
    package var accuracy: Double
    /// The longest interval between positions received since the previous stored position, in seconds.
    package fileprivate(set) var pause = 0.0

    package init(time: Double, latitude: Double, longitude: Double, accuracy: Double) {
        (self.time, self.latitude, self.longitude, self.accuracy) = (time, latitude, longitude, accuracy)
    }

    fileprivate func isAt(_ other: TrackPoint) -> Bool {
        (time, latitude, longitude) == (other.time, other.latitude, other.longitude)
    }

    var coordinate: GeodeticCoordinate { GeodeticCoordinate(latitude: latitude, longitude: longitude) }

    /// The unit vector that points from the Earth's centre to the position.
    var direction: SIMD3<Double> {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        return SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }

    /// Returns the approximate distance in metres. The Earth is treated as a sphere.
    func distance(to other: TrackPoint) -> Double {
        let step = direction - other.direction
        return (step * step).sum().squareRoot() * WGS84.semiMajorAxis
    }
}

/// Stores a track of any length in bounded memory. Positions that are too close together to be distinguished are
/// merged.
package struct TrackSimplifier: Sendable {
    static let limit = 8192

    private var storedPoints: [TrackPoint] = []
    /// The minimum distance between stored positions, in metres. If it is 0, every position is stored.
    private var tolerance = 0.0
    /// The latest position, if it has not been stored yet.
    private var pending: TrackPoint?
    private var latest: TrackPoint?
    /// The longest interval between positions received since the last stored position, in seconds.
    private var pause = 0.0
    /// The southernmost, northernmost, westernmost and easternmost positions received, whether or not they were stored.
    private var extremes: [TrackPoint] = []
    package private(set) var count = 0

    package init() {}

    package mutating func add(_ new: TrackPoint) {
        guard new.coordinate.isValid, abs(new.longitude) <= 360, abs(new.time) < 1e12 else { return }
        var position = new
        count += 1
        if let latest { pause = max(pause, position.time - latest.time) }
        latest = position
        position.pause = pause
        updateExtremes(position)
        if let last = storedPoints.last, tolerance > 0, position.distance(to: last) < tolerance {
            pending = position
            return
        }
        storedPoints.append(position)
        (pending, pause) = (nil, 0)
        if storedPoints.count > Self.limit { simplify() }
    }

    private mutating func updateExtremes(_ position: TrackPoint) {
        guard extremes.count == 4 else { return extremes = Array(repeating: position, count: 4) }
        if position.latitude < extremes[0].latitude { extremes[0] = position }
        if position.latitude > extremes[1].latitude { extremes[1] = position }
        if position.longitude < extremes[2].longitude { extremes[2] = position }
        if position.longitude > extremes[3].longitude { extremes[3] = position }
    }

    private mutating func simplify() {
        let extent =
            extremes.count == 4 ? extremes[0].distance(to: extremes[1]) + extremes[2].distance(to: extremes[3]) : 1
        tolerance = max(tolerance, extent / 4000, 1e-3)
        while storedPoints.count > Self.limit / 2 {
            tolerance *= 2
            var simplified: [TrackPoint] = []
            var longest = 0.0
            for position in storedPoints {
                longest = max(longest, position.pause)
                guard let last = simplified.last, position.distance(to: last) < tolerance else {
                    var position = position
                    position.pause = longest
                    simplified.append(position)
                    longest = 0
                    continue
                }
            }
            storedPoints = simplified
        }
    }

    package var points: [TrackPoint] {
        guard tolerance > 0 else { return storedPoints }
        var positions = storedPoints
        if let pending { positions.append(pending) }
        for extreme in extremes where !positions.contains(where: { $0.isAt(extreme) }) {
            let index = positions.firstIndex { $0.time > extreme.time } ?? positions.endIndex
            positions.insert(extreme, at: index)
        }
        return positions
    }
}
