// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
package import SensorFusion

/// The states that a subscriber requests from `MotionEngine`.
package struct FusionRequest: Sendable, Hashable {
    /// The values that a subscriber needs. States may also contain values that other subscribers need.
    package enum Need: Sendable, Hashable, Comparable {
        /// The upward direction, which requires only the accelerometer.
        case gravity
        /// The attitude of the device, which also requires the gyroscope if there is one.
        case attitude
        /// The direction of north, which also requires the magnetometer.
        case heading
    }

    package var need: Need
    /// The interval between states, in seconds. If it is 0, there is a state for each sample at the sensor's maximum
    /// rate.
    package var interval: Double
    /// The maximum time that states may be held back for batching, in seconds.
    package var latency: Double
    /// The executor of the subscriber's callbacks, if it can poll the sensors itself.
    package var pollingExecutor: ExecutorIdentity?

    /// Negative and non-finite times are replaced by 0.
    package init(need: Need, interval: Double = 0, latency: Double = 0) {
        self.need = need
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
    }
}

package enum FusionEvent: Sendable {
    /// States, oldest first. The array is never empty.
    case states([FusedState])
    /// A sensor no longer delivers readings. The case is indirect to keep events with states cheap to copy.
    indirect case lost(SensorKind, DeviceError)
    case regained(SensorKind)
}

/// The attitude of the device and related values at the time of one sample.
///
/// Values are in device axes (x to the right, y to the top edge, z out of the screen) and in the units of Industrial
/// I/O. The Earth's axes are x east, y north, z up.
package struct FusedState: Sendable {
    /// The time of the gyroscope sample or, if there is no gyroscope, of the accelerometer sample.
    package var time: BootTime
    /// The rotation from device axes to axes with z up and x horizontal. The horizontal direction of x is arbitrary. It
    /// remains constant only if there is a gyroscope.
    package var attitude = Quaternion.identity
    /// The rotation about z from `attitude` to `magneticAttitude`, in radians counterclockwise, or nil if unknown.
    package var northOffset: Double?
    /// The 95 % error bound of the magnetic heading in radians, or nil if `northOffset` is nil.
    package var headingUncertainty: Double?
    /// The angle from true north to magnetic north in radians, positive to the east, or nil if unknown.
    package var declination: Double?
    /// True if a gyroscope sample triggered the state. Without a gyroscope, the attitude lags behind movements.
    package var usesGyroscope = false
    /// The bias-corrected rotation rate in radians per second, or zero if there is no gyroscope.
    package var rotationRate = SIMD3<Double>.zero
    /// The proper acceleration in m/s². At rest, it is +9.81 on the axis that points up.
    package var acceleration = SIMD3<Double>.zero
    /// The corrected magnetic field in gauss. Without a recent reading, it is nil, and the next three properties have
    /// their default values.
    package var magneticField: SIMD3<Double>?
    package var magneticQuality = MagneticQuality.uncalibrated
    /// The number of times the magnetometer correction has changed.
    package var magneticCorrections: UInt32 = 0
    /// True if the magnetic field differs from the expected field. Always false if the expected field is unknown.
    package var isMagneticallyDisturbed = false
    package var isResting = false

    package init(time: BootTime) { self.time = time }

    /// The upward direction as a unit vector in device axes.
    package var up: SIMD3<Double> { attitude.up }
    /// The rotation from device axes to magnetic earth axes (east, north, up), or nil while north is unknown.
    package var magneticAttitude: Quaternion? { northOffset.map { Quaternion(aboutZ: $0) * attitude } }
}
