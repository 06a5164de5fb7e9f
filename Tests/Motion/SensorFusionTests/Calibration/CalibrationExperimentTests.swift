// SPDX-License-Identifier: Apache-2.0

import SensorFusion
import TestSupport
import Testing

/// The recordings' magnetometer as it came from its factory, and with a distortion that leaves no compass at all.
///
/// Headings are scored over the moving samples of the second half. The attitude is the filter's own, and everything
/// runs once, sample by sample.
@Suite("Online calibration in recordings with optical truth")
struct CalibrationExperimentTests {
    static let slow = "broad_03_undisturbed_slow_rotation_C"
    static let breaks = "broad_08_undisturbed_fast_rotation_with_breaks_A"
    static let translation = "broad_15_undisturbed_fast_translation_A"
    static let magnet = "broad_30_disturbed_stationary_magnet_C"

    @Test(
        "A distorted compass is right within two degrees after half a trial of turning",
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
        // A sensor of the same make in all trials: its lag is the same.
        #expect(abs(online.calibrator.latency - 0.0155) < 0.0025)
        // Each correction begins the heading anew: they have to be few.
        #expect(online.corrections <= 6)
    }

    @Test(
        "Hard iron of ten times the field, as boards and phones have it, costs no heading",
        arguments: [slow, breaks, magnet])
    func raw(_ name: String) {
        let trial = AttitudeTrial(name)
        let online = CalibrationChain(trial, distorted: true, iron: 10)
        #expect(trial.headingError(online.attitudes) < 3)
        #expect(online.calibrator.quality >= .medium)
        #expect(length(online.calibrator.calibration.hardIron - 10 * Distortion.hard) < 3)
    }

    @Test("Moved about in one attitude, a distorted compass is told to be a poor one")
    func translated() {
        // The device yaws by 40 degrees at most and hardly tilts, and the uneven field of the room looks like hard iron.
        let trial = AttitudeTrial(Self.translation)
        let online = CalibrationChain(trial, distorted: true)
        #expect(trial.headingError(online.attitudes) < 10)
        #expect(online.calibrator.calibration.quality == .low)
        #expect(online.calibrator.calibration.coverage < 0.25)
        #expect(online.calibrator.candidateUncertainty > 0.05)
    }

    @Test("A sensor calibrated in its factory gets no worse", arguments: [slow, breaks, translation, magnet])
    func factory(_ name: String) {
        let trial = AttitudeTrial(name)
        let with = CalibrationChain(trial, distorted: false)
        // Without a correction the headings are the same as without calibrator.
        if with.corrections > 0 {
            let without = CalibrationChain(trial, distorted: false, isCalibrating: false)
            #expect(trial.headingError(with.attitudes) <= trial.headingError(without.attitudes) + 0.02)
        }
        #expect(with.calibrator.calibration.quality >= (name == Self.translation ? .low : .medium))
        #expect(length(with.calibrator.calibration.hardIron) < 2.5)
    }

    @Test("A stored calibration works at once and stays")
    func stored() {
        let trial = AttitudeTrial(Self.slow)
        let first = CalibrationChain(trial, distorted: true).calibrator.calibration
        let again = CalibrationChain(trial, distorted: true, start: first)
        #expect(trial.headingError(again.attitudes, from: 0) < 1.6)
        #expect(again.corrections == 0)
        #expect(again.calibrator.calibration.quality == .high)
    }
}
