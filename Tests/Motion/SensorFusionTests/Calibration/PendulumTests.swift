// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

/// A sensor on a rod that swings about one horizontal axis. This motion does not reveal the iron along that axis.
@Suite("Online calibration on a pendulum")
struct PendulumTests {
    /// The heading errors in degrees, and the accuracy that the calibrator reports.
    private struct Outcome {
        var error = 0.0
        var uncorrectedError = 0.0
        /// The reported standard deviation of the heading at the end; nil while uncalibrated.
        var received: Double?
    }

    /// Simulates 60 s at 100 Hz.
    ///
    /// - Parameter twist: The amplitude of a slow rotation about the rod, in radians.
    private func swing(seed: UInt64, twist: Double) -> Outcome {
        var random = SeededGenerator(seed: seed)
        func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let (rest, amplitude) = (uniform(2...8), uniform(20...60) * .pi / 180)
        let length = uniform(0.6...1.2)
        let frequency = (9.81 / length).squareRoot()
        let azimuth = Quaternion(aboutZ: uniform(0...2 * .pi))
        let mounting = Quaternion(
            x: uniform(-1...1), y: uniform(-1...1), z: uniform(-1...1), w: uniform(-1...1)
        ).normalized
        let (twistFrequency, dip) = (2 * .pi / uniform(15...60), uniform(60...70) * .pi / 180)
        let field = 48 * SIMD3(0, cos(dip), -sin(dip))
        let direction = random.normal(1)
        let iron = direction / TestSupport.length(direction) * uniform(0...60)
        let bias = random.normal(0.7 * .pi / 180)
        let scale = SIMD3<Double>(repeating: 1) + random.normal(0.01)

        var (corrected, plain) = (AttitudeFilter(), AttitudeFilter())
        var calibrator = MagnetometerCalibrator()
        var calibration = calibrator.calibration
        var outcome = Outcome()
        var (squares, plainSquares, count) = (0.0, 0.0, 0.0)
        for row in 0..<6000 {
            let time = Double(row) / 100
            let ramp = min(max((time - rest) / 2, 0), 1)
            let phase = frequency * (time - rest)
            let angle = ramp * amplitude * sin(phase)
            let slope = ramp > 0 && ramp < 1 ? amplitude / 2 : 0
            let rate = ramp * amplitude * frequency * cos(phase) + slope * sin(phase)
            let acceleration = -frequency * frequency * angle + 2 * slope * frequency * cos(phase)
            let turn = ramp * twist * sin(twistFrequency * time)
            let turnRate = ramp * twist * twistFrequency * cos(twistFrequency * time)
            let swung = azimuth * Quaternion(x: sin(angle / 2), y: 0, z: 0, w: cos(angle / 2))
            let own = Quaternion(aboutZ: turn) * mounting
            let attitude = (swung * own).normalized
            // In the axes of the rod: x along the axis, z up the rod.
            let force = SIMD3(
                0, length * acceleration + 9.81 * sin(angle), length * rate * rate + 9.81 * cos(angle))
            let toDevice = own.conjugate
            let rates = toDevice.rotate([rate, 0, 0]) + mounting.conjugate.rotate([0, 0, turnRate])
            let gyroscope = scale * rates + bias + random.normal(0.1 * .pi / 180)
            let accelerometer = toDevice.rotate(force) + random.normal(0.03)
            let magnetometer = attitude.conjugate.rotate(field) + iron + random.normal(0.4)

            for index in 0..<2 {
                var filter = index == 0 ? corrected : plain
                filter.updateGyroscope(gyroscope, timestamp: time)
                filter.updateAccelerometer(accelerometer, timestamp: time)
                if index == 0 {
                    if calibrator.update(
                        magnetometer, attitude: filter.attitude, bias: filter.bias, timestamp: time)
                    {
                        if !(calibrator.calibration.difference(from: calibration) <= 0.02) {
                            filter.restartMagnetometer(
                                strength: calibrator.calibration.fieldStrength, dip: calibrator.calibration.dip)
                        }
                        calibration = calibrator.calibration
                    }
                    filter.updateMagnetometer(calibration.apply(to: magnetometer), timestamp: time)
                } else {
                    filter.updateMagnetometer(magnetometer, timestamp: time)
                }
                let error = headingError(of: filter, attitude)
                if time > 15 {
                    if index == 0 { squares += error * error } else { plainSquares += error * error }
                }
                if index == 0 { corrected = filter } else { plain = filter }
            }
            if time > 15 { count += 1 }
        }
        outcome.error = (squares / count).squareRoot()
        outcome.uncorrectedError = (plainSquares / count).squareRoot()
        if calibrator.quality > .uncalibrated { outcome.received = calibrator.headingDeviation * 180 / .pi }
        return outcome
    }

    private func headingError(of filter: AttitudeFilter, _ truth: Quaternion) -> Double {
        let error = Quaternion(aboutZ: filter.northOffset ?? 0) * filter.attitude * truth.conjugate
        return 2 * atan2(abs(error.z), abs(error.w)) * 180 / .pi
    }

    @Test("A correction never worsens the heading by more than its reported accuracy", arguments: 0..<12)
    func oneAxis(group: Int) {
        for seed in UInt64(4 * group)..<UInt64(4 * group + 4) {
            let outcome = swing(seed: seed + 1, twist: 0)
            #expect(outcome.error < outcome.uncorrectedError + max(5, 2 * (outcome.received ?? 0)), "seed \(seed + 1)")
        }
    }

    @Test("With a slow twist, calibration corrects the heading of a sensor with hard iron", arguments: 0..<4)
    func twisted(group: Int) {
        var (errors, uncorrected) = (0.0, 0.0)
        for seed in UInt64(4 * group)..<UInt64(4 * group + 4) {
            let outcome = swing(seed: seed + 1, twist: .pi / 4)
            #expect(outcome.error < outcome.uncorrectedError + max(5, 2 * (outcome.received ?? 0)), "seed \(seed + 1)")
            errors += outcome.error
            uncorrected += outcome.uncorrectedError
        }
        #expect(errors < 0.7 * uncorrected)
    }
}
