// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The earth's magnetic field at a place and a time, as a ``MagneticModel`` has it.
///
/// Strengths are in nanotesla (100,000 nT = 1 gauss = 100 µT), angles in degrees, rates per year. Axes are those of
/// the ellipsoid at the place: x north, y east, z down. All is NaN where there was no such place or time.
///
/// Rates are those of the model, which are the same for all of its years but for the angles and lengths made of them.
package struct MagneticField: Sendable, Hashable {
    /// The northward component, in nT.
    package let x: Double
    /// The eastward component, in nT.
    package let y: Double
    /// The downward component, in nT.
    package let z: Double
    /// The change of ``x``, in nT a year.
    package let xRate: Double
    /// The change of ``y``, in nT a year.
    package let yRate: Double
    /// The change of ``z``, in nT a year.
    package let zRate: Double

    /// The decimal year of the field.
    package let year: Double

    /// Whether the year and the height are among those that the model is made for.
    ///
    /// When false the values are the formulas' continuation, whose error grows with every year.
    package let isModelValid: Bool

    init(field: SIMD3<Double>, rate: SIMD3<Double>, year: Double, isModelValid: Bool) {
        (x, y, z) = (field.x, field.y, field.z)
        (xRate, yRate, zRate) = (rate.x, rate.y, rate.z)
        self.year = year
        self.isModelValid = isModelValid
    }

    /// The strength of the horizontal component, in nT: what a compass has to work with.
    package var horizontal: Double { (x * x + y * y).squareRoot() }

    /// The strength of the whole field, in nT.
    package var total: Double { (x * x + y * y + z * z).squareRoot() }

    /// The angle from true north to magnetic north in degrees, east positive, from -180 to 180.
    package var declination: Double { atan2(y, x) * 180 / .pi }

    /// The angle of the field below the horizon in degrees (dip), from -90 to 90; positive where it points down.
    package var inclination: Double { atan2(z, horizontal) * 180 / .pi }

    /// The change of ``horizontal``, in nT a year; NaN where ``horizontal`` is 0.
    package var horizontalRate: Double { (x * xRate + y * yRate) / horizontal }

    /// The change of ``total``, in nT a year; NaN where ``total`` is 0.
    package var totalRate: Double { (x * xRate + y * yRate + z * zRate) / total }

    /// The change of ``declination``, in degrees a year; NaN where ``horizontal`` is 0.
    package var declinationRate: Double { (x * yRate - y * xRate) / (x * x + y * y) * 180 / .pi }

    /// The change of ``inclination``, in degrees a year; NaN where ``horizontal`` is 0.
    package var inclinationRate: Double {
        (horizontal * zRate - z * horizontalRate) / (x * x + y * y + z * z) * 180 / .pi
    }
}

extension SIMD3<Double> {
    static var nan: SIMD3<Double> { SIMD3(repeating: .nan) }
}

/// What the model leaves out, as one standard deviation.
///
/// The figures are those of the error model in the technical report of WMM2025 (NOAA NCEI and British Geological
/// Survey, 2024, section 3): they hold for the crust's field, which the model has not, and for the model's own errors
/// over its five years, anywhere on the ground. Buildings and vehicles disturb much more. They are given for other
/// releases too, whose own figures differ by some percent, and do not grow outside the model's years.
extension MagneticField {
    /// The uncertainty of ``declination`` in degrees, at most 180; NaN for a field of NaN.
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

    /// Whether a compass is unreliable here because the horizontal field is weaker than 6,000 nT.
    ///
    /// The zones are those of the technical report of WMM2025. True in the blackout zone too, and for a field of NaN.
    package var isInCautionZone: Bool { !(horizontal >= 6_000) }

    /// Whether a compass is of no use here because the horizontal field is weaker than 2,000 nT; true for NaN.
    package var isInBlackoutZone: Bool { !(horizontal >= 2_000) }
}
