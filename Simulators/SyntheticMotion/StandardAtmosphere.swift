// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

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
