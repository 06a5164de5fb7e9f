// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
