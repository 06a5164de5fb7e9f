// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// The request of a subscriber of the motion engine.
package struct FusionRequest: Sendable, Hashable {
    /// The values that a subscriber needs. States also contain the values that other subscribers need.
    package enum Need: Int, Sendable, Hashable, Comparable {
        /// The upward direction, which requires only the accelerometer.
        case gravity
        /// The rotation of the device, which also requires the gyroscope if there is one.
        case attitude
        /// The direction of north, which also requires the magnetometer.
        case heading

        /// Orders the needs by the number of sensors that they require.
        package static func < (left: Need, right: Need) -> Bool { left.rawValue < right.rawValue }
    }

    /// The values that the subscriber needs.
    package var need: Need
    /// The interval between states, in seconds; 0 for a state for each gyroscope sample at the sensor's maximum rate,
    /// or for each accelerometer sample if there is no gyroscope.
    package var interval: Double
    /// The maximum time for which states may be batched, in seconds.
    package var latency: Double
    /// The executor on which the subscriber runs its callbacks, if it can poll the sensors itself.
    package var pollingExecutor: DirectPlace?

    /// Creates a request. Negative and non-finite times become 0.
    package init(need: Need, interval: Double = 0, latency: Double = 0) {
        self.need = need
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
    }
}

/// An event of the motion engine.
package enum FusionEvent: Sendable {
    /// States, oldest first. Never empty.
    case states([FusedState])
    /// A sensor delivers no readings, for the reason that the error gives. Sent once for each loss. Indirect, so that
    /// states are cheap to copy.
    indirect case lost(SensorKind, DeviceError)
    /// The sensor is available again.
    case regained(SensorKind)
}
