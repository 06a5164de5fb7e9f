// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

private let degree = Double.pi / 180

@Suite("Attitude filter: timestamps, disturbances and invalid input")
struct AttitudeInputTests {
    @Test(
        "After a gap or a clock step, the attitude is initialized again and the bias is kept",
        arguments: [20.0, -20])
    func gap(seconds: Double) {
        var filter = AttitudeFilter()
        var motion = SyntheticMotion()
        motion.time = 100
        motion.bias = [degree, 0, 0]
        motion.run(&filter, for: 10)
        motion.time += seconds
        motion.attitude = Quaternion(x: 0.6, y: 0, z: 0, w: 0.8)
        motion.run(&filter, for: 0.05)
        #expect(SyntheticMotion.tilt(filter.attitude, motion.attitude) < 0.5)
        #expect(SyntheticMotion.angle(filter.magneticAttitude, motion.attitude) < 0.5)
        #expect(length(filter.bias - motion.bias) < 0.05 * degree)
    }

    @Test("The expected field is kept after a gap, and reset after a recalibration that does not specify it")
    func retainedField() throws {
        let trial = AttitudeTrial.all[1]
        var filter = AttitudeFilter()
        func feed(_ rows: Range<Int>, later seconds: Double, times factor: Double) {
            for row in rows {
                let time = trial.time(row) + seconds
                filter.updateGyroscope(trial.rates[row], timestamp: time)
                filter.updateAccelerometer(trial.accelerations[row], timestamp: time)
                filter.updateMagnetometer(factor * trial.fields[row], timestamp: time)
            }
        }
        // The board begins to rotate at about row 4,000, and the first field requires five seconds of rotation.
        try #require(trial.truth.contains { $0.row < 5000 })
        feed(0..<6000, later: 0, times: 1)
        #expect(filter.isFieldExpected && !filter.isMagneticallyDisturbed)
        feed(6000..<6200, later: 60, times: 1)
        #expect(filter.isFieldExpected && !filter.isMagneticallyDisturbed)
        // Half the strength is a disturbance of the expected field, but not of an unknown field after a recalibration.
        var disturbed = filter
        swap(&filter, &disturbed)
        feed(6200..<6250, later: 60, times: 0.5)
        #expect(filter.isMagneticallyDisturbed)
        swap(&filter, &disturbed)
        filter.restartMagnetometer()
        feed(6200..<6250, later: 60, times: 0.5)
        #expect(!filter.isFieldExpected)
        filter.restartMagnetometer(strength: 24, dip: 1.15)
        #expect(filter.isFieldExpected)
    }

    @Test("Late and repeated samples are ignored")
    func late() {
        let trial = AttitudeTrial.all[1]
        var clean = AttitudeFilter()
        var filter = AttitudeFilter()
        for row in 4000..<5000 {
            let time = trial.time(row)
            for late in [0, -0.0105, -0.3] {
                filter.updateGyroscope(late == 0 ? trial.rates[row] : [3, 3, 3], timestamp: time + late)
                filter.updateAccelerometer(late == 0 ? trial.accelerations[row] : [9, 9, 9], timestamp: time + late)
                filter.updateMagnetometer(late == 0 ? trial.fields[row] : [9, 9, 9], timestamp: time + late)
                filter.updateGyroscope([1, 2, 3], timestamp: time)
            }
            clean.updateGyroscope(trial.rates[row], timestamp: time)
            clean.updateAccelerometer(trial.accelerations[row], timestamp: time)
            clean.updateMagnetometer(trial.fields[row], timestamp: time)
        }
        #expect(SyntheticMotion.angle(filter.magneticAttitude, clean.magneticAttitude ?? .identity) < 1)
    }

    @Test("With a known interval, jitter of the timestamps has no effect")
    func knownInterval() {
        let trial = AttitudeTrial.all[0]
        var exact = AttitudeFilter(interval: AttitudeTrial.interval)
        var filter = exact
        var random = SeededGenerator(seed: 5)
        for row in 0..<3000 where row % 50 != 7 {
            let time = trial.time(row)
            let jittered = time + .random(in: -0.1...0.1, using: &random) * AttitudeTrial.interval
            exact.updateGyroscope(trial.rates[row], timestamp: time)
            exact.updateAccelerometer(trial.accelerations[row], timestamp: time)
            filter.updateGyroscope(trial.rates[row], timestamp: jittered)
            filter.updateAccelerometer(trial.accelerations[row], timestamp: jittered)
        }
        #expect(filter.attitude == exact.attitude)
    }

    @Test("For any input, quaternions stay finite and normalized, and the bias stays within its limit")
    func absurd() {
        var random = SeededGenerator(seed: 77)
        let numbers: [Double] = [
            .nan, .infinity, -.infinity, 1e308, -1e308, .leastNonzeroMagnitude, 0, -0.0, 1e-200, 999, 1e4, 9e8, 1, -1,
            0.1, 9.81, -9.81,
        ]
        let steps: [Double] = [
            0, -0.001, 0.01, 0.01, 0.01, 1e-12, .leastNonzeroMagnitude, 0.9, 1.1, 100, -100, 1e9, .nan, .infinity,
        ]
        for settings in [AttitudeSettings(), .reference] {
            var filter = AttitudeFilter(settings: settings)
            var time = 0.0
            let vector = { (random: inout SeededGenerator) in
                SIMD3(
                    (0..<3).map { _ in
                        Bool.random(using: &random)
                            ? .random(in: -10...10, using: &random) : numbers.randomElement(using: &random) ?? 0
                    })
            }
            for index in 0..<5000 {
                let step = steps.randomElement(using: &random) ?? 0
                let stamp = time + step
                if step.isFinite { time = stamp }
                if index % 1500 == 1499 { time = 0 }
                filter.updateGyroscope(vector(&random), timestamp: stamp)
                filter.updateAccelerometer(vector(&random), timestamp: stamp)
                filter.updateMagnetometer(vector(&random), timestamp: stamp)
                filter.setInitialBias(vector(&random), sigma: numbers.randomElement(using: &random) ?? 0)
                if index % 100 == 0 {
                    filter.setExpectedField(strength: vector(&random).x, dip: vector(&random).y)
                }
                let q = filter.attitude.components
                #expect(abs((q * q).sum() - 1) < 1e-9)
                if let magnetic = filter.magneticAttitude?.components {
                    #expect(abs((magnetic * magnetic).sum() - 1) < 1e-9)
                }
                if let offset = filter.northOffset { #expect(abs(offset) <= .pi) }
                if let bound = filter.headingUncertainty { #expect(bound > 0 && bound <= .pi) }
                #expect((filter.bias * filter.bias).max() <= settings.biasLimit * settings.biasLimit)
                #expect(filter.biasSigma.isFinite && filter.biasSigma >= 0)
                if filter.headingUncertainty?.isNaN == true || q.x.isNaN { return }
            }
            filter.reset()
            #expect(!filter.isReady && filter.attitude == .identity)
            // The filter still works after a reset.
            var motion = SyntheticMotion()
            motion.attitude = Quaternion(x: 0.6, y: 0, z: 0, w: 0.8)
            motion.run(&filter, for: 1)
            #expect(SyntheticMotion.angle(filter.magneticAttitude, motion.attitude) < 0.1)
        }
    }

    @Test("After implausible samples, the filter recovers without a reset")
    func recovery() {
        var filter = AttitudeFilter()
        var motion = SyntheticMotion()
        motion.run(&filter, for: 5)
        for index in 0..<50 {
            let time = motion.time + Double(index) * 0.01
            filter.updateGyroscope([900, -900, 900], timestamp: time)
            filter.updateAccelerometer([9e4, -9e4, 9e4], timestamp: time)
            filter.updateMagnetometer([9e8, 1, 1], timestamp: time)
        }
        motion.time += 0.5
        motion.run(&filter, for: 40)
        #expect(SyntheticMotion.tilt(filter.attitude, motion.attitude) < 0.5)
    }

    @Test("A disturbed field does not affect the heading, and the heading uncertainty grows with time")
    func disturbance() throws {
        var filter = AttitudeFilter()
        filter.setExpectedField(strength: length(SyntheticMotion.field), dip: atan2(45, 21.8))
        var motion = SyntheticMotion()
        motion.noise = 0.05 * degree
        motion.run(&filter, for: 10)
        #expect(!filter.isMagneticallyDisturbed && filter.isFieldExpected)
        let before = try #require(filter.headingUncertainty)
        #expect(before > 0 && before < 12 * degree)
        // A stronger field with another north direction.
        motion.fieldFactor = 1.5
        let truth = motion.attitude
        motion.attitude = Quaternion(x: 0, y: 0, z: 0.6, w: 0.8)
        motion.run(&filter, for: 20)
        #expect(filter.isMagneticallyDisturbed)
        #expect(SyntheticMotion.angle(filter.magneticAttitude, truth) < 5)
        let middle = try #require(filter.headingUncertainty)
        motion.run(&filter, for: 30)
        let after = try #require(filter.headingUncertainty)
        #expect(middle > before && after > middle)
    }

    @Test("The heading uncertainty grows while the magnetometer is silent")
    func silence() throws {
        var filter = AttitudeFilter()
        var motion = SyntheticMotion()
        motion.noise = 0.05 * degree
        motion.run(&filter, for: 10)
        let before = try #require(filter.headingUncertainty)
        motion.run(&filter, for: 60, magnetometer: 0)
        #expect(try #require(filter.headingUncertainty) > before)
    }
}
