// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Device motion that is not available")
struct DeviceMotionTests {
    @Test("A manager says that there is none, and asking for it is silent")
    func pull() {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        #expect(!manager.isDeviceMotionAvailable)
        #expect(CMMotionManager.availableAttitudeReferenceFrames().isEmpty)
        manager.startDeviceMotionUpdates()
        manager.startDeviceMotionUpdates(using: .xTrueNorthZVertical)
        test.feed(.accelerometer, [0, 0, 9.80665], at: 0)
        test.feed(.gyroscope, [0, 0, 0], at: 0)
        #expect(manager.deviceMotion == nil)
        #expect(!manager.isDeviceMotionActive)
        #expect(manager.attitudeReferenceFrame == .xArbitraryZVertical)
        #expect(!manager.showsDeviceMovementDisplay)
        manager.showsDeviceMovementDisplay = true
        #expect(manager.showsDeviceMovementDisplay)
    }

    @Test("A handler is told once, later")
    func push() {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let codes = Box<Int>()
        manager.startDeviceMotionUpdates(using: .xMagneticNorthZVertical, to: .main) { motion, error in
            #expect(motion == nil)
            codes.add((error as NSError?)?.code ?? 0)
        }
        #expect(codes.all.isEmpty)
        test.feed(.gyroscope, count: 5, rate: 100)
        #expect(codes.all == [109])
    }

    @Test("A handler is told nothing when it is stopped before")
    func stop() {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startDeviceMotionUpdates(to: .main) { _, _ in Issue.record("told after the stop") }
        manager.stopDeviceMotionUpdates()
        test.playback?.run()
    }
}
