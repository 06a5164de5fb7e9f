// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import TestSupport
import Testing

private let half = 0.5.squareRoot()
private let degree = Double.pi / 180

@Suite("Attitude filter: poses and sensors")
struct AttitudePoseTests {
    struct Pose: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let acceleration: SIMD3<Double>
        let field: SIMD3<Double>
        let attitude: Quaternion
    }

    /// Computed by hand for a field of 20 north and 45 down: each device axis reads 20 times its north component minus
    /// 45 times its up component. The axis that points up reads 9.81.
    static let poses = [
        Pose(
            testDescription: "face up, top edge north", acceleration: [0, 0, 9.81], field: [0, 20, -45],
            attitude: .identity),
        // x points north and y west: a counterclockwise quarter turn.
        Pose(
            testDescription: "face up, top edge west", acceleration: [0, 0, 9.81], field: [20, 0, -45],
            attitude: Quaternion(x: 0, y: 0, z: half, w: half)),
        // y points up, z (towards the reader) south and x east: a quarter turn about x.
        Pose(
            testDescription: "upright, seen from the south", acceleration: [0, 9.81, 0], field: [0, -45, -20],
            attitude: Quaternion(x: half, y: 0, z: 0, w: half)),
        // x points up, y north and z west: a quarter turn about y in the negative direction.
        Pose(
            testDescription: "right edge up, top edge north", acceleration: [9.81, 0, 0], field: [-45, 20, 0],
            attitude: Quaternion(x: 0, y: -half, z: 0, w: half)),
        // z points down, y north and x west: half a turn about y.
        Pose(
            testDescription: "face down, top edge north", acceleration: [0, 0, -9.81], field: [0, 20, 45],
            attitude: Quaternion(x: 0, y: 1, z: 0, w: 0)),
    ]

    @Test("The attitude of a device at rest is correct from the first sample", arguments: poses)
    func pose(pose: Pose) {
        // The published filter interprets the first inclination as a sign of a bias.
        for (settings, tolerance) in [(AttitudeSettings(), 1e-5), (.reference, 0.5)] {
            var filter = AttitudeFilter(settings: settings)
            var worst = 0.0
            #expect(!filter.isReady && filter.northOffset == nil && filter.headingUncertainty == nil)
            for index in 0..<200 {
                let time = 5 + Double(index) * 0.01
                filter.updateGyroscope(.zero, timestamp: time)
                filter.updateAccelerometer(pose.acceleration, timestamp: time)
                filter.updateMagnetometer(pose.field, timestamp: time)
                #expect(filter.isReady)
                worst = max(worst, SyntheticMotion.angle(filter.magneticAttitude ?? .identity, pose.attitude))
            }
            #expect(worst < tolerance)
            #expect(filter.isResting)
        }
    }

    @Test("A rotation is tracked immediately, and the default settings compensate for the gyroscope's delay")
    func quarterTurn() {
        var filter = AttitudeFilter(settings: SyntheticMotion.settings)
        var compensated = AttitudeFilter()
        var motion = SyntheticMotion()
        var other = motion
        motion.run(&filter, for: 1)
        other.run(&compensated, for: 1)
        // A quarter turn to the left within one second. The change of the rate is detected half an interval late on
        // average.
        motion.run(&filter, rate: [0, 0, 90 * degree], for: 1)
        other.run(&compensated, rate: [0, 0, 90 * degree], for: 1)
        let quarter = Quaternion(x: 0, y: 0, z: half, w: half)
        #expect(abs(SyntheticMotion.angle(filter.attitude, quarter) - 0.45) < 0.01)
        // At 90 degrees per second, 5 ms correspond to 0.45 degrees.
        #expect(SyntheticMotion.angle(compensated.attitude, quarter) < 0.01)
        #expect(length(filter.rotationRate - [0, 0, 90 * degree]) < 0.01 * degree)
    }

    @Test("Coning of 3 degrees at 2 Hz, sampled at 40 Hz, causes no drift")
    func coning() {
        // The axis of a tilt of 3 degrees rotates twice per second. A sensor measures the integral of the rate over
        // each interval, which is computed here from the exact rotations.
        var filter = AttitudeFilter(settings: SyntheticMotion.settings)
        let pose = { (time: Double) in
            let tilt = 3 * degree
            let phase = 4 * Double.pi * time
            return Quaternion(x: sin(tilt / 2) * cos(phase), y: sin(tilt / 2) * sin(phase), z: 0, w: cos(tilt / 2))
        }
        var before = pose(0)
        for index in 1...4000 {
            let time = Double(index) / 40
            var rate = SIMD3<Double>.zero
            // The mean rate over the interval centred at `time`, computed from its parts.
            for part in 0..<10 {
                let now = pose(time - 0.0125 + Double(part + 1) * 0.0025)
                let step = (before.conjugate * now).vector
                rate += 2 * step * (before.conjugate * now).w.sign(1) / 0.025
                before = now
            }
            filter.updateGyroscope(rate, timestamp: time)
            filter.updateAccelerometer(pose(time).conjugate.rotate(SyntheticMotion.reaction), timestamp: time)
        }
        // Without the cross product, the drift is half the solid angle of the cone: 180 degrees · 2 Hz · (1 - cos 3°) ·
        // 100 s.
        #expect(SyntheticMotion.angle(filter.attitude, pose(100)) < 1.5)
    }

    @Test("At rest, the attitude is constant and even a large bias is estimated", arguments: [0.5, 8])
    func rest(bias: Double) {
        var filter = AttitudeFilter()
        var motion = SyntheticMotion()
        motion.bias = SIMD3(bias, -bias, bias) * degree
        motion.noise = 0.1 * degree
        motion.run(&filter, for: 8)
        #expect(filter.isResting)
        let start = filter.attitude
        var worst = 0.0
        motion.run(&filter, for: 30) { filter, _ in
            worst = max(worst, SyntheticMotion.angle(filter.attitude, start))
        }
        #expect(worst < 0.5)
        #expect(length(filter.bias - motion.bias) < 0.02 * degree)
        #expect(filter.biasSigma < 0.05 * degree)
    }

    @Test("A slow rotation after rest is not interpreted as a bias")
    func slowTurn() {
        var filter = AttitudeFilter(settings: SyntheticMotion.settings)
        var motion = SyntheticMotion()
        motion.noise = 0.05 * degree
        motion.run(&filter, for: 10)
        motion.run(&filter, rate: [0, 0, 6 * degree], for: 15)
        #expect(length(filter.bias) < 0.3 * degree)
        #expect(SyntheticMotion.angle(filter.magneticAttitude, motion.attitude) < 2)
        // The same without a magnetometer.
        filter = AttitudeFilter(settings: SyntheticMotion.settings)
        motion.attitude = .identity
        motion.run(&filter, for: 10, magnetometer: 0)
        let start = filter.attitude
        motion.run(&filter, rate: [0, 0, 6 * degree], for: 15, magnetometer: 0)
        #expect(abs(SyntheticMotion.angle(filter.attitude, start) - 90) < 3)
    }

    @Test("Sensors with different sample rates are fused correctly")
    func rates() {
        var filter = AttitudeFilter(settings: SyntheticMotion.settings)
        var motion = SyntheticMotion()
        motion.noise = 0.05 * degree
        motion.run(&filter, for: 3, interval: 0.0025, accelerometer: 4, magnetometer: 20)
        var worst = 0.0
        for rate in [SIMD3<Double>(2, 0, 0), [0, -3, 1], [1, 1, -4], [-2, 2, 2]] {
            motion.run(&filter, rate: rate, for: 3, interval: 0.0025, accelerometer: 4, magnetometer: 20) {
                worst = max(worst, SyntheticMotion.angle($0.magneticAttitude, $1))
            }
        }
        #expect(worst < 2)
    }

    @Test("With only an accelerometer, the inclination follows within a second and north is unknown")
    func accelerometerOnly() {
        var filter = AttitudeFilter()
        var motion = SyntheticMotion()
        motion.run(&filter, for: 2, gyroscope: 0, magnetometer: 0)
        #expect(filter.isReady)
        #expect(SyntheticMotion.tilt(filter.attitude, motion.attitude) < 0.01)
        motion.attitude = Quaternion(x: half, y: 0, z: 0, w: half)
        motion.run(&filter, for: 2, gyroscope: 0, magnetometer: 0)
        #expect(SyntheticMotion.tilt(filter.attitude, motion.attitude) < 0.1)
        #expect(filter.northOffset == nil && filter.headingUncertainty == nil)
        #expect(filter.rotationRate == .zero && filter.bias == .zero)
    }

    @Test("With accelerometer and magnetometer, the heading follows within seconds")
    func compass() {
        var filter = AttitudeFilter()
        var motion = SyntheticMotion()
        motion.run(&filter, for: 2, gyroscope: 0)
        motion.run(&filter, rate: [0, 0, 90 * degree], for: 1, gyroscope: 0)
        motion.run(&filter, for: 2, gyroscope: 0)
        #expect(SyntheticMotion.angle(filter.magneticAttitude, motion.attitude) < 0.5)
        #expect(filter.headingUncertainty ?? 0 > 0)
    }

    @Test("A gyroscope may become available later and disappear again")
    func gyroscopeComesAndGoes() {
        var filter = AttitudeFilter(settings: SyntheticMotion.settings)
        var motion = SyntheticMotion()
        motion.run(&filter, for: 2, gyroscope: 0)
        motion.run(&filter, rate: [0, 0, 1], for: 5)
        #expect(SyntheticMotion.angle(filter.magneticAttitude, motion.attitude) < 2)
        motion.run(&filter, rate: [0, 0, 1], for: 2, gyroscope: 0)
        motion.run(&filter, for: 3, gyroscope: 0)
        #expect(SyntheticMotion.angle(filter.magneticAttitude, motion.attitude) < 1)
    }
}

extension Double {
    /// Returns `value` with the sign of this number.
    fileprivate func sign(_ value: Double) -> Double { self < 0 ? -value : value }
}
