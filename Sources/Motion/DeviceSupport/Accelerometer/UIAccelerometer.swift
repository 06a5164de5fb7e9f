// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// An accelerometer that delivers readings to a delegate.
///
/// Each device has one instance. The sensor runs while the delegate is set. An accelerometer that is connected later is
/// used automatically.
///
/// ```swift
/// let accelerometer = UIAccelerometer.shared()
/// accelerometer.updateInterval = 1.0 / 50
/// accelerometer.delegate = level  // a UIAccelerometerDelegate
/// ```
///
/// Readings are delivered on the main queue, which requires `RunLoop.main.run()`, `dispatchMain()` or an async `main`.
/// After the delegate is set to nil on the main thread, no further readings are delivered. If the delegate is slow, up
/// to 1,024 readings are queued. Beyond this limit, the oldest readings are dropped. The class is thread-safe.
///
/// Apple has deprecated this class in favour of `CMMotionManager`. This package provides it for existing apps.
open class UIAccelerometer: NSObject, @unchecked Sendable {
    // `@unchecked Sendable` because subclasses may add state. A lock protects the state of this class.
    let client: AccelerometerClient

    init(device: Device) {
        client = AccelerometerClient(device: device)
        super.init()
        client.attach(self)
    }

    /// Returns the current device's accelerometer. The current device is the one set with `SimulatedDevice.use` or, by
    /// default, the live device.
    open class func shared() -> UIAccelerometer {
        LiveDevice.resolved.component(UIAccelerometer.self) { UIAccelerometer(device: $0) }
    }

    /// The interval between readings, in seconds. The default is 0.1.
    ///
    /// The minimum is 0.01 and the maximum is one day. NaN is replaced by the minimum. The sensor may be slower than
    /// requested. Use 10 to 20 readings per second for the device's orientation, 30 to 60 for games, and 70 to 100 to
    /// detect hits and fast shakes. A new value takes effect immediately.
    open var updateInterval: TimeInterval {
        get { client.interval }
        set { client.interval = newValue }
    }

    /// The delegate, held weakly. While it is nil, which is the default, no readings are delivered.
    open weak var delegate: (any UIAccelerometerDelegate)? {
        get { client.delegate }
        set { client.delegate = newValue }
    }

    package var droppedAccelerationCount: Int { client.droppedCount }
}

/// A delegate that receives readings from a ``UIAccelerometer``.
public protocol UIAccelerometerDelegate: NSObjectProtocol {
    /// Called on the main thread with a new reading.
    func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration)
}

extension UIAccelerometerDelegate {
    /// Does nothing.
    public func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {}
}

// On Apple's platforms, the delegate's method is an optional requirement, which apps call as
// `delegate?.accelerometer?(accelerometer, didAccelerate: acceleration)`. Swift on Linux has no optional requirements.
// On Linux, the same expression uses the following property, which has the same base name as the method.
extension UIAccelerometerDelegate {
    /// The delegate's method as an optional value, so that it can be called with optional chaining. Never nil.
    public var accelerometer: UIAccelerometerDelegateCalls? { UIAccelerometerDelegateCalls(delegate: self) }
}

/// A callable value that represents a delegate's method.
public struct UIAccelerometerDelegateCalls {
    let delegate: any UIAccelerometerDelegate

    /// Calls the delegate's `accelerometer(_:didAccelerate:)`.
    public func callAsFunction(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        delegate.accelerometer(accelerometer, didAccelerate: acceleration)
    }
}
