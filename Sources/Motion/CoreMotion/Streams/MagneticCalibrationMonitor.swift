// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion

/// A monitor that determines when to report that the device has to be moved to calibrate its magnetometer.
///
/// Even a magnetometer that was calibrated by its manufacturer or by the system counts as uncalibrated until the first
/// fit, which takes some seconds of movement. The error is reported only if no fit succeeds in time, or if the readings
/// are not plausible for the Earth's field.
struct MagneticCalibrationMonitor {
    /// The time without a calibration after which the error is reported, in seconds.
    private static let timeout = 20.0
    /// The time without north after which the error is reported, in seconds. North is unknown if the magnetometer
    /// delivers no readings.
    private static let northTimeout = 1.0
    /// The plausible field strengths, in gauss: those of the Earth's field, 0.22 to 0.67 (World Magnetic Model),
    /// widened for the influence of buildings.
    private static let plausibleStrength = 0.15...0.8

    private enum State {
        case waiting
        /// The magnetometer has been uncalibrated, or north unknown, since this time.
        case uncalibrated(since: BootTime)
        /// The error has been reported.
        case reported
    }

    private var state = State.waiting

    /// Returns true once, when the error is to be reported.
    mutating func shouldReport(_ fused: FusedState) -> Bool {
        if case .reported = state { return false }
        guard fused.northOffset == nil || fused.magneticQuality == .uncalibrated else {
            state = .waiting
            return false
        }
        guard case .uncalibrated(let start) = state else {
            state = .uncalibrated(since: fused.time)
            return isImplausible(fused) && report()
        }
        let timeout = fused.northOffset == nil ? Self.northTimeout : Self.timeout
        return (isImplausible(fused) || fused.time.seconds(since: start) > timeout) && report()
    }

    private mutating func report() -> Bool {
        state = .reported
        return true
    }

    private func isImplausible(_ fused: FusedState) -> Bool {
        guard let field = fused.magneticField, fused.northOffset != nil else { return false }
        return !Self.plausibleStrength.contains((field * field).sum().squareRoot())
    }
}
