// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion

@testable import CoreMotion

/// States of the motion engine with known values.
enum States {
    static let half = 0.5.squareRoot()

    /// Returns a right-handed rotation about an axis by an angle in degrees.
    static func rotation(_ axis: SIMD3<Double>, _ degrees: Double) -> Quaternion {
        let half = degrees * .pi / 360
        return Quaternion(x: axis.x * sin(half), y: axis.y * sin(half), z: axis.z * sin(half), w: cos(half))
    }

    /// Returns the state of a device at rest. The reference axes point to magnetic east, magnetic north and up.
    static func at(_ seconds: Double, _ attitude: Quaternion = .identity) -> FusedState {
        var state = FusedState(time: BootTime(nanoseconds: Int64((seconds * 1e9).rounded())))
        state.attitude = attitude
        state.usesGyroscope = true
        state.northOffset = 0
        state.magneticField = [0, 0.2, -0.43]
        state.magneticQuality = .high
        state.acceleration = state.up * 9.80665
        return state
    }

    static func components(_ v: CMAcceleration) -> [Double] { [v.x, v.y, v.z] }
    static func components(_ q: CMQuaternion) -> [Double] { [q.x, q.y, q.z, q.w] }

    static func isNear(_ a: [Double], _ b: [Double], _ tolerance: Double = 1e-12) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
    }
}

extension MotionConversion {
    /// Converts a state without the heading axis of a previous state.
    static func deviceMotion(
        _ state: FusedState, in frame: CMAttitudeReferenceFrame, correctedFrom start: Double = 0
    ) -> CMDeviceMotion.Values? {
        var axis = HeadingAxis()
        return deviceMotion(state, in: frame, correctedFrom: start, axis: &axis)
    }
}
