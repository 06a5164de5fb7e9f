// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

/// What a subscriber wants of the motion engine.
package struct FusionRequest: Sendable, Hashable {
    /// What has to be known. What other subscribers need is known too.
    package enum Need: Int, Sendable, Hashable, Comparable {
        /// Which way is up: the accelerometer alone will do.
        case gravity
        /// How the device turns: the gyroscope as well, where there is one.
        case attitude
        /// Where north is: the magnetometer as well.
        case heading

        /// By how much it takes.
        package static func < (left: Need, right: Need) -> Bool { left.rawValue < right.rawValue }
    }

    /// What has to be known.
    package var need: Need
    /// Seconds from one state to the next; 0 for each sample of the gyroscope (without one, of the accelerometer) at
    /// its greatest rate.
    package var interval: Double
    /// Seconds that a state may wait for others.
    package var latency: Double
    /// Where what comes of the states is told: a place that may wait for the samples itself.
    package var place: DirectPlace?

    /// A request of those parts.
    package init(need: Need, interval: Double = 0, latency: Double = 0) {
        self.need = need
        self.interval = interval.isFinite ? max(0, interval) : 0
        self.latency = latency.isFinite ? max(0, latency) : 0
    }
}

/// What the motion engine has to say to a subscriber.
package enum FusionEvent: Sendable {
    /// States, oldest first, never none.
    case states([FusedState])
    /// A sensor gives nothing for now, and why. Sent once for each loss. Indirect, so that states are passed
    /// on quickly.
    indirect case lost(SensorKind, DeviceError)
    /// A sensor is back.
    case regained(SensorKind)
}
