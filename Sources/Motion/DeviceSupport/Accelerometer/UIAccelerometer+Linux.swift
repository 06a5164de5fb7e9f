// SPDX-License-Identifier: Apache-2.0

/// Additions to Apple's API.
extension UIAccelerometer {
    /// The latest reading, which may not have been delivered to the delegate yet; nil while the accelerometer is not
    /// running for a delegate.
    public var latestAcceleration: UIAcceleration? { client.latest?.object }

    /// The number of readings that were dropped because the delegate was too slow. Up to 1,024 readings are queued.
    public var droppedAccelerationCount: Int { client.droppedCount }
}
