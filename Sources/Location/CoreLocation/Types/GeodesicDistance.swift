// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Geodesy

/// The length in metres of the shortest way over the WGS 84 ellipsoid; NaN when a coordinate is not valid.
func geodesicDistance(_ first: CLLocationCoordinate2D, _ second: CLLocationCoordinate2D) -> Double {
    Geodesic.distance(
        from: GeodeticCoordinate(latitude: first.latitude, longitude: first.longitude),
        to: GeodeticCoordinate(latitude: second.latitude, longitude: second.longitude))
}
