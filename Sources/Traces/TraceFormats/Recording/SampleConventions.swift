// SPDX-License-Identifier: Apache-2.0

/// A rule for signs and units of motion readings; programs follow one of three.
///
/// They differ in acceleration only. Angular rate is rad/s, right-handed, in all of them, and a magnetic field that is
/// not in gauss is in microtesla.
public enum SampleConvention: Sendable, Hashable {
    /// Proper acceleration in m/s²: at rest the axis that points up reads +9.81. The kernel's IIO and Android.
    case properAcceleration
    /// Apple's sign in units of standard gravity: at rest the axis that points up reads -1. Core Motion.
    case coreMotion
    /// Apple's sign in m/s²: at rest the axis that points up reads -9.81. Sensor Logger on iOS, unless it standardises.
    case appleSignSI
}

/// All conversions between the units of recordings and those of sources: m/s², rad/s, gauss, kPa.
///
/// Every importer and exporter converts here and nowhere else. Divisors are written as such: a division by 100 rounds
/// once, a multiplication by 0.01 twice.
enum SampleConventions {
    /// Standard gravity in m/s², exact by definition (3rd CGPM, 1901).
    static let standardGravity = 9.80665

    /// Proper acceleration in m/s² from a value in that convention.
    @inline(__always)
    static func acceleration(_ value: SIMD3<Double>, from convention: SampleConvention) -> SIMD3<Double> {
        switch convention {
        case .properAcceleration: value
        case .coreMotion: -value * standardGravity
        case .appleSignSI: -value
        }
    }

    /// Gauss from microtesla: 1 gauss is 100 microtesla.
    @inline(__always)
    static func gauss(microtesla: SIMD3<Double>) -> SIMD3<Double> { microtesla / 100 }

    /// Microtesla from gauss.
    @inline(__always)
    static func microtesla(gauss: SIMD3<Double>) -> SIMD3<Double> { gauss * 100 }

    /// Kilopascal from hectopascal, which is the millibar.
    @inline(__always)
    static func kilopascal(hectopascal: Double) -> Double { hectopascal / 10 }
}
