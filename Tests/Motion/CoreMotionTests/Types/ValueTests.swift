// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import Testing

@Suite("Values and constants of Core Motion")
struct ValueTests {
    @Test("Error codes have Apple's raw values")
    func errors() {
        let codes = [
            CMErrorNULL, CMErrorDeviceRequiresMovement, CMErrorTrueNorthNotAvailable, CMErrorUnknown,
            CMErrorMotionActivityNotAvailable, CMErrorMotionActivityNotAuthorized, CMErrorMotionActivityNotEntitled,
            CMErrorInvalidParameter, CMErrorInvalidAction, CMErrorNotAvailable, CMErrorNotEntitled,
            CMErrorNotAuthorized, CMErrorNilData, CMErrorSize,
        ]
        #expect(codes.map(\.rawValue) == Array(100...113))
        #expect(CMErrorDomain == "CMErrorDomain")
        #expect(CMError(109) == CMErrorNotAvailable)
        #expect(CMError(rawValue: 104) == CMErrorMotionActivityNotAvailable)
    }

    @Test("Enumerations have Apple's raw values")
    func enumerations() {
        #expect(
            [CMAuthorizationStatus.notDetermined, .restricted, .denied, .authorized].map(\.rawValue) == [0, 1, 2, 3])
        #expect(
            [CMMagneticFieldCalibrationAccuracy.uncalibrated, .low, .medium, .high].map(\.rawValue) == [-1, 0, 1, 2])
        #expect([CMDeviceMotion.SensorLocation.default, .headphoneLeft, .headphoneRight].map(\.rawValue) == [0, 1, 2])
        #expect([CMMotionActivityConfidence.low, .medium, .high].map(\.rawValue) == [0, 1, 2])
        #expect([CMPedometerEventType.pause, .resume].map(\.rawValue) == [0, 1])
        let frames: [CMAttitudeReferenceFrame] = [
            .xArbitraryZVertical, .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
        ]
        #expect(frames.map(\.rawValue) == [1, 2, 4, 8])
    }

    @Test("Default values of structures are zero")
    func zeros() {
        #expect(CMAcceleration().z == 0)
        #expect(CMRotationRate().x == 0)
        #expect(CMMagneticField().y == 0)
        #expect(CMQuaternion().w == 0)
        #expect(CMRotationMatrix().m22 == 0)
        #expect(CMCalibratedMagneticField().accuracy == .low)
    }

    @Test("A device motion created by an app has no heading and no calibrated field")
    func deviceMotion() {
        let motion = CMDeviceMotion()
        #expect(motion.heading < 0)
        #expect(motion.magneticField.accuracy == .uncalibrated)
        #expect(motion.timestamp == 0)
    }
}
