// SPDX-License-Identifier: Apache-2.0

/// What Apple's API has no words for.
extension UIAccelerometer {
    /// The newest reading, which the delegate may not have been told of yet; nil while the accelerometer does not run
    /// for a delegate.
    public var latestAcceleration: UIAcceleration? { client.latest?.object }

    /// How many readings were dropped because the program did not take them in time: at most 1,024 wait.
    public var droppedAccelerationCount: Int { client.droppedCount }
}
