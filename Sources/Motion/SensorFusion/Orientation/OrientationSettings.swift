// SPDX-License-Identifier: Apache-2.0

/// The thresholds of an ``OrientationDetector``.
///
/// Apple does not publish its own; the defaults come from its observable behaviour (flat within about 30 degrees,
/// an edge well past the diagonal, a fraction of a second of delay) and from other systems, as noted with each.
/// Angles are in degrees, times in seconds, accelerations in g. Numbers that make no sense never trap: a leave
/// angle below the enter angle counts as the enter angle, and with NaN what it governs does not happen.
package struct OrientationSettings: Sendable, Equatable {
    /// Time constant of the low-pass filter that finds the direction of gravity.
    ///
    /// Default 0.1 s: Android's orientation listener used 0.1 s in its older and uses 0.2 s in its newer
    /// releases; the hold time below comes on top, so the shorter one keeps a quick turn under half a second.
    package var smoothingTime: Double = 0.1

    /// Tilt from lying flat below which a device becomes face up or face down. Default 30.
    package var flatEnterAngle: Double = 30

    /// Tilt from lying flat above which a device is no longer face up or face down. Default 40.
    package var flatLeaveAngle: Double = 40

    /// How far past the diagonal between two edges a device must turn. Default 15.
    ///
    /// An edge that is up stays so up to 45 + 15 degrees, and the next one then stays for 30 degrees on the way
    /// back. Android leaves 45 degrees between the two, iio-sensor-proxy 20.
    package var edgeHysteresis: Double = 15

    /// How long a new orientation must last before it is reported. Default 0.2 s.
    package var holdTime: Double = 0.2

    /// Distance of the measured acceleration from 1 g above which its direction is not trusted. Default 0.4.
    ///
    /// Android takes 4 m/s², which is 0.41 g.
    package var strongAcceleration: Double = 0.4

    /// How long a device must have been free of strong acceleration before a new orientation may begin. Default
    /// 0.5 s, as with Android.
    package var settleTime: Double = 0.5

    /// Time without a sample after which the samples before it are no evidence any more. Default 0.25 s.
    ///
    /// In a stream that is slow but regular an interval may be up to three times the one before it, as long as it
    /// is no more than 3 s.
    package var maximumGap: Double = 0.25

    /// Creates the default settings.
    package init() {}
}
