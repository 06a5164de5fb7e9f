// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import MotionEngine

/// A reading of the accelerometer, including gravity.
///
/// The values are in g, along the axes of the device held upright: x to the right, y to the top edge, z out of the
/// screen. They have the sign of gravity: at rest, z is -1 with the face up, and y is -1 with the device upright.
/// Values are noisy even at rest; average or filter them.
open class UIAcceleration: NSObject, @unchecked Sendable {
    // Unchecked because subclasses may add state; the properties of this class are immutable.
    private let values: (x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, time: TimeInterval)

    /// Creates a reading of zero. Intended for subclasses that override the properties.
    public override init() { values = (0, 0, 0, 0) }

    init(x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, timestamp: TimeInterval) {
        values = (x, y, z, timestamp)
    }

    /// The acceleration to the right edge, in g.
    open var x: UIAccelerationValue { values.x }

    /// The acceleration to the top edge, in g.
    open var y: UIAccelerationValue { values.y }

    /// The acceleration out of the screen, in g.
    open var z: UIAccelerationValue { values.z }

    /// The time of the measurement, in seconds since boot, including periods of system suspend.
    open var timestamp: TimeInterval { values.time }

    /// A text with the values and the time.
    open override var description: String { "x \(x), y \(y), z \(z) g at \(timestamp) s" }
}

/// An acceleration along one axis, in g (1 g is 9.80665 m/s²).
public typealias UIAccelerationValue = Double

/// An accelerometer reading in Apple's unit and sign. No other type in this module converts readings.
///
/// Sources deliver proper acceleration in m/s², which is positive on the axis that points up at rest. Apple uses g and
/// the sign of gravity: z is -1 with the face up, and y is -1 with the device upright.
struct AccelerationSample: Sendable, Equatable {
    /// In g; x to the right, y to the top edge, z out of the screen.
    var acceleration: SIMD3<Double>
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

    /// Creates a sample with the gravity that an accelerometer at rest would measure at the time of a fused state.
    ///
    /// With a gyroscope, the sample points down even while the device moves. Without a gyroscope, the sample is the
    /// accelerometer reading, because an attitude from the accelerometer alone is averaged over seconds and lags
    /// behind.
    init(gravityOf state: FusedState) {
        if state.usesGyroscope { self.init(acceleration: 0 - state.up, time: state.time) } else { self.init(state) }
    }

    var object: UIAcceleration {
        UIAcceleration(x: acceleration.x, y: acceleration.y, z: acceleration.z, timestamp: time.seconds)
    }
}
