// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What the model leaves out, as one standard deviation.
///
/// The figures are those of the error model in the technical report of WMM2025 (NOAA NCEI and British Geological
/// Survey, 2024, section 3): they hold for the crust's field, which the model has not, and for the model's own errors
/// over its five years, anywhere on the ground. Buildings and vehicles disturb much more. They are given for other
/// releases too, whose own figures differ by some percent, and do not grow outside the model's years.
extension MagneticField {
    /// The uncertainty of ``declination`` in degrees, at most 180; NaN for a field of NaN.
    public var declinationUncertainty: Double {
        let local = 5_417 / horizontal
        let sigma = (0.26 * 0.26 + local * local).squareRoot()
        return sigma > 180 ? 180 : sigma
    }

    /// The uncertainty of ``inclination``, in degrees.
    public var inclinationUncertainty: Double { x.isNaN ? .nan : 0.20 }

    /// The uncertainty of ``x``, in nT.
    public var xUncertainty: Double { x.isNaN ? .nan : 137 }

    /// The uncertainty of ``y``, in nT.
    public var yUncertainty: Double { x.isNaN ? .nan : 89 }

    /// The uncertainty of ``z``, in nT.
    public var zUncertainty: Double { x.isNaN ? .nan : 141 }

    /// The uncertainty of ``horizontal``, in nT.
    public var horizontalUncertainty: Double { x.isNaN ? .nan : 133 }

    /// The uncertainty of ``total``, in nT.
    public var totalUncertainty: Double { x.isNaN ? .nan : 138 }

    /// Whether a compass is unreliable here because the horizontal field is weaker than 6,000 nT.
    ///
    /// The zones are those of the technical report of WMM2025. True in the blackout zone too, and for a field of NaN.
    public var isInCautionZone: Bool { !(horizontal >= 6_000) }

    /// Whether a compass is of no use here because the horizontal field is weaker than 2,000 nT; true for NaN.
    public var isInBlackoutZone: Bool { !(horizontal >= 2_000) }
}
