// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The values of a device motion and the time at which they were measured.
struct DeviceMotionReading: Sendable {
    var values: CMDeviceMotion.Values
    var time: BootTime
}

extension CMDeviceMotion {
    convenience init(_ reading: DeviceMotionReading) {
        self.init(reading.values, measuredAt: MotionConversion.timestamp(reading.time))
    }
}
