// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A value of a sensor, in its own units and the device's axes, with the time at which it was measured.
struct MotionReading: Sendable {
    var value: SIMD3<Double>
    var time: BootTime
}
