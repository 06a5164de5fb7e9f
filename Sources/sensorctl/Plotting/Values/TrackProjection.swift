// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

/// A projection of positions to metres east and north of the center of their tracks.
///
/// Distances and directions from the center are those on the ellipsoid (azimuthal equidistant projection). Therefore
/// the antimeridian and the poles need no special treatment, and shapes are preserved near the center.
package struct TrackProjection: Sendable {
    let middle: GeodeticCoordinate

    /// Creates a projection for positions; nil if there are none.
    package init?(_ places: some Collection<TrackPoint>) {
        guard let first = places.first else { return nil }
        let sum = places.reduce(SIMD3<Double>.zero) { $0 + $1.direction }
        let length = (sum * sum).sum().squareRoot()
        guard length > 1e-6 * Double(places.count) else {
            // Positions all around the earth have no center.
            middle = first.coordinate
            return
        }
        let level = (sum.x * sum.x + sum.y * sum.y).squareRoot()
        middle = GeodeticCoordinate(
            latitude: atan2(sum.z, level) * 180 / .pi,
            // At a pole, any longitude is valid.
            longitude: level > 1e-9 * length ? atan2(sum.y, sum.x) * 180 / .pi : 0)
    }

    /// Returns the position in metres east and north of the center.
    package func point(latitude: Double, longitude: Double) -> SIMD2<Double> {
        let path = Geodesic.inverse(
            from: middle, to: GeodeticCoordinate(latitude: latitude, longitude: longitude))
        let azimuth = path.initialAzimuth * .pi / 180
        return SIMD2(sin(azimuth), cos(azimuth)) * path.distance
    }

    func point(_ place: TrackPoint) -> SIMD2<Double> {
        point(latitude: place.latitude, longitude: place.longitude)
    }
}
