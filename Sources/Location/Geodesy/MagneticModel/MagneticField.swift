// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The earth's magnetic field at a location and a time. Strengths are in nanotesla (100,000 nT = 1 gauss = 100 µT),
/// angles in degrees, and rates per year. The axes are aligned with the ellipsoid: x points north, y east and z down.
/// All values are NaN for an invalid location or time. The rates of ``x``, ``y`` and ``z`` do not depend on the year.
/// The rates of other values are NaN if they require a division by a field strength of 0.
package struct MagneticField: Sendable, Hashable {
    package let x, y, z, xRate, yRate, zRate: Double
    package let year: Double
    /// True if the model is valid for the year and height. Otherwise, the values are extrapolated.
    package let isModelValid: Bool

    init(field: SIMD3<Double>, rate: SIMD3<Double>, year: Double, isModelValid: Bool) {
        (x, y, z) = (field.x, field.y, field.z)
        (xRate, yRate, zRate) = (rate.x, rate.y, rate.z)
        (self.year, self.isModelValid) = (year, isModelValid)
    }

    /// The strength in nT of the horizontal component, which turns a compass needle.
    package var horizontal: Double { (x * x + y * y).squareRoot() }
    package var total: Double { (x * x + y * y + z * z).squareRoot() }
    /// The angle from true north to magnetic north in degrees, east positive, from -180 to 180.
    package var declination: Double { atan2(y, x) * 180 / .pi }
    /// The field's angle below the horizon (dip), in degrees from -90 to 90.
    package var inclination: Double { atan2(z, horizontal) * 180 / .pi }
    package var horizontalRate: Double { (x * xRate + y * yRate) / horizontal }
    package var totalRate: Double { (x * xRate + y * yRate + z * zRate) / total }
    package var declinationRate: Double { (x * yRate - y * xRate) / (x * x + y * y) * 180 / .pi }

    package var inclinationRate: Double {
        (horizontal * zRate - z * horizontalRate) / (x * x + y * y + z * z) * 180 / .pi
    }
}

extension SIMD3<Double> {
    static var nan: SIMD3<Double> { SIMD3(repeating: .nan) }
}

/// The model's uncertainty as one standard deviation, in degrees and nanotesla. The values are from the technical
/// report of WMM2025 (NOAA NCEI and British Geological Survey, 2024, section 3). They include the effect of the crustal
/// field, which is not part of the model. Buildings and vehicles cause much larger disturbances. The same values are
/// used for other releases, whose exact values differ by a few per cent.
extension MagneticField {
    /// The uncertainty of ``declination`` in degrees, at most 180, or NaN for an invalid field.
    package var declinationUncertainty: Double {
        let local = 5_417 / horizontal
        let sigma = (0.26 * 0.26 + local * local).squareRoot()
        return sigma > 180 ? 180 : sigma
    }

    package var inclinationUncertainty: Double { x.isNaN ? .nan : 0.20 }
    package var xUncertainty: Double { x.isNaN ? .nan : 137 }
    package var yUncertainty: Double { x.isNaN ? .nan : 89 }
    package var zUncertainty: Double { x.isNaN ? .nan : 141 }
    package var horizontalUncertainty: Double { x.isNaN ? .nan : 133 }
    package var totalUncertainty: Double { x.isNaN ? .nan : 138 }
    /// True if a compass is unreliable, because the horizontal field is invalid or weaker than 6,000 nT (see the
    /// WMM2025 report).
    package var isInCautionZone: Bool { !(horizontal >= 6_000) }
    /// True if a compass is unusable, because the horizontal field is invalid or weaker than 2,000 nT.
    package var isInBlackoutZone: Bool { !(horizontal >= 2_000) }
}
