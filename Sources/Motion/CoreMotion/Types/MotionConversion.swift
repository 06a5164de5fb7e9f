// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion

/// Converts readings from the units and signs of the kernel's Industrial I/O subsystem to Core Motion's units and
/// signs. No other type in this module converts units or signs.
///
/// Both use the same axes: x to the right, y to the top edge, z out of the screen. The kernel reports proper
/// acceleration: at rest, the axis that points up reads +9.81 m/s². Core Motion uses the opposite sign, and units of
/// standard gravity.
enum MotionConversion {
    /// Standard gravity in m/s² (3rd General Conference on Weights and Measures, 1901).
    static let standardGravity = 9.80665
    static let microteslaPerGauss = 100.0

    /// Converts a proper acceleration in m/s².
    static func acceleration(_ value: SIMD3<Double>) -> CMAcceleration {
        // Subtracting from zero, instead of negating, avoids -0 in free fall.
        CMAcceleration((SIMD3(repeating: 0) - value) / standardGravity)
    }

    /// Converts a rotation rate in rad/s. The values do not change, because both conventions are right-handed.
    static func rotationRate(_ value: SIMD3<Double>) -> CMRotationRate { CMRotationRate(value) }

    static func magneticField(_ value: SIMD3<Double>) -> CMMagneticField { CMMagneticField(value * microteslaPerGauss) }

    /// Converts a motion engine state to device motion in a reference frame. Returns nil if the frame requires north
    /// and north is unknown. `correctedFrom` is the initial north offset. While the current offset equals it,
    /// `xArbitraryCorrectedZVertical` is the same as the state's own frame.
    static func deviceMotion(
        _ state: FusedState, in frame: CMAttitudeReferenceFrame, correctedFrom start: Double, axis: inout HeadingAxis
    ) -> CMDeviceMotion.Values? {
        guard let yawOffset = yawOffset(of: state, to: frame, correctedFrom: start) else { return nil }
        let attitude = frame == .xArbitraryZVertical ? state.attitude : Quaternion(aboutZ: yawOffset) * state.attitude
        var values = CMDeviceMotion.Values()
        values.attitude = CMQuaternion(attitude)
        values.rotationRate = rotationRate(state.rotationRate)
        (values.gravity, values.userAcceleration) = gravityAndUserAcceleration(of: state)
        if !frame.isDisjoint(with: .magnetic), let field = state.magneticField {
            values.magneticField = CMCalibratedMagneticField(
                field: magneticField(field), accuracy: accuracy(state.magneticQuality))
        }
        if frame == .xMagneticNorthZVertical || frame == .xTrueNorthZVertical && state.declination != nil {
            // `HeadingAxis` measures angles clockwise from the y axis, which it expects to point north. In these
            // frames, the y axis points west, so 90° must be subtracted.
            values.heading = HeadingAxis.degrees(axis.direction(attitude: attitude).heading - 90)
        }
        return values
    }

    /// Returns the rotation about the vertical axis, in radians counterclockwise, that converts the state's attitude to
    /// the given frame. Returns nil if the frame requires north and north is unknown.
    private static func yawOffset(
        of state: FusedState, to frame: CMAttitudeReferenceFrame, correctedFrom start: Double
    ) -> Double? {
        guard frame != .xArbitraryZVertical else { return 0 }
        guard let offset = state.northOffset else { return nil }
        switch frame {
        case .xArbitraryCorrectedZVertical: return offset - start
        // A rotation by -90° converts axes with x pointing east and y north to axes with x pointing north and y west.
        case .xMagneticNorthZVertical: return offset - .pi / 2
        // The declination is the clockwise angle from true north to magnetic north. It is subtracted, because the
        // returned angle is counterclockwise.
        default: return offset - .pi / 2 - (state.declination ?? 0)
        }
    }

    /// Splits a reading into gravity (a unit vector that points down) and user acceleration. Their sum is exactly the
    /// reading.
    private static func gravityAndUserAcceleration(of state: FusedState) -> (
        gravity: CMAcceleration, user: CMAcceleration
    ) {
        let reading = acceleration(state.acceleration)
        let r = SIMD3(reading.x, reading.y, reading.z)
        // This sum may be rounded, because a reading below 0.5 may have more fractional digits than the sum can
        // represent. The subtraction below moves the rounding error to gravity, so that the two parts still add up to
        // the reading.
        let u = r + state.up
        return (CMAcceleration(r - u), CMAcceleration(u))
    }

    /// Both enumerations have the same raw values.
    static func accuracy(_ quality: MagneticQuality) -> CMMagneticFieldCalibrationAccuracy {
        CMMagneticFieldCalibrationAccuracy(rawValue: Int32(quality.rawValue)) ?? .uncalibrated
    }
}
