// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// An accelerometer that delivers readings to a delegate.
///
/// Each device has one instance. Readings are delivered from the time that the delegate is set until it is set to nil
/// or released. The sensor runs only during that time. If the device has no accelerometer, no readings are delivered;
/// an accelerometer that is connected later is used automatically.
///
/// ```swift
/// let accelerometer = UIAccelerometer.shared()
/// accelerometer.updateInterval = 1.0 / 50
/// accelerometer.delegate = level  // a UIAccelerometerDelegate
/// ```
///
/// Readings are delivered on the main queue, which requires `RunLoop.main.run()`, `dispatchMain()` or an async main.
/// Each reading is a separate object. After the delegate is set to nil on the main thread, no further readings are
/// delivered. If the delegate is too slow, up to 1,024 readings are queued; then the oldest are dropped. The class is
/// thread-safe.
///
/// Apple has deprecated this class in favour of `CMMotionManager` in Core Motion. This package provides it, without
/// deprecation warnings, for apps that were written for it.
open class UIAccelerometer: NSObject, @unchecked Sendable {
    // Unchecked because of subclasses; the state is protected by a lock.
    let client: AccelerometerClient

    init(device: Device) {
        client = AccelerometerClient(device: device)
        super.init()
        client.attach(self)
    }

    /// Returns the accelerometer of the current device: the device of `SimulatedDevice.use`, or else the live device.
    open class func shared() -> UIAccelerometer {
        LiveDevice.resolved.component(UIAccelerometer.self) { UIAccelerometer(device: $0) }
    }

    /// The interval between readings, in seconds. The default is 0.1.
    ///
    /// The minimum is 0.01, which also replaces zero, negative values and NaN. The maximum is one day. The sensor may
    /// be slower than requested. 10 to 20 readings a second are sufficient to determine the device's orientation, 30 to
    /// 60 for games, and 70 to 100 for hits and fast shakes. A new value takes effect immediately.
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
    /// The latest reading, which may not have been delivered to the delegate yet; nil while the accelerometer is not
    /// running for a delegate.
    package var latestAcceleration: UIAcceleration? { client.latest?.object }

    /// The number of readings that were dropped because the delegate was too slow. Up to 1,024 readings are queued.
    package var droppedAccelerationCount: Int { client.droppedCount }
}

/// The methods with which a delegate receives the readings of ``UIAccelerometer``. The only method has a default
/// implementation that does nothing.
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
// requirements. This property has the base name of the requirement, so that the same expression compiles.
extension UIAccelerometerDelegate {
    /// The requirement as a callable value, for calls with optional chaining; never nil.
    public var accelerometer: UIAccelerometerDelegateCalls? { UIAccelerometerDelegateCalls(delegate: self) }
}

/// The method of a delegate as a callable value, for calls with optional chaining.
public struct UIAccelerometerDelegateCalls {
    let delegate: any UIAccelerometerDelegate

    /// Calls the delegate's `accelerometer(_:didAccelerate:)`.
    public func callAsFunction(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        delegate.accelerometer(accelerometer, didAccelerate: acceleration)
    }
}
