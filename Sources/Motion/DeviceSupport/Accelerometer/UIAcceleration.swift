// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One reading of the accelerometer, gravity included.
///
/// In g, in the axes of the device held upright: x to the right, y to the top edge, z out of the screen. The sign is
/// that of gravity: at rest face up z is -1, upright y is -1. Values jitter at rest; average or filter them.
open class UIAcceleration: NSObject, @unchecked Sendable {
    // Unchecked: subclasses may add what they like; what is here never changes.
    private let values: (x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, time: TimeInterval)

    /// A reading of zero, for subclasses that bring their own values.
    public override init() { values = (0, 0, 0, 0) }

    init(x: UIAccelerationValue, y: UIAccelerationValue, z: UIAccelerationValue, timestamp: TimeInterval) {
        values = (x, y, z, timestamp)
    }

    /// To the right edge, in g.
    open var x: UIAccelerationValue { values.x }

    /// To the top edge, in g.
    open var y: UIAccelerationValue { values.y }

    /// Out of the screen, in g.
    open var z: UIAccelerationValue { values.z }

    /// When it was measured, in seconds since boot, suspend included.
    open var timestamp: TimeInterval { values.time }

    /// The values in words.
    open override var description: String { "x \(x), y \(y), z \(z) g at \(timestamp) s" }
}

/// An acceleration along one axis in g (1 g is 9.80665 m/s²).
public typealias UIAccelerationValue = Double
