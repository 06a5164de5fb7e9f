// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Testing

@testable import CoreMotion

@Suite("Attitude reference frames")
struct DeviceMotionFrameTests {
    static let frames: [CMAttitudeReferenceFrame] = [
        .xArbitraryZVertical, .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
    ]

    /// Returns a state of a device whose top edge points to magnetic north and is raised by 20 degrees. The reference
    /// axes of the state are rotated by `offset` degrees.
    private func state(offset: Double, declination: Double? = nil) -> FusedState {
        var state = States.at(0, States.rotation([0, 0, 1], -offset) * States.rotation([1, 0, 0], 20))
        state.northOffset = offset * .pi / 180
        state.declination = declination.map { $0 * .pi / 180 }
        return state
    }

    private func yaw(_ values: CMDeviceMotion.Values?) throws -> Double {
        CMAttitude(deviceToReference: try #require(values).attitude).yaw * 180 / .pi
    }

    @Test("Attitudes in the arbitrary frame equal those of the filter bit for bit")
    func arbitrary() throws {
        var state = state(offset: 70)
        state.attitude = Quaternion(x: 0.1, y: 0.2, z: 0.3, w: 0.4).normalized
        let values = try #require(MotionConversion.deviceMotion(state, in: .xArbitraryZVertical))
        let attitude = CMAttitude(deviceToReference: values.attitude).quaternion
        #expect(States.components(attitude) == [0, 1, 2, 3].map { state.attitude.components[$0] })
    }

    @Test("Magnetic yaw does not depend on the filter's reference axes", arguments: [-170.0, -20, 0, 35, 160])
    func magneticNorth(offset: Double) throws {
        let values = MotionConversion.deviceMotion(state(offset: offset), in: .xMagneticNorthZVertical)
        #expect(abs(try yaw(values) + 90) < 1e-9)
        let heading = try #require(values).heading
        #expect(min(heading, 360 - heading) < 1e-9)
    }

    @Test("With a declination of 10 degrees east, a device pointing to magnetic north has a heading of 10 degrees")
    func trueNorth() throws {
        let values = MotionConversion.deviceMotion(state(offset: 35, declination: 10), in: .xTrueNorthZVertical)
        #expect(abs(try #require(values).heading - 10) < 1e-9)
        #expect(abs(try yaw(values) + 100) < 1e-9)
        let west = MotionConversion.deviceMotion(state(offset: 35, declination: -10), in: .xTrueNorthZVertical)
        #expect(abs(try #require(west).heading - 350) < 1e-9)
    }

    @Test("The corrected frame starts as the arbitrary frame and then follows north")
    func corrected() throws {
        let start = 35 * Double.pi / 180
        let first = MotionConversion.deviceMotion(
            state(offset: 35), in: .xArbitraryCorrectedZVertical, correctedFrom: start)
        #expect(abs(try yaw(first) + 35) < 1e-9)
        // The gyroscope has drifted by 4 degrees; the device has not rotated.
        let later = MotionConversion.deviceMotion(
            state(offset: 39), in: .xArbitraryCorrectedZVertical, correctedFrom: start)
        #expect(abs(try yaw(later) + 35) < 1e-9)
        #expect(abs(try yaw(MotionConversion.deviceMotion(state(offset: 39), in: .xArbitraryZVertical)) + 39) < 1e-9)
    }

    @Test("Gravity, acceleration and rotation rate are the same in all frames")
    func shared() throws {
        var state = state(offset: 50, declination: 3)
        state.rotationRate = [0.1, -0.2, 0.3]
        state.acceleration = [1, 2, 12]
        let all = try Self.frames.map { try #require(MotionConversion.deviceMotion(state, in: $0)) }
        for values in all {
            #expect(States.components(values.gravity) == States.components(all[0].gravity))
            #expect(States.components(values.userAcceleration) == States.components(all[0].userAcceleration))
            #expect([values.rotationRate.x, values.rotationRate.y, values.rotationRate.z] == [0.1, -0.2, 0.3])
        }
    }

    @Test("Only north frames have a heading, and true north requires a declination")
    func heading() throws {
        for frame in Self.frames {
            let heading = try #require(MotionConversion.deviceMotion(state(offset: 0, declination: 0), in: frame))
                .heading
            #expect((heading >= 0) == !frame.isDisjoint(with: .north))
        }
        let values = try #require(MotionConversion.deviceMotion(state(offset: 0), in: .xTrueNorthZVertical))
        #expect(values.heading == -1)
        // The attitude is then relative to magnetic north.
        #expect(abs(try yaw(values) + 90) < 1e-9)
    }

    @Test("Frames that use the magnetometer deliver the magnetic field in microtesla")
    func field() throws {
        for frame in Self.frames {
            var state = state(offset: 0)
            for (quality, accuracy) in [
                (MagneticQuality.uncalibrated, CMMagneticFieldCalibrationAccuracy.uncalibrated), (.low, .low),
                (.medium, .medium), (.high, .high),
            ] {
                state.magneticQuality = quality
                let field = try #require(MotionConversion.deviceMotion(state, in: frame)).magneticField
                if frame == .xArbitraryZVertical {
                    #expect([field.field.x, field.field.y, field.field.z] == [0, 0, 0])
                    #expect(field.accuracy == .uncalibrated)
                } else {
                    #expect([field.field.x, field.field.y, field.field.z] == [0, 20, -43])
                    #expect(field.accuracy == accuracy)
                }
            }
        }
    }

    @Test("While north is unknown, only the arbitrary frame delivers device motion")
    func noNorth() {
        var state = state(offset: 0)
        state.northOffset = nil
        let there = Self.frames.map { MotionConversion.deviceMotion(state, in: $0) != nil }
        #expect(there == [true, false, false, false])
    }
}
