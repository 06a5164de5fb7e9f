// SPDX-License-Identifier: Apache-2.0

import SensorFusion
import TestSupport
import Testing

/// Online calibration of the recordings' magnetometer with its factory calibration, and with a distortion that makes it
/// unusable as a compass.
///
/// Headings are evaluated over the moving samples of the second half. The attitude is that of the filter, and all
/// samples are processed once, in order.
@Suite("Online calibration in recordings with an optical reference")
struct CalibrationExperimentTests {
    static let slow = "broad_03_undisturbed_slow_rotation_C"
    static let breaks = "broad_08_undisturbed_fast_rotation_with_breaks_A"
    static let translation = "broad_15_undisturbed_fast_translation_A"
    static let magnet = "broad_30_disturbed_stationary_magnet_C"

    @Test(
        "After half a trial of rotations, a distorted compass is accurate within two degrees",
        arguments: [slow, breaks, magnet])
    func distorted(_ name: String) {
        let trial = AttitudeTrial(name)
        let online = CalibrationChain(trial, distorted: true)
        #expect(trial.headingError(online.attitudes) < 2)
        if online.corrections > 0, online.lastCorrection > trial.rates.count / 2 {
            let frozen = CalibrationChain(trial, distorted: true, frozenFrom: trial.rates.count / 2)
            #expect(trial.headingError(frozen.attitudes) < 2.5)
        }
        #expect(online.calibrator.calibration.quality >= .medium)
        #expect(length(online.calibrator.calibration.hardIron - Distortion.hard) < 2.5)
        // All trials used the same type of sensor, so the latency is the same.
        #expect(abs(online.calibrator.latency - 0.0155) < 0.0025)
        // Each correction resets the heading, so the number of corrections has to be small.
        #expect(online.corrections <= 6)
    }

    @Test(
        "Hard iron of ten times the field, as in boards and phones, does not affect the heading",
        arguments: [slow, breaks, magnet])
    func raw(_ name: String) {
        let trial = AttitudeTrial(name)
        let online = CalibrationChain(trial, distorted: true, iron: 10)
        #expect(trial.headingError(online.attitudes) < 3)
        #expect(online.calibrator.quality >= .medium)
        #expect(length(online.calibrator.calibration.hardIron - 10 * Distortion.hard) < 3)
    }

    @Test("After translation in one attitude, a distorted compass is reported as inaccurate")
    func translated() {
        // The device yaws by at most 40 degrees and hardly tilts. The inhomogeneous field of the room resembles hard
        // iron.
        let trial = AttitudeTrial(Self.translation)
        let online = CalibrationChain(trial, distorted: true)
        #expect(trial.headingError(online.attitudes) < 10)
        #expect(online.calibrator.calibration.quality == .low)
        #expect(online.calibrator.calibration.coverage < 0.25)
        #expect(online.calibrator.candidateUncertainty > 0.05)
    }

    @Test("The accuracy of a factory-calibrated sensor is not reduced", arguments: [slow, breaks, translation, magnet])
    func factory(_ name: String) {
        let trial = AttitudeTrial(name)
        let with = CalibrationChain(trial, distorted: false)
        // Without corrections, the headings equal those without a calibrator.
        if with.corrections > 0 {
            let without = CalibrationChain(trial, distorted: false, isCalibrating: false)
            #expect(trial.headingError(with.attitudes) <= trial.headingError(without.attitudes) + 0.02)
        }
        #expect(with.calibrator.calibration.quality >= (name == Self.translation ? .low : .medium))
        #expect(length(with.calibrator.calibration.hardIron) < 2.5)
    }

    @Test("A stored calibration is applied immediately and does not change")
    func stored() {
        let trial = AttitudeTrial(Self.slow)
        let first = CalibrationChain(trial, distorted: true).calibrator.calibration
        let again = CalibrationChain(trial, distorted: true, start: first)
        #expect(trial.headingError(again.attitudes, from: 0) < 1.6)
        #expect(again.corrections == 0)
        #expect(again.calibrator.calibration.quality == .high)
    }
}
