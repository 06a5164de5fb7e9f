// SPDX-License-Identifier: Apache-2.0

import SensorFusion

/// The distortion of the experiment: measured = soft · field + hard.
enum Distortion {
    static let hard = SIMD3<Double>(25, -40, 15)
    static let soft: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) = (
        [1.12, 0.05, -0.05], [0.05, 0.88, 0.05], [-0.05, 0.05, 1.0]
    )

    static func apply(_ field: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3((soft.0 * field).sum(), (soft.1 * field).sum(), (soft.2 * field).sum()) + hard
    }
}

/// An attitude filter with a magnetometer calibrator, connected as in the motion engine.
struct CalibrationChain {
    var attitudes: [Quaternion] = []
    var calibrator: MagnetometerCalibrator
    var corrections = 0
    /// The row of the last change of the correction.
    var lastCorrection = 0

    /// - Parameters:
    ///   - iron: The factor by which hard iron is multiplied.
    ///   - frozenFrom: The row from which the calibration is no longer updated.
    init(
        _ trial: AttitudeTrial, distorted: Bool, iron: Double = 1, start: MagneticCalibration? = nil,
        frozenFrom: Int = .max, isCalibrating: Bool = true
    ) {
        calibrator = MagnetometerCalibrator(start: start)
        var filter = AttitudeFilter()
        attitudes.reserveCapacity(trial.rates.count)
        var calibration = calibrator.calibration
        for row in trial.rates.indices {
            let time = trial.time(row)
            filter.updateGyroscope(trial.rates[row], timestamp: time)
            filter.updateAccelerometer(trial.accelerations[row], timestamp: time)
            let field =
                distorted
                ? Distortion.apply(trial.fields[row]) + (iron - 1) * Distortion.hard : trial.fields[row]
            if isCalibrating, row < frozenFrom,
                calibrator.update(field, attitude: filter.attitude, bias: filter.bias, timestamp: time)
            {
                if !calibrator.calibration.hasSameCorrection(as: calibration) {
                    corrections += 1
                    lastCorrection = row
                    // The filter treats smaller changes like changes of the field.
                    if !(calibrator.calibration.difference(from: calibration) <= 0.02) {
                        filter.restartMagnetometer(
                            strength: calibrator.calibration.fieldStrength, dip: calibrator.calibration.dip)
                    }
                }
                calibration = calibrator.calibration
            }
            filter.updateMagnetometer(calibration.apply(to: field), timestamp: time)
            attitudes.append(Quaternion(aboutZ: filter.northOffset ?? 0) * filter.attitude)
        }
    }
}
