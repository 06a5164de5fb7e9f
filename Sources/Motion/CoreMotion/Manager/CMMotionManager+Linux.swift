// SPDX-License-Identifier: Apache-2.0

/// What Apple's API has no words for.
extension CMMotionManager {
    /// How many readings of the accelerometer were dropped because the handler did not take them in time: at most 1,024
    /// wait.
    public var droppedAccelerometerDataCount: Int { client.accelerometer.dropped }

    /// How many readings of the gyroscope were dropped because the handler did not take them in time.
    public var droppedGyroDataCount: Int { client.gyroscope.dropped }

    /// How many readings of the magnetometer were dropped because the handler did not take them in time.
    public var droppedMagnetometerDataCount: Int { client.magnetometer.dropped }

    /// How many device motions were dropped because the handler did not take them in time.
    public var droppedDeviceMotionCount: Int { client.deviceMotion.stream.dropped }
}
