// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

/// The device's attitude and what follows from it, at the time of one sample.
///
/// In the device's axes (x right, y to the top edge, z out of the screen) and Industrial I/O's units. The earth's axes
/// are x east, y north, z up.
package struct FusedState: Sendable {
    /// When the sample was measured: the gyroscope's, without one the accelerometer's.
    package var time: BootTime
    /// From the device's axes to ones whose z points up and whose x points somewhere in the plane, where only the
    /// gyroscope keeps it.
    package var attitude = Quaternion.identity
    /// Radians by which those axes have to be turned about z, counterclockwise, to become magnetic east, north, up;
    /// nil as long as no magnetometer has told.
    package var northOffset: Double?
    /// Radians, 95 % bound of the error of the magnetic heading; nil without `northOffset`.
    package var headingUncertainty: Double?
    /// Radians from true north to magnetic north, east positive; nil when the position is not known.
    package var declination: Double?
    /// True when the gyroscope has taken part: without it the attitude follows movements late.
    package var usesGyroscope = false
    /// Radians per second, without the gyroscope's bias; zero without a gyroscope.
    package var rotationRate = SIMD3<Double>.zero
    /// Metres per second squared, proper acceleration as the accelerometer measures it: +9.81 on the axis that points up.
    package var acceleration = SIMD3<Double>.zero
    /// Gauss, without the device's own field; nil without a magnetometer.
    package var magneticField: SIMD3<Double>?
    /// How well the device's own field is known.
    package var magneticQuality = MagneticQuality.uncalibrated
    /// Counts up when the field is corrected in another way.
    package var magneticCorrections: UInt32 = 0
    /// True while the magnetic field is not the one that is expected here; false as long as none is.
    package var isMagneticallyDisturbed = false
    /// True while the device lies still.
    package var isResting = false

    /// A state of that time, with nothing known.
    package init(time: BootTime) { self.time = time }

    /// The direction up in the device's axes, of length 1.
    package var up: SIMD3<Double> { attitude.up }

    /// From the device's axes to magnetic east, north, up; nil as long as north is not known.
    package var magneticAttitude: Quaternion? { northOffset.map { Quaternion(aboutZ: $0) * attitude } }
}
