// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// From the units and signs of the kernel's Industrial I/O to Core Motion's: the one place where that happens.
///
/// Both use the same axes: x right, y to the top edge, z out of the screen. An accelerometer measures proper
/// acceleration, +9.81 m/s² on the axis that points up; Core Motion reports gravity minus the motion's own
/// acceleration, which is the opposite, in units of standard gravity.
enum MotionConversion {
    /// Standard gravity in m/s² (3rd General Conference on Weights and Measures, 1901).
    static let standardGravity = 9.80665
    /// A gauss is 100 microtesla.
    static let microteslaPerGauss = 100.0

    /// From m/s² of proper acceleration.
    static func acceleration(_ value: SIMD3<Double>) -> CMAcceleration {
        // Subtracted from zero, so that free fall reads 0 and not -0.
        let gravity = (SIMD3(repeating: 0) - value) / standardGravity
        return CMAcceleration(x: gravity.x, y: gravity.y, z: gravity.z)
    }

    /// From rad/s, right-handed there as here.
    static func rotationRate(_ value: SIMD3<Double>) -> CMRotationRate {
        CMRotationRate(x: value.x, y: value.y, z: value.z)
    }

    /// From gauss.
    static func magneticField(_ value: SIMD3<Double>) -> CMMagneticField {
        let field = value * microteslaPerGauss
        return CMMagneticField(x: field.x, y: field.y, z: field.z)
    }

    /// Seconds since boot.
    static func timestamp(_ time: BootTime) -> TimeInterval { time.seconds }
}
