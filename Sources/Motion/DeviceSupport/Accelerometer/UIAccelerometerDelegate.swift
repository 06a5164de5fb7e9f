// This source file is part of the swift-device-services project.
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
