// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine

/// An accelerometer reading in Apple's unit and sign. No other type in this module converts readings.
///
/// Sources deliver proper acceleration in m/s², which is positive on the axis that points up at rest. Apple uses g and
/// the sign of gravity: z is -1 with the face up, and y is -1 with the device upright.
struct AccelerationSample: Sendable, Equatable {
    /// In g; x to the right, y to the top edge, z out of the screen.
    var acceleration: SIMD3<Double>
    /// The time of the measurement.
    var time: BootTime

    /// Standard gravity in m/s² (CGPM 1901).
    private static let standardGravity = 9.80665
}

extension AccelerationSample {
    /// Creates a sample from a reading in a batch of accelerometer readings in device axes.
    init(_ batch: MotionBatch, at index: Int) {
        // The subtraction from 0 avoids -0.
        self.init(acceleration: 0 - batch.values[index] / Self.standardGravity, time: batch.times[index])
    }

    /// Creates a sample from the accelerometer reading of a fused state.
    init(_ state: FusedState) {
        self.init(acceleration: 0 - state.acceleration / Self.standardGravity, time: state.time)
    }

    /// Creates a sample of gravity at the time of a fused state, as an accelerometer at rest would measure it.
    ///
    /// With a gyroscope, the sample is the downward direction, even while the device moves. Without one, it is the
    /// accelerometer's reading, because an attitude from the accelerometer alone is averaged over seconds and lags
    /// behind.
    init(gravityOf state: FusedState) {
        if state.usesGyroscope { self.init(acceleration: 0 - state.up, time: state.time) } else { self.init(state) }
    }

    /// The reading as a new object for the app.
    var object: UIAcceleration {
        UIAcceleration(x: acceleration.x, y: acceleration.y, z: acceleration.z, timestamp: time.seconds)
    }
}
