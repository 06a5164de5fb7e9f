// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import LiveDevice

/// Delivers the readings of the accelerometer to a delegate.
///
/// There is one for each device. Readings begin when the delegate is set and end when it is nil or gone; the sensor
/// runs only in between. Without an accelerometer nothing comes; one that is attached later is noticed.
///
/// ```swift
/// let accelerometer = UIAccelerometer.shared()
/// accelerometer.updateInterval = 1.0 / 50
/// accelerometer.delegate = level  // a UIAccelerometerDelegate
/// ```
///
/// Readings arrive on the main queue, which needs `RunLoop.main.run()`, `dispatchMain()` or an async main; each is an
/// object of its own. None comes after the delegate was set to nil on the main thread. When the program does not take
/// them in time, 1,024 wait and the oldest are dropped. Safe to use from any thread.
///
/// Apple deprecated this class in favour of `CMMotionManager` in Core Motion. It is here, without warnings, for the
/// programs that were written for it.
open class UIAccelerometer: NSObject, @unchecked Sendable {
    // Unchecked because of subclasses; the state is locked.
    let client: AccelerometerClient

    init(device: Device) {
        client = AccelerometerClient(device: device)
        super.init()
        client.attach(self)
    }

    /// The accelerometer of the device in force: that of `SimulatedDevice.use`, else the live one.
    open class func shared() -> UIAccelerometer {
        LiveDevice.resolved.component(UIAccelerometer.self) { UIAccelerometer(device: $0) }
    }

    /// Seconds from one reading to the next. Default: 0.1.
    ///
    /// The shortest is 0.01; 0, negative numbers and NaN become 0.01 too. The longest is a day. The sensor may be
    /// slower. To tell how the device is held 10 to 20 readings a second are enough, for games 30 to 60, for hits and
    /// fast shakes 70 to 100. Changing it while readings come takes effect at once.
    open var updateInterval: TimeInterval {
        get { client.interval }
        set { client.interval = newValue }
    }

    /// Who is told; held weakly. Nil, the default, stops the readings.
    open weak var delegate: (any UIAccelerometerDelegate)? {
        get { client.delegate }
        set { client.delegate = newValue }
    }
}
