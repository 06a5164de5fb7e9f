// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// Decides when a client is told that the device has to be moved to calibrate its magnetometer.
///
/// A magnetometer that the system or its maker has calibrated is uncalibrated here until the first fit, which takes some
/// seconds of movement. The client is told only when that fit does not come, or when the readings cannot be the Earth's
/// field alone.
struct MagneticCalibrationMonitor {
    /// The time without a calibration after which the client is told, in seconds.
    private static let timeout = 20.0
    /// The time without north after which the client is told, in seconds: without readings of the magnetometer there is none.
    private static let northTimeout = 1.0
    /// The strength of the Earth's field, 0.22 to 0.67 gauss (World Magnetic Model), with what buildings add.
    private static let plausibleStrength = 0.15...0.8

    private enum State {
        case waiting
        /// Since the first state, or since the last that was calibrated.
        case uncalibrated(since: BootTime)
        /// The client was told.
        case told
    }

    private var state = State.waiting

    /// Returns true once, when the client is to be told.
    mutating func requiresMovement(_ fused: FusedState) -> Bool {
        if case .told = state { return false }
        guard fused.northOffset == nil || fused.magneticQuality == .uncalibrated else {
            state = .waiting
            return false
        }
        guard case .uncalibrated(let start) = state else {
            state = .uncalibrated(since: fused.time)
            return isImplausible(fused) && tell()
        }
        let timeout = fused.northOffset == nil ? Self.northTimeout : Self.timeout
        return (isImplausible(fused) || fused.time.seconds(since: start) > timeout) && tell()
    }

    private mutating func tell() -> Bool {
        state = .told
        return true
    }

    private func isImplausible(_ fused: FusedState) -> Bool {
        guard let field = fused.magneticField, fused.northOffset != nil else { return false }
        return !Self.plausibleStrength.contains((field * field).sum().squareRoot())
    }
}
