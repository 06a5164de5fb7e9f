// SPDX-License-Identifier: Apache-2.0

import Foundation
import Geodesy
import TestSupport

extension GeodeticCoordinate {
    init(_ latitude: Double, _ longitude: Double) { self.init(latitude: latitude, longitude: longitude) }
}

/// Returns the straight-line distance between two coordinates in metres, computed from earth-centred coordinates.
///
/// The function uses the textbook formula and shares no code with the code under test. It resolves some nanometres.
func chord(_ first: GeodeticCoordinate, _ second: GeodeticCoordinate) -> Double {
    func position(_ point: GeodeticCoordinate) -> SIMD3<Double> {
        let e2 = (2 - 1 / 298.257223563) / 298.257223563
        let phi = point.latitude * .pi / 180
        let lambda = point.longitude * .pi / 180
        let n = 6_378_137 / sqrt(1 - e2 * sin(phi) * sin(phi))
        return SIMD3(n * cos(phi) * cos(lambda), n * cos(phi) * sin(lambda), n * (1 - e2) * sin(phi))
    }
    let difference = position(second) - position(first)
    return sqrt((difference * difference).sum())
}

/// Returns the difference of two directions in radians, from 0 to π.
func angularDifference(_ first: Double, _ second: Double) -> Double {
    abs((first - second).remainder(dividingBy: 360)) * .pi / 180
}

extension SeededGenerator {
    /// Returns a coordinate, uniformly distributed on the sphere.
    mutating func coordinate() -> GeodeticCoordinate {
        let sine = Double.random(in: -1...1, using: &self)
        return GeodeticCoordinate(asin(sine) * 180 / .pi, Double.random(in: -180...180, using: &self))
    }
}
