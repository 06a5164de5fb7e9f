// SPDX-License-Identifier: Apache-2.0

import Geodesy
import SensorFusion
import SystemCalls

/// The normal gravity of the WGS 84 ellipsoid, in m/s².
///
/// On the ellipsoid, gravity follows Somigliana's formula. Above the ellipsoid, it is a power series in the height
/// (NIMA TR8350.2, third edition, equations 4-1 and 4-3, table 3.4). Gravity points along the ellipsoid's normal.
/// Gravity anomalies are neglected, as is the tilt of gravity towards the equator (8 µm/s² at a height of 1,000 m).
enum NormalGravity {
    static let equator = 9.7803253359
    static let somigliana = 0.00193185265241
    /// The ratio of centrifugal force to gravity at the equator, ω²a²b / GM.
    static let rotation = 0.00344978650684

    /// Returns the gravity, given the sine of the latitude and the height above the ellipsoid, in metres.
    static func at(sine: Double, height: Double) -> Double {
        let s2 = sine * sine
        let surface = equator * (1 + somigliana * s2) / (1 - WGS84.eccentricitySquared * s2).squareRoot()
        let ratio = height / WGS84.semiMajorAxis
        let f = WGS84.flattening
        return surface * (1 - 2 * (1 + f + rotation - 2 * f * s2) * ratio + 3 * ratio * ratio)
    }
}

/// The air pressure of the International Standard Atmosphere (ISO 2533:1975). At sea level, the pressure is 101.325 kPa
/// and the temperature is 15 °C. The temperature falls by 6.5 K per kilometre up to 11 km and is constant above that.
/// Above 20 km, the pressure is slightly too low because the model omits the rise in temperature.
enum StandardAtmosphere {
    /// Returns the air pressure in kPa. The altitude is in metres above mean sea level.
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

/// Earth-centred, earth-fixed coordinates in metres. The x axis points to 0° N, 0° E, and the z axis to the north pole.
///
/// In this frame, the poles and the antimeridian are not special cases.
enum EarthFixed {
    /// The earth's rotation rate in rad/s (NIMA TR8350.2, third edition, table 3.1).
    static let rotationRate = 7.292115e-5

    struct GeodeticPosition {
        /// The latitude in radians.
        var latitude: Double
        /// The longitude in radians, from -π to π.
        var longitude: Double
        /// The height in metres above the ellipsoid.
        var height: Double

        /// The rotation from the local east, north, up frame to the earth-fixed frame.
        var attitude: Quaternion {
            let tilt = (.pi / 2 - latitude) / 2
            let turn = (longitude + .pi / 2) / 2
            return Quaternion(x: 0, y: 0, z: sin(turn), w: cos(turn))
                * Quaternion(x: sin(tilt), y: 0, z: 0, w: cos(tilt))
        }
    }

    /// Converts degrees and metres to earth-fixed coordinates (Groves, Principles of GNSS, Inertial, and Multisensor
    /// Integrated Navigation Systems, second edition, equation 2.112).
    static func position(latitude: Double, longitude: Double, height: Double) -> SIMD3<Double> {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        let (sinPhi, cosPhi) = (sin(phi), cos(phi))
        let e2 = WGS84.eccentricitySquared
        let n = WGS84.semiMajorAxis / (1 - e2 * sinPhi * sinPhi).squareRoot()
        return SIMD3(
            (n + height) * cosPhi * cos(lambda), (n + height) * cosPhi * sin(lambda), (n * (1 - e2) + height) * sinPhi)
    }

    /// Converts earth-fixed coordinates to a geodetic position by Bowring's method (Survey Review 23, 1976).
    static func geodeticPosition(of position: SIMD3<Double>) -> GeodeticPosition {
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
        return GeodeticPosition(
            latitude: atan2(sinPhi, cosPhi), longitude: atan2(position.y, position.x), height: height)
    }

    private static func normalized(_ s: Double, _ c: Double) -> (Double, Double) {
        let length = (s * s + c * c).squareRoot()
        return length > 0 ? (s / length, c / length) : (0, 1)
    }
}
