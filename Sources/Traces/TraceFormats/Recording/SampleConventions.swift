// SPDX-License-Identifier: Apache-2.0

/// A convention for the sign and unit of acceleration.
package enum SampleConvention: Sendable, Hashable {
    /// Proper acceleration in m/s². At rest, the axis that points up reads +9.81, as in IIO and on Android.
    case properAcceleration
    /// Acceleration in units of standard gravity. At rest, the axis that points up reads -1, as in Core Motion.
    case coreMotion
    /// Acceleration in m/s² in Apple's sign convention. At rest, the axis that points up reads -9.81. Used by Sensor
    /// Logger on iOS unless its "Standardise Units & Frames" setting is on.
    case appleSignSI
}

/// Converts values between the units that other programs use and the units that sources deliver (m/s², rad/s, gauss,
/// kPa). To convert microtesla to gauss, values are divided by 100 instead of multiplied by 0.01, because 0.01 has no
/// exact binary representation.
enum SampleConventions {
    /// Standard gravity in m/s², exact by definition (3rd CGPM, 1901).
    static let standardGravity = 9.80665

    /// Converts an acceleration from the given convention to proper acceleration in m/s².
    @inline(__always)
    static func acceleration(_ value: SIMD3<Double>, from convention: SampleConvention) -> SIMD3<Double> {
        switch convention {
        case .properAcceleration: value
        case .coreMotion: -value * standardGravity
        case .appleSignSI: -value
        }
    }

    @inline(__always) static func gauss(microtesla: SIMD3<Double>) -> SIMD3<Double> { microtesla / 100 }

    @inline(__always) static func microtesla(gauss: SIMD3<Double>) -> SIMD3<Double> { gauss * 100 }

    @inline(__always) static func kilopascal(hectopascal: Double) -> Double { hectopascal / 10 }
}
