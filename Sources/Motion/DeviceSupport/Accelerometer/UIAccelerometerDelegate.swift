// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a program does with the readings of the ``UIAccelerometer``. The one requirement has a default that does nothing.
public protocol UIAccelerometerDelegate: NSObjectProtocol {
    /// A reading has come in. Called on the main thread.
    func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration)
}

extension UIAccelerometerDelegate {
    /// Does nothing.
    public func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {}
}

// On Apple's platforms the requirement is optional, so programs that feed a delegate themselves write
// `delegate?.accelerometer?(accelerometer, didAccelerate: acceleration)`. Swift without Objective-C has no optional
// requirements: this property has the base name of the requirement and can be called in the same form.
extension UIAccelerometerDelegate {
    /// The requirement for a call with a question mark; never nil.
    public var accelerometer: UIAccelerometerDelegateCalls? { UIAccelerometerDelegateCalls(delegate: self) }
}

/// The method of a delegate, for calls with a question mark.
public struct UIAccelerometerDelegateCalls {
    let delegate: any UIAccelerometerDelegate

    /// Calls `accelerometer(_:didAccelerate:)`.
    public func callAsFunction(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
        delegate.accelerometer(accelerometer, didAccelerate: acceleration)
    }
}
