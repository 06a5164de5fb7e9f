// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine

/// A reading of the accelerometer in Apple's unit and sign: the one place where readings are converted.
///
/// Readings come in m/s² and are positive on the axis that points up at rest (proper acceleration). Apple counts in g
/// along gravity: face up z is -1, upright y is -1.
struct AccelerationSample: Sendable, Equatable {
    /// In g; x right, y to the top edge, z out of the screen.
    var acceleration: SIMD3<Double>
    /// When it was measured.
    var time: BootTime

    /// Standard gravity in m/s² (CGPM 1901).
    private static let standardGravity = 9.80665
}

extension AccelerationSample {
    /// The reading of that place in a batch of an accelerometer, in device axes.
    init(_ batch: MotionBatch, at index: Int) {
        // 0 minus, so that a zero keeps its sign.
        self.init(acceleration: 0 - batch.values[index] / Self.standardGravity, time: batch.times[index])
    }

    /// What the accelerometer measured by the time of a fused state.
    init(_ state: FusedState) {
        self.init(acceleration: 0 - state.acceleration / Self.standardGravity, time: state.time)
    }

    /// Gravity at the time of a fused state, as an accelerometer at rest would show it.
    ///
    /// Where a gyroscope takes part that is the direction down whatever the device does. Without one it is the reading
    /// itself: the accelerometer's own attitude is a mean over seconds and would be late.
    init(gravityOf state: FusedState) {
        if state.usesGyroscope { self.init(acceleration: 0 - state.up, time: state.time) } else { self.init(state) }
    }

    /// The reading as the program gets it, a fresh object each time.
    var object: UIAcceleration {
        UIAcceleration(x: acceleration.x, y: acceleration.y, z: acceleration.z, timestamp: time.seconds)
    }
}
