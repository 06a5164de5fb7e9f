// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SensorFusion
import SystemCalls

/// The gravity of the ellipsoid, in m/s².
///
/// Somigliana's formula on the ellipsoid and the series for heights above it: NIMA TR8350.2, third edition, equations 4-1
/// and 4-3, with the constants of tables 3.4. It points along the ellipsoid's normal; the tilt towards the equator above
/// it, 8 µm/s² at a height of 1,000 m, is left out, and so is what the real earth adds.
enum NormalGravity {
    /// Gravity at the equator.
    static let equator = 9.7803253359
    /// The constant k of Somigliana's formula.
    static let somigliana = 0.00193185265241
    /// The ratio m of the centrifugal force to gravity at the equator, ω²a²b / GM.
    static let rotation = 0.00344978650684

    /// - Parameters:
    ///   - sine: of the geodetic latitude.
    ///   - height: metres above the ellipsoid.
    static func at(sine: Double, height: Double) -> Double {
        let s2 = sine * sine
        let surface = equator * (1 + somigliana * s2) / (1 - WGS84.eccentricitySquared * s2).squareRoot()
        let ratio = height / WGS84.semiMajorAxis
        let f = WGS84.flattening
        return surface * (1 - 2 * (1 + f + rotation - 2 * f * s2) * ratio + 3 * ratio * ratio)
    }
}

/// The air pressure of the International Standard Atmosphere (ISO 2533:1975): 101.325 kPa and 15 °C at sea level, 6.5 K
/// less for each kilometre up to 11 km, and no change above. Beyond 20 km, where the air gets warmer again, it goes on
/// as below, which is somewhat too low.
enum StandardAtmosphere {
    /// - Parameter altitude: metres above mean sea level.
    /// - Returns: kilopascal.
    static func pressure(altitude: Double) -> Double {
        let radius = 6_356_766.0
        let height = radius * altitude / (radius + altitude)
        let (g, gas, lapse) = (9.80665, 287.05287, 0.0065)
        let tropopause = 11_000.0
        let below = min(height, tropopause)
        let temperature = 288.15 - lapse * below
        let pressure = 101.325 * pow(temperature / 288.15, g / (gas * lapse))
        return height > tropopause ? pressure * exp(-g * (height - tropopause) / (gas * temperature)) : pressure
    }
}

/// Earth-centred, earth-fixed coordinates in metres (x to latitude 0 and longitude 0, z to the north pole), and what the
/// earth adds to motion.
///
/// In these axes neither poles nor the antimeridian are special, and motion needs no radii of curvature.
enum EarthFixed {
    /// The earth's rate of rotation in rad/s (NIMA TR8350.2, third edition, table 3.1).
    static let rotationRate = 7.292115e-5

    /// A place on the ellipsoid, with its east, north and up.
    struct Place {
        /// Radians.
        var latitude: Double
        /// Radians, -π to π.
        var longitude: Double
        /// Metres above the ellipsoid.
        var height: Double

        /// The rotation from east, north, up to the earth's axes.
        var attitude: Quaternion {
            let tilt = (.pi / 2 - latitude) / 2
            let turn = (longitude + .pi / 2) / 2
            return Quaternion(x: 0, y: 0, z: sin(turn), w: cos(turn))
                * Quaternion(x: sin(tilt), y: 0, z: 0, w: cos(tilt))
        }
    }

    /// The coordinates of a place: Groves, Principles of GNSS, Inertial, and Multisensor Integrated Navigation Systems,
    /// second edition, equation 2.112.
    static func position(latitude: Double, longitude: Double, height: Double) -> SIMD3<Double> {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        let (sinPhi, cosPhi) = (sin(phi), cos(phi))
        let e2 = WGS84.eccentricitySquared
        let n = WGS84.semiMajorAxis / (1 - e2 * sinPhi * sinPhi).squareRoot()
        return SIMD3(
            (n + height) * cosPhi * cos(lambda), (n + height) * cosPhi * sin(lambda), (n * (1 - e2) + height) * sinPhi)
    }

    /// The place of coordinates: Bowring's iteration (Survey Review 23, 1976) on the reduced latitude, three times, which
    /// is exact to rounding near the earth.
    static func place(of position: SIMD3<Double>) -> Place {
        let (a, b) = (WGS84.semiMajorAxis, WGS84.semiMinorAxis)
        let e2 = WGS84.eccentricitySquared
        let p = (position.x * position.x + position.y * position.y).squareRoot()
        var (s, c) = normalized(position.z * a, p * b)
        var (sinPhi, cosPhi) = (s, c)
        for _ in 0..<3 {
            (sinPhi, cosPhi) = normalized(
                position.z + WGS84.secondEccentricitySquared * b * s * s * s, p - e2 * a * c * c * c)
            (s, c) = normalized((1 - WGS84.flattening) * sinPhi, cosPhi)
        }
        let height = p * cosPhi + position.z * sinPhi - a * (1 - e2 * sinPhi * sinPhi).squareRoot()
        return Place(latitude: atan2(sinPhi, cosPhi), longitude: atan2(position.y, position.x), height: height)
    }

    private static func normalized(_ s: Double, _ c: Double) -> (Double, Double) {
        let length = (s * s + c * c).squareRoot()
        return length > 0 ? (s / length, c / length) : (0, 1)
    }
}
