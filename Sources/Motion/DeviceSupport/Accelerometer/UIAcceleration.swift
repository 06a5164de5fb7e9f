// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A reading of the accelerometer, including gravity.
///
/// The values are in g, in the axes of the device held upright: x to the right, y to the top edge, z out of the screen.
/// The sign is that of gravity: z is -1 at rest with the face up, and y is -1 with the device upright. Values are noisy
/// even at rest; average or filter them.
open class UIAcceleration: NSObject, @unchecked Sendable {
    // Unchecked because subclasses may add state; the properties of this class are immutable.
    private let values: (x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, time: TimeInterval)

    /// Creates a reading of zero, for subclasses that override the values.
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

    /// The time of the measurement, in seconds since boot, including suspend.
    open var timestamp: TimeInterval { values.time }

    /// The values and the time.
    open override var description: String { "x \(x), y \(y), z \(z) g at \(timestamp) s" }
}

/// An acceleration along one axis, in g (1 g is 9.80665 m/s²).
public typealias UIAccelerationValue = Double
