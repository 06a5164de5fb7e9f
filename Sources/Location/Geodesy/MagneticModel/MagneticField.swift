// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The earth's magnetic field at a location and a time, computed by a ``MagneticModel``. Strengths are in nanotesla
/// (100,000 nT = 1 gauss = 100 µT), angles in degrees, and rates per year. The axes are aligned with the ellipsoid at
/// the location: x north, y east, z down. All values are NaN for an invalid location or time. The rates of the
/// components are taken from the model and do not depend on the year; the rates of angles and strengths are derived
/// from them.
package struct MagneticField: Sendable, Hashable {
    /// The northward component, in nT.
    package let x: Double
    /// The eastward component, in nT.
    package let y: Double
    /// The downward component, in nT.
    package let z: Double
    /// The change of ``x``, in nT per year.
    package let xRate: Double
    /// The change of ``y``, in nT per year.
    package let yRate: Double
    /// The change of ``z``, in nT per year.
    package let zRate: Double

    package let year: Double

    /// True if the model is valid for the year and the height. If false, the values are extrapolated, with an error
    /// that grows every year.
    package let isModelValid: Bool

    init(field: SIMD3<Double>, rate: SIMD3<Double>, year: Double, isModelValid: Bool) {
        (x, y, z) = (field.x, field.y, field.z)
        (xRate, yRate, zRate) = (rate.x, rate.y, rate.z)
        self.year = year
        self.isModelValid = isModelValid
    }

    /// The strength of the horizontal component, which moves a compass needle, in nT.
    package var horizontal: Double { (x * x + y * y).squareRoot() }

    package var total: Double { (x * x + y * y + z * z).squareRoot() }

    /// The angle from true north to magnetic north in degrees, positive east, from -180 to 180.
    package var declination: Double { atan2(y, x) * 180 / .pi }

    /// The angle of the field below the horizon (dip) in degrees, from -90 to 90; positive if the field points down.
    package var inclination: Double { atan2(z, horizontal) * 180 / .pi }

    /// The change of ``horizontal``, in nT per year; NaN if ``horizontal`` is 0.
    package var horizontalRate: Double { (x * xRate + y * yRate) / horizontal }

    /// The change of ``total``, in nT per year; NaN if ``total`` is 0.
    package var totalRate: Double { (x * xRate + y * yRate + z * zRate) / total }

    /// The change of ``declination``, in degrees per year; NaN if ``horizontal`` is 0.
    package var declinationRate: Double { (x * yRate - y * xRate) / (x * x + y * y) * 180 / .pi }

    /// The change of ``inclination``, in degrees per year; NaN if ``horizontal`` is 0.
    package var inclinationRate: Double {
        (horizontal * zRate - z * horizontalRate) / (x * x + y * y + z * z) * 180 / .pi
    }
}

extension SIMD3<Double> {
    static var nan: SIMD3<Double> { SIMD3(repeating: .nan) }
}

/// The uncertainty of the model, as one standard deviation. The values are taken from the error model in the technical
/// report of WMM2025 (NOAA NCEI and British Geological Survey, 2024, section 3). They include the crustal field, which
/// is not part of the model, and the model errors over its five years, anywhere on the ground. Buildings and vehicles
/// cause much larger disturbances. The same values are used for other releases, whose own values differ by a few
/// percent. Outside the years of the model, the values do not grow.
extension MagneticField {
    /// The uncertainty of ``declination`` in degrees, at most 180; NaN for an invalid field.
    package var declinationUncertainty: Double {
        let local = 5_417 / horizontal
        let sigma = (0.26 * 0.26 + local * local).squareRoot()
        return sigma > 180 ? 180 : sigma
    }

    /// The uncertainty of ``inclination``, in degrees.
    package var inclinationUncertainty: Double { x.isNaN ? .nan : 0.20 }

    /// The uncertainty of ``x``, in nT.
    package var xUncertainty: Double { x.isNaN ? .nan : 137 }

    /// The uncertainty of ``y``, in nT.
    package var yUncertainty: Double { x.isNaN ? .nan : 89 }

    /// The uncertainty of ``z``, in nT.
    package var zUncertainty: Double { x.isNaN ? .nan : 141 }

    /// The uncertainty of ``horizontal``, in nT.
    package var horizontalUncertainty: Double { x.isNaN ? .nan : 133 }

    /// The uncertainty of ``total``, in nT.
    package var totalUncertainty: Double { x.isNaN ? .nan : 138 }

    /// True if a compass is unreliable, as defined in the report of WMM2025: the horizontal field is weaker than 6,000
    /// nT or invalid.
    package var isInCautionZone: Bool { !(horizontal >= 6_000) }

    /// True if a compass is unusable: the horizontal field is weaker than 2,000 nT or invalid.
    package var isInBlackoutZone: Bool { !(horizontal >= 2_000) }
}
