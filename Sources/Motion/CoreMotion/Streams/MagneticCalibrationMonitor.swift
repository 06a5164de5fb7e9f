// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// Decides when to report that the device has to be moved to calibrate its magnetometer.
///
/// Even a magnetometer that the system or its maker has calibrated is uncalibrated here until the first fit, which
/// takes some seconds of movement. The error is reported only if there is no such fit in time, or if the readings are
/// not plausible for the Earth's field.
struct MagneticCalibrationMonitor {
    /// The time without a calibration after which the error is reported, in seconds.
    private static let timeout = 20.0
    /// The time without north after which the error is reported, in seconds. No magnetometer readings means no north.
    private static let northTimeout = 1.0
    /// The plausible field strength in gauss: the Earth's 0.22 to 0.67 (World Magnetic Model), altered by buildings.
    private static let plausibleStrength = 0.15...0.8

    private enum State {
        case waiting
        /// Uncalibrated, or without north, since that time.
        case uncalibrated(since: BootTime)
        /// The error was reported.
        case told
    }

    private var state = State.waiting

    /// Returns true once, when the error has to be reported.
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
