// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion

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
        CMAcceleration((SIMD3(repeating: 0) - value) / standardGravity)
    }

    /// From rad/s, right-handed there as here.
    static func rotationRate(_ value: SIMD3<Double>) -> CMRotationRate { CMRotationRate(value) }

    /// From gauss.
    static func magneticField(_ value: SIMD3<Double>) -> CMMagneticField {
        CMMagneticField(value * microteslaPerGauss)
    }

    /// Seconds since boot.
    static func timestamp(_ time: BootTime) -> TimeInterval { time.seconds }

    // MARK: Device motion

    /// A state of the motion engine, its attitude against that frame; nil when the frame takes north and that is not
    /// known.
    ///
    /// - Parameters:
    ///   - correctedFrom: The north offset at which the corrected frame is that of the state's own attitude.
    ///   - axis: Whose direction the heading is, as the states before have left it.
    static func deviceMotion(
        _ state: FusedState, in frame: CMAttitudeReferenceFrame, correctedFrom start: Double, axis: inout HeadingAxis
    ) -> CMDeviceMotion.Values? {
        guard let turn = turn(of: state, to: frame, correctedFrom: start) else { return nil }
        let attitude = frame == .xArbitraryZVertical ? state.attitude : Quaternion(aboutZ: turn) * state.attitude
        var values = CMDeviceMotion.Values()
        values.attitude = CMQuaternion(x: attitude.x, y: attitude.y, z: attitude.z, w: attitude.w)
        values.rotationRate = rotationRate(state.rotationRate)
        (values.gravity, values.userAcceleration) = parts(of: state)
        if !frame.isDisjoint(with: .magnetic), let field = state.magneticField {
            values.magneticField = CMCalibratedMagneticField(
                field: magneticField(field), accuracy: accuracy(state.magneticQuality))
        }
        if frame == .xMagneticNorthZVertical || frame == .xTrueNorthZVertical && state.declination != nil {
            // In axes x north, y west the heading would be reckoned from the west.
            values.heading = HeadingAxis.degrees(axis.direction(attitude: attitude).heading - 90)
        }
        return values
    }

    /// Radians from the axes of a state's attitude to those of the frame, counterclockwise about the vertical.
    private static func turn(
        of state: FusedState, to frame: CMAttitudeReferenceFrame, correctedFrom start: Double
    ) -> Double? {
        guard frame != .xArbitraryZVertical else { return 0 }
        guard let offset = state.northOffset else { return nil }
        switch frame {
        case .xArbitraryCorrectedZVertical: return offset - start
        // From x east, y north to x north, y west is a quarter turn clockwise.
        case .xMagneticNorthZVertical: return offset - .pi / 2
        // Magnetic north lies east of true north by the declination, so what it says is turned clockwise.
        default: return offset - .pi / 2 - (state.declination ?? 0)
        }
    }

    /// Gravity, which has the length 1 and points down, and what is left of the accelerometer's reading, such that the two
    /// add up to the reading to the last bit.
    private static func parts(of state: FusedState) -> (gravity: CMAcceleration, user: CMAcceleration) {
        let reading = acceleration(state.acceleration)
        let r = SIMD3(reading.x, reading.y, reading.z)
        // The difference may be rounded. Gravity then takes up what was lost, which is half a unit in the last place of the
        // reading at most. (Where the reading is below a half, it has more digits than the sum of larger numbers can have.)
        let u = r + state.up
        return (CMAcceleration(r - u), CMAcceleration(u))
    }

    /// By the same steps.
    static func accuracy(_ quality: MagneticQuality) -> CMMagneticFieldCalibrationAccuracy {
        CMMagneticFieldCalibrationAccuracy(rawValue: Int32(quality.rawValue)) ?? .uncalibrated
    }
}
