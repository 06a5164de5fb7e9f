// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

package struct FusionRequest: Sendable, Hashable {
    /// The values that a subscriber needs. States may contain further values that other subscribers need.
    package enum Need: Sendable, Hashable, Comparable {
        /// The upward direction, which requires only the accelerometer.
        case gravity
        /// The rotation of the device, which also requires the gyroscope if there is one.
        case attitude
        /// The direction of north, which also requires the magnetometer.
        case heading
    }

    package var need: Need
    /// The interval between states, in seconds. 0 requests a state for each gyroscope sample (or accelerometer sample,
    /// if there is no gyroscope) at the sensor's maximum rate.
    package var interval: Double
    /// The maximum time for which states may be batched, in seconds.
    package var latency: Double
    /// The executor on which the subscriber runs its callbacks, if it can poll the sensors itself.
    package var pollingExecutor: ExecutorIdentity?

    /// Creates a request. Negative and non-finite times become 0.
    package init(need: Need, interval: Double = 0, latency: Double = 0) {
        self.need = need
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
    }
}

package enum FusionEvent: Sendable {
    /// States, oldest first. Never empty.
    case states([FusedState])
    /// A sensor no longer delivers readings; the error contains the reason. Sent once for each loss. The case is
    /// indirect, so that events with states are cheap to copy.
    indirect case lost(SensorKind, DeviceError)
    case regained(SensorKind)
}

/// The attitude of the device, and values derived from the attitude, at the time of one sample.
///
/// Values are in device axes (x to the right, y to the top edge, z out of the screen) and in the units of Industrial
/// I/O. The Earth's axes are x east, y north, z up.
package struct FusedState: Sendable {
    /// The time of the gyroscope sample, or of the accelerometer sample if the gyroscope is not used.
    package var time: BootTime
    /// The rotation from device axes to axes whose z points up and whose x points in an arbitrary horizontal direction.
    /// Only the gyroscope keeps that direction constant.
    package var attitude = Quaternion.identity
    /// The angle in radians, counterclockwise about z, that rotates the axes of `attitude` to magnetic east, north, up;
    /// nil until the magnetometer has determined the angle.
    package var northOffset: Double?
    /// The error bound of the magnetic heading at the 95 % confidence level, in radians; nil without `northOffset`.
    package var headingUncertainty: Double?
    /// The angle from true north to magnetic north, in radians, positive to the east; nil if unknown.
    package var declination: Double?
    /// True if the gyroscope is used. Without a gyroscope, the attitude lags behind movements.
    package var usesGyroscope = false
    /// The rotation rate minus the gyroscope bias, in radians per second; zero without a gyroscope.
    package var rotationRate = SIMD3<Double>.zero
    /// The proper acceleration as measured by the accelerometer, in m/s²: +9.81 on the axis that points up.
    package var acceleration = SIMD3<Double>.zero
    /// The magnetic field without the device's own field, in gauss; nil without a magnetometer.
    package var magneticField: SIMD3<Double>?
    /// The accuracy with which the device's own field is known.
    package var magneticQuality = MagneticQuality.uncalibrated
    /// The number of times that the magnetometer correction has changed.
    package var magneticCorrections: UInt32 = 0
    /// True if the magnetic field differs from the expected one; false if no field is expected.
    package var isMagneticallyDisturbed = false
    package var isResting = false

    package init(time: BootTime) { self.time = time }

    /// The upward direction in device axes, as a unit vector.
    package var up: SIMD3<Double> { attitude.up }

    /// The rotation from device axes to magnetic east, north, up; nil while north is unknown.
    package var magneticAttitude: Quaternion? { northOffset.map { Quaternion(aboutZ: $0) * attitude } }
}
