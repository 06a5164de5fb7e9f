// SPDX-License-Identifier: Apache-2.0

/// A convention for the signs and units of motion readings. Three conventions are in use.
///
/// Only acceleration differs between the conventions. In all of them, angular rate is right-handed and in rad/s, and
/// the magnetic field is in gauss or microtesla.
package enum SampleConvention: Sendable, Hashable {
    /// Proper acceleration in m/s²: at rest, the axis that points up reads +9.81. Used by the kernel's IIO subsystem
    /// and by Android.
    case properAcceleration
    /// Acceleration with Apple's sign, in units of standard gravity: at rest, the axis that points up reads -1. Used by
    /// Core Motion.
    case coreMotion
    /// Acceleration with Apple's sign, in m/s²: at rest, the axis that points up reads -9.81. Used by Sensor Logger on
    /// iOS unless its "Standardise Units & Frames" setting is on.
    case appleSignSI
}

/// Converts between the units of recordings and those of sources: m/s², rad/s, gauss and kPa.
///
/// All importers and exporters use these functions. Values are divided by 100 instead of multiplied by 0.01. The
/// division rounds once; the multiplication would round twice, because 0.01 is itself rounded.
enum SampleConventions {
    /// Standard gravity in m/s², exact by definition (3rd CGPM, 1901).
    static let standardGravity = 9.80665

    /// Returns the proper acceleration in m/s² for a value in the given convention.
    @inline(__always)
    static func acceleration(_ value: SIMD3<Double>, from convention: SampleConvention) -> SIMD3<Double> {
        switch convention {
        case .properAcceleration: value
        case .coreMotion: -value * standardGravity
        case .appleSignSI: -value
        }
    }

    /// Converts microtesla to gauss. 1 gauss is 100 microtesla.
    @inline(__always)
    static func gauss(microtesla: SIMD3<Double>) -> SIMD3<Double> { microtesla / 100 }

    @inline(__always)
    static func microtesla(gauss: SIMD3<Double>) -> SIMD3<Double> { gauss * 100 }

    /// Converts hectopascals (millibars) to kilopascals.
    @inline(__always)
    static func kilopascal(hectopascal: Double) -> Double { hectopascal / 10 }
}
