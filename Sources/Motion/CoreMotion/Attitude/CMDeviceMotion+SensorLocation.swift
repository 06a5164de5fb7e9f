// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

extension CMDeviceMotion {
    /// Where the sensors are that a device motion was measured with.
    public enum SensorLocation: Int, Sendable {
        /// In the device itself, always on Linux.
        case `default` = 0
        /// In the left one of Apple's headphones.
        case headphoneLeft = 1
        /// In the right one of Apple's headphones.
        case headphoneRight = 2
    }
}
