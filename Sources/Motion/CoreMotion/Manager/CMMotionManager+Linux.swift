// SPDX-License-Identifier: Apache-2.0

/// Additions to Apple's API.
extension CMMotionManager {
    /// The number of accelerometer readings that were dropped because the handler was too slow. Up to 1,024 readings
    /// are queued.
    public var droppedAccelerometerDataCount: Int { client.accelerometer.droppedCount }

    /// The number of gyroscope readings that were dropped because the handler was too slow.
    public var droppedGyroDataCount: Int { client.gyroscope.droppedCount }

    /// The number of magnetometer readings that were dropped because the handler was too slow.
    public var droppedMagnetometerDataCount: Int { client.magnetometer.droppedCount }

    /// The number of device motion values that were dropped because the handler was too slow.
    public var droppedDeviceMotionCount: Int { client.deviceMotion.stream.droppedCount }
}
