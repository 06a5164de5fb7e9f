// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import MotionEngine

/// An accelerometer reading, including gravity.
///
/// The values are in g. When the device is held upright, x points to the right, y to the top edge and z out of the
/// screen. The signs are those of gravity, so z is -1 when the device is lying face up. Average or filter the values,
/// because they are noisy even at rest.
open class UIAcceleration: NSObject, @unchecked Sendable {
    // `@unchecked Sendable` because subclasses may add state. The properties of this class are immutable.
    private let values: (x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, time: TimeInterval)

    /// Creates a reading whose values are zero, for subclasses that override the properties.
    public override init() { values = (0, 0, 0, 0) }

    init(x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, timestamp: TimeInterval) {
        values = (x, y, z, timestamp)
    }

    /// The acceleration toward the right edge, in g.
    open var x: UIAccelerationValue { values.x }
    /// The acceleration toward the top edge, in g.
    open var y: UIAccelerationValue { values.y }
    /// The acceleration out of the screen, in g.
    open var z: UIAccelerationValue { values.z }
    /// The time of the measurement, in seconds since boot, including time spent in suspend.
    open var timestamp: TimeInterval { values.time }
    /// A string that contains the values and the timestamp.
    open override var description: String { "x \(x), y \(y), z \(z) g at \(timestamp) s" }
}

/// An acceleration along one axis, in g (1 g is 9.80665 m/s²).
public typealias UIAccelerationValue = Double

/// An accelerometer reading in g, with the signs of gravity as in Apple's API.
///
/// Sources deliver proper acceleration in m/s². At rest, it is positive on the axis that points up.
struct AccelerationSample: Sendable, Equatable {
    var acceleration: SIMD3<Double>
    var time: BootTime

    /// Standard gravity in m/s² (CGPM 1901).
    private static let standardGravity = 9.80665
}

extension AccelerationSample {
    init(_ batch: MotionBatch, at index: Int) {
        // Subtract from 0 instead of negating, so that the result is never -0.
        self.init(acceleration: 0 - batch.values[index] / Self.standardGravity, time: batch.times[index])
    }

    init(_ state: FusedState) {
        self.init(acceleration: 0 - state.acceleration / Self.standardGravity, time: state.time)
    }

    /// Creates the reading that the accelerometer would deliver if the device were at rest in this attitude.
    ///
    /// Without a gyroscope, the attitude lags by seconds, so the accelerometer's actual reading is used instead.
    init(gravityOf state: FusedState) {
        if state.usesGyroscope { self.init(acceleration: 0 - state.up, time: state.time) } else { self.init(state) }
    }

    var object: UIAcceleration {
        UIAcceleration(x: acceleration.x, y: acceleration.y, z: acceleration.z, timestamp: time.seconds)
    }
}
