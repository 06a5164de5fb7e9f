// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Geodesy

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
