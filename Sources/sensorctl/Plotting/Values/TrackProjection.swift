// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SystemCalls

/// Places as metres east and north on a flat sheet, as they lie around the middle of their track.
///
/// The sheet shows distances and directions from the middle as they are on the ellipsoid (the azimuthal equidistant
/// projection). So no meridian and no pole is different from other places, and what is as long as it is wide looks so.
package struct TrackProjection: Sendable {
    let middle: GeodeticCoordinate

    /// - Parameter places: the tracks that the sheet is for; nil where there is none.
    package init?(_ places: some Collection<TrackPlace>) {
        guard let first = places.first else { return nil }
        let sum = places.reduce(SIMD3<Double>.zero) { $0 + $1.direction }
        let length = (sum * sum).sum().squareRoot()
        guard length > 1e-6 * Double(places.count) else {
            // All round the earth there is no middle.
            middle = first.coordinate
            return
        }
        let level = (sum.x * sum.x + sum.y * sum.y).squareRoot()
        middle = GeodeticCoordinate(
            latitude: atan2(sum.z, level) * 180 / .pi,
            // On a pole any meridian does.
            longitude: level > 1e-9 * length ? atan2(sum.y, sum.x) * 180 / .pi : 0)
    }

    /// Metres east and north of the middle.
    package func point(latitude: Double, longitude: Double) -> SIMD2<Double> {
        let path = Geodesic.inverse(
            from: middle, to: GeodeticCoordinate(latitude: latitude, longitude: longitude))
        let azimuth = path.initialAzimuth * .pi / 180
        return SIMD2(sin(azimuth), cos(azimuth)) * path.distance
    }

    func point(_ place: TrackPlace) -> SIMD2<Double> {
        point(latitude: place.latitude, longitude: place.longitude)
    }
}
