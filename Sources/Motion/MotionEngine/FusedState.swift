// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

/// The attitude of the device, and the values derived from it, at the time of one sample.
///
/// Values are in the device's axes (x to the right, y to the top edge, z out of the screen) and in the units of
/// Industrial I/O. The Earth's axes are x east, y north, z up.
package struct FusedState: Sendable {
    /// The time of the gyroscope sample, or of the accelerometer sample if the gyroscope is not used.
    package var time: BootTime
    /// The rotation from the device's axes to axes whose z points up and whose x points in an arbitrary horizontal
    /// direction, which is maintained only by the gyroscope.
    package var attitude = Quaternion.identity
    /// The angle in radians, counterclockwise about z, by which those axes have to be rotated to become magnetic east,
    /// north, up; nil until the magnetometer has determined it.
    package var northOffset: Double?
    /// The 95 % bound of the error of the magnetic heading, in radians; nil without `northOffset`.
    package var headingUncertainty: Double?
    /// The angle from true north to magnetic north, in radians, positive to the east; nil if unknown.
    package var declination: Double?
    /// True if the gyroscope is used. Without it, the attitude lags behind movements.
    package var usesGyroscope = false
    /// The rotation rate without the gyroscope's bias, in radians per second; zero without a gyroscope.
    package var rotationRate = SIMD3<Double>.zero
    /// The proper acceleration as measured by the accelerometer, in m/s²: +9.81 on the axis that points up.
    package var acceleration = SIMD3<Double>.zero
    /// The magnetic field without the device's own field, in gauss; nil without a magnetometer.
    package var magneticField: SIMD3<Double>?
    /// The accuracy with which the device's own field is known.
    package var magneticQuality = MagneticQuality.uncalibrated
    /// The number of times that the correction of the field has changed.
    package var magneticCorrections: UInt32 = 0
    /// True if the magnetic field differs from the expected one; false if no field is expected.
    package var isMagneticallyDisturbed = false
    /// True if the device is at rest.
    package var isResting = false

    /// Creates a state at a time, with default values.
    package init(time: BootTime) { self.time = time }

    /// The upward direction in the device's axes, as a unit vector.
    package var up: SIMD3<Double> { attitude.up }

    /// The rotation from the device's axes to magnetic east, north, up; nil while north is unknown.
    package var magneticAttitude: Quaternion? { northOffset.map { Quaternion(aboutZ: $0) * attitude } }
}
