// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

/// A map of tracks. North is at the top, and both directions have the same scale.
package struct TrackChart: Sendable {
    package struct Track: Sendable {
        package var trace: Int
        package var simplifier: TrackSimplifier
        /// The maximum interval between two connected positions, in seconds, or nil if the track is never interrupted.
        /// A longer interval interrupts the track.
        package var gap: Double?

        package init(trace: Int, simplifier: TrackSimplifier, gap: Double?) {
            (self.trace, self.simplifier, self.gap) = (trace, simplifier, gap)
        }
    }

    package struct Unit: Sendable {
        let name: String
        let metres: Double

        package init(name: String, metres: Double) { (self.name, self.metres) = (name, metres) }
    }

    package var tracks: [Track]
    /// The units of short and of long distances.
    package var units = (Unit(name: "m", metres: 1), Unit(name: "km", metres: 1000))

    package init(tracks: [Track]) { self.tracks = tracks }

    /// A track prepared for drawing. Its points are in metres east and north of the first track's start.
    struct Drawing {
        let trace: Int
        let positions: [TrackPoint]
        let points: [SIMD2<Double>]
        let gap: Double?
    }

    struct Sheet {
        let drawings: [Drawing]
        /// The visible area, in metres.
        let minimum: SIMD2<Double>
        let maximum: SIMD2<Double>
        let origin: TrackPoint
        /// The median horizontal accuracy in metres, or 0 if unknown.
        let accuracy: Double
        let units: (short: Unit, long: Unit)
    }

    var sheet: Sheet? {
        let all = tracks.map { ($0, $0.simplifier.points) }.filter { !$0.1.isEmpty }
        let positions = all.flatMap(\.1)
        guard let origin = positions.first, let projection = TrackProjection(positions) else { return nil }
        let start = projection.point(origin)
        let drawings = all.map { track, positions in
            Drawing(
                trace: track.trace, positions: positions, points: positions.map { projection.point($0) - start },
                gap: track.gap)
        }
        let accuracies = positions.map(\.accuracy).filter { $0 >= 0 && $0 < 1e7 }.sorted()
        let accuracy = accuracies.isEmpty ? 0 : accuracies[accuracies.count / 2]
        var (least, greatest) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
        for point in drawings.flatMap(\.points) where point.x.isFinite && point.y.isFinite {
            least = pointwiseMin(least, point)
            greatest = pointwiseMax(greatest, point)
        }
        // The margin keeps a stationary receiver's accuracy circles visible.
        let margin = max(accuracy * 1.1, max(greatest.x - least.x, greatest.y - least.y) * 0.04, 0.5)
        return Sheet(
            drawings: drawings, minimum: least - margin, maximum: greatest + margin, origin: origin, accuracy: accuracy,
            units: units)
    }
}

extension TrackChart.Sheet {
    func domains(width: Double, height: Double) -> (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        let extent = maximum - minimum
        let scale = max(extent.x / width, extent.y / height)
        let middle = (minimum + maximum) / 2
        let half = SIMD2(width, height) * (scale / 2)
        return (middle.x - half.x...middle.x + half.x, middle.y - half.y...middle.y + half.y)
    }
}

/// Projects positions onto a plane whose coordinates are metres east and north of the tracks' centre.
///
/// The azimuthal equidistant projection preserves ellipsoidal distances and directions from the centre. It needs no
/// special treatment of the antimeridian or the poles.
package struct TrackProjection: Sendable {
    let middle: GeodeticCoordinate

    package init?(_ positions: some Collection<TrackPoint>) {
        guard let first = positions.first else { return nil }
        let sum = positions.reduce(SIMD3<Double>.zero) { $0 + $1.direction }
        let length = (sum * sum).sum().squareRoot()
        guard length > 1e-6 * Double(positions.count) else {
            // Positions spread around the whole Earth have no centre, so the first position is used instead.
            middle = first.coordinate
            return
        }
        let level = (sum.x * sum.x + sum.y * sum.y).squareRoot()
        middle = GeodeticCoordinate(
            latitude: atan2(sum.z, level) * 180 / .pi,
            // At a pole, any longitude is valid, so 0 is used.
            longitude: level > 1e-9 * length ? atan2(sum.y, sum.x) * 180 / .pi : 0)
    }

    package func point(latitude: Double, longitude: Double) -> SIMD2<Double> {
        let path = Geodesic.inverse(from: middle, to: GeodeticCoordinate(latitude: latitude, longitude: longitude))
        let azimuth = path.initialAzimuth * .pi / 180
        return SIMD2(sin(azimuth), cos(azimuth)) * path.distance
    }

    func point(_ position: TrackPoint) -> SIMD2<Double> {
        point(latitude: position.latitude, longitude: position.longitude)
    }
}
