// SPDX-License-Identifier: Apache-2.0

import Foundation
import SensorFusion
import SensorTools
import TestSupport
import Testing

@Suite("Calibration in resting poses")
struct PoseCalibrationTests {
    static let gravity = 9.80665

    @Test("The offset, the scale and the cross-axis terms of an accelerometer are estimated")
    func accelerometer() throws {
        // measured = M · true + offset
        let rows: [SIMD3<Double>] = [[1.03, 0.01, -0.005], [0.002, 0.98, 0.008], [-0.004, 0.003, 1.01]]
        let offset = SIMD3<Double>(0.3, -0.2, 0.5)
        func measure(_ a: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3((rows[0] * a).sum(), (rows[1] * a).sum(), (rows[2] * a).sum()) + offset
        }
        var calibrator = AccelerometerCalibrator()
        var generator = SeededGenerator(seed: 1)
        var time = 0.0
        #expect(calibrator.state == .moving)
        #expect(calibrator.missingPoses.count == 6)
        for (index, pose) in DevicePose.allCases.enumerated() {
            #expect(calibrator.calibration == nil)
            var completed: DevicePose?
            for _ in 0..<200 {
                time += 0.01
                let reading = measure(pose.up * Self.gravity) + generator.normal(0.02)
                if let done = calibrator.update(reading, timestamp: time) { completed = done }
            }
            #expect(completed == pose)
            #expect(calibrator.missingPoses.count == 5 - index)
            if index < 5 { #expect(calibrator.state == .poseDone(pose)) }
            // The device is moved by hand to the next pose.
            for step in 0..<50 {
                time += 0.01
                calibrator.update(measure(generator.direction() * (8 + Double(step % 5))), timestamp: time)
            }
        }
        #expect(calibrator.state == .complete)
        let found = try #require(calibrator.calibration)
        #expect(length(found.offset - offset) < 0.01)
        for _ in 0..<50 {
            let a = generator.direction() * Self.gravity
            #expect(length(found.apply(to: measure(a)) - a) < 0.02)
        }
        #expect(found.residual < 0.01)
        #expect(found.tilt < 0.003)
    }

    @Test("A sloping table affects neither the offset nor the scale")
    func slope() throws {
        let tilt = 2 * Double.pi / 180
        var calibrator = AccelerometerCalibrator()
        var time = 0.0
        let offset = SIMD3<Double>(0.3, -0.2, 0.5)
        for pose in DevicePose.allCases {
            let axis = abs(pose.up.x) > 0.5 ? SIMD3<Double>(0, 1, 0) : SIMD3(1, 0, 0)
            let up = rotate(pose.up, about: axis, by: tilt)
            for _ in 0..<200 {
                time += 0.01
                calibrator.update(up * Self.gravity + offset, timestamp: time)
            }
        }
        let found = try #require(calibrator.calibration)
        #expect(length(found.offset - offset) < 0.02)
        #expect(length(found.scale - SIMD3(1, 1, 1)) < 0.003)
    }

    @Test("Slanted, shaken or implausible readings complete no pose")
    func refused() {
        var calibrator = AccelerometerCalibrator()
        var generator = SeededGenerator(seed: 5)
        for index in 0..<300 { calibrator.update(SIMD3(5.7, 5.7, 5.7), timestamp: Double(index) * 0.01) }
        #expect(calibrator.state == .slanted)
        for index in 300..<600 {
            calibrator.update(SIMD3(0, 0, 9.8) + generator.normal(2), timestamp: Double(index) * 0.01)
        }
        #expect(calibrator.missingPoses.count == 6)
        for index in 600..<900 {
            calibrator.update([.nan, 0, 9.8], timestamp: Double(index) * 0.01)
            calibrator.update([0, 0, 1e30], timestamp: Double(index) * 0.01)
            calibrator.update([0, 0, 0.1], timestamp: Double(index) * 0.01)
        }
        #expect(calibrator.missingPoses.count == 6)
        #expect(calibrator.calibration == nil)
    }

    /// All rotations that map axes to axes.
    static let rightAngles: [[SIMD3<Double>]] = DevicePose.allCases.flatMap { first in
        DevicePose.allCases.filter { ($0.up * first.up).sum() == 0 }.map { [first.up, $0.up, cross(first.up, $0.up)] }
    }

    @Test("All 24 right-angled mountings are found from two poses and from six poses")
    func rightAngles() throws {
        #expect(Self.rightAngles.count == 24)
        for rows in Self.rightAngles {
            for poses in [[DevicePose.faceUp, .topEdgeUp], DevicePose.allCases] {
                var finder = MountMatrixFinder()
                for pose in poses {
                    // The sensor's vector is the transposed matrix times the device's vector.
                    let up = pose.up
                    let sensor = rows[0] * up.x + rows[1] * up.y + rows[2] * up.z
                    finder.add(sensor * Self.gravity + SIMD3(0.2, -0.1, 0.15), pose: pose)
                }
                let found = try #require(finder.estimate)
                #expect(found.isRightAngled)
                #expect([found.matrix.row0, found.matrix.row1, found.matrix.row2] == rows)
                #expect(found.angleFromRightAngles < 0.04)
                #expect(finder.problem == nil)
                #expect(finder.missingPoses.isEmpty)
            }
        }
    }

    @Test("A slanted mounting keeps its angle")
    func slanted() throws {
        var finder = MountMatrixFinder()
        let angle = 30 * Double.pi / 180
        for pose in DevicePose.allCases {
            // Rotates from the device's axes to the sensor's axes.
            finder.add(rotate(pose.up, about: [0, 0, 1], by: -angle) * 9.8 + SIMD3(0.3, 0, 0), pose: pose)
        }
        let found = try #require(finder.estimate)
        #expect(!found.isRightAngled)
        #expect(abs(found.angleFromRightAngles - angle) < 1e-6)
        #expect(length(found.matrix.row0 - SIMD3(cos(angle), -sin(angle), 0)) < 1e-6)
        #expect(length(found.matrix.row1 - SIMD3(sin(angle), cos(angle), 0)) < 1e-6)
        #expect(length(found.matrix.row2 - SIMD3(0, 0, 1)) < 1e-6)
        #expect(found.residual < 1e-6)
    }

    @Test("Missing, contradictory and mirrored poses are reported as different problems")
    func problems() {
        var finder = MountMatrixFinder()
        #expect(finder.problem == .missingPoses([.faceUp, .topEdgeUp, .rightEdgeUp]))
        let isTaken = finder.add([.nan, 0, 0], pose: .faceUp) || finder.add(.zero, pose: .faceUp)
        #expect(!isTaken)
        finder.add([0, 0, 9.8], pose: .faceUp)
        finder.add([0, 0, -9.8], pose: .faceDown)
        #expect(finder.missingPoses == [.topEdgeUp, .rightEdgeUp])
        #expect(finder.estimate == nil)
        finder.add([0, 0, 9.7], pose: .topEdgeUp)
        if case .contradictory(let angle) = finder.problem {
            #expect(angle > 0.35)
        } else {
            Issue.record("\(String(describing: finder.problem))")
        }
        finder.reset()
        for pose in DevicePose.allCases { finder.add(pose.up * SIMD3(9.8, 9.8, -9.8), pose: pose) }
        #expect(finder.problem == .mirrored)
    }

    @Test("The bias of a gyroscope is measured at rest only")
    func restBias() throws {
        var generator = SeededGenerator(seed: 9)
        var bias = RestBias()
        let expected = SIMD3<Double>(0.02, -0.05, 0.01)
        var time = 0.0
        func rest(_ seconds: Double) {
            for _ in 0..<Int(seconds * 100) {
                time += 0.01
                bias.update(expected + generator.normal(0.002), timestamp: time)
            }
        }
        #expect(bias.state == .moving)
        rest(2)
        guard case .resting(let progress) = bias.state else {
            Issue.record("\(bias.state)")
            return
        }
        #expect(abs(progress - 2.0 / 3) < 0.02)
        #expect(bias.bias == nil && bias.sigma == nil)
        time += 0.01
        let isStill = bias.update([0.5, 0, 0], timestamp: time)
        #expect(!isStill)
        rest(4)
        #expect(bias.state == .complete)
        let sigma = try #require(bias.sigma)
        // The standard error of 400 readings, a third of which are independent, on the worst of three axes.
        #expect(sigma > 1.3e-4 && sigma < 2.3e-4)
        #expect(length(try #require(bias.bias) - expected) < 4e-4)
        bias.restart()
        for index in 0..<1000 { bias.update([0, 0, 1], timestamp: time + Double(index) * 0.01) }
        #expect(bias.state == .turning)
        #expect(bias.bias == nil)
    }
}
