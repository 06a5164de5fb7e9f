// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// An accelerometer that delivers readings to a delegate.
///
/// Each device has one instance. The sensor runs and readings are delivered from the time the delegate is set until it
/// is set to nil or released. If the device has no accelerometer, no readings are delivered; an accelerometer that is
/// connected later is used automatically.
///
/// ```swift
/// let accelerometer = UIAccelerometer.shared()
/// accelerometer.updateInterval = 1.0 / 50
/// accelerometer.delegate = level  // a UIAccelerometerDelegate
/// ```
///
/// Readings are delivered on the main queue, which requires `RunLoop.main.run()`, `dispatchMain()` or an async `main`.
/// Each reading is a separate object. After the delegate is set to nil on the main thread, no further readings are
/// delivered. If the delegate is too slow, up to 1,024 readings are queued; if there are more, the oldest are dropped.
/// The class is thread-safe.
///
/// Apple has deprecated this class in favour of `CMMotionManager` in Core Motion. This package provides the class,
/// without deprecation warnings, for existing apps.
open class UIAccelerometer: NSObject, @unchecked Sendable {
    // Unchecked because subclasses may add state. The state of this class is protected by a lock.
    let client: AccelerometerClient

    init(device: Device) {
        client = AccelerometerClient(device: device)
        super.init()
        client.attach(self)
    }

    /// Returns the accelerometer of the current device: the device that was set with `SimulatedDevice.use`, or the live
    /// device if none was set.
    open class func shared() -> UIAccelerometer {
        LiveDevice.resolved.component(UIAccelerometer.self) { UIAccelerometer(device: $0) }
    }

    /// The interval between readings, in seconds. The default is 0.1.
    ///
    /// Values below 0.01 and NaN are replaced by 0.01. The maximum is one day. The sensor may be slower than requested.
    /// 10 to 20 readings a second are sufficient to determine the device's orientation, 30 to 60 for games, and 70 to
    /// 100 for hits and fast shakes. A new value takes effect immediately.
    open var updateInterval: TimeInterval {
        get { client.interval }
        set { client.interval = newValue }
    }

    /// The delegate, held weakly. If it is nil, which is the default, no readings are delivered.
    open weak var delegate: (any UIAccelerometerDelegate)? {
        get { client.delegate }
        set { client.delegate = newValue }
    }
}

extension UIAccelerometer {
    /// The latest reading, which may not have been delivered to the delegate yet. It is nil while the accelerometer is
    /// not running for a delegate.
    package var latestAcceleration: UIAcceleration? { client.latest?.object }

    /// The number of readings that were dropped because the delegate was too slow. Up to 1,024 readings are queued.
    package var droppedAccelerationCount: Int { client.droppedCount }
}

/// A delegate that receives the readings of ``UIAccelerometer``. The only method has a default implementation that does
/// nothing.
public protocol UIAccelerometerDelegate: NSObjectProtocol {
    /// Called on the main thread with a new reading.
    func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration)
}

extension UIAccelerometerDelegate {
    /// Does nothing.
    public func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {}
}

// On Apple's platforms the requirement is optional, so apps that call a delegate themselves write
// `delegate?.accelerometer?(accelerometer, didAccelerate: acceleration)`. Swift without Objective-C has no optional
// requirements. This property has the same base name as the requirement, so that the expression compiles here too.
extension UIAccelerometerDelegate {
    /// The requirement as a callable value, for calls with optional chaining. Never nil.
    public var accelerometer: UIAccelerometerDelegateCalls? { UIAccelerometerDelegateCalls(delegate: self) }
}

/// A delegate's method as a callable value, for calls with optional chaining.
public struct UIAccelerometerDelegateCalls {
    let delegate: any UIAccelerometerDelegate

    /// Calls the delegate's `accelerometer(_:didAccelerate:)`.
    public func callAsFunction(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        delegate.accelerometer(accelerometer, didAccelerate: acceleration)
    }
}
