// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Pedometer and activity manager without an accelerometer")
struct NotAvailableTests {
    @Test("Class functions report that steps and activities are unavailable")
    func classFunctions() { TestDevice([.gyroscope, .pressure]).use { expectNothing() } }

    private func expectNothing() {
        #expect(!CMPedometer.isStepCountingAvailable())
        #expect(!CMPedometer.isDistanceAvailable())
        #expect(!CMPedometer.isFloorCountingAvailable())
        #expect(!CMPedometer.isPaceAvailable())
        #expect(!CMPedometer.isCadenceAvailable())
        #expect(!CMPedometer.isPedometerEventTrackingAvailable())
        #expect(CMPedometer.authorizationStatus() == .notDetermined)
        #expect(!CMMotionActivityManager.isActivityAvailable())
        #expect(CMMotionActivityManager.authorizationStatus() == .notDetermined)
    }

    @Test("Each pedometer handler is called once, asynchronously, with Apple's error code")
    func pedometer() async {
        let test = TestDevice([.gyroscope, .pressure])
        let pedometer = test.use { CMPedometer() }
        let codes = Box<Int>()
        pedometer.startUpdates(from: Date()) { _, error in codes.add((error as NSError?)?.code ?? 0) }
        pedometer.startEventUpdates { _, error in codes.add((error as NSError?)?.code ?? 0) }
        pedometer.queryPedometerData(from: Date(), to: Date()) { _, error in codes.add((error as NSError?)?.code ?? 0) }
        #expect(codes.all.isEmpty)
        test.playback?.run()
        #expect(codes.all == [104, 109, 104])
        await #expect(throws: NSError.self) {
            _ = try await pedometer.queryPedometerData(from: Date(), to: Date())
        }
    }

    @Test("An activity manager delivers nil updates and fails queries with an error")
    func activities() {
        let test = TestDevice([.gyroscope, .pressure])
        let manager = test.use { CMMotionActivityManager() }
        let received = Box<String>()
        manager.startActivityUpdates(to: .main) { received.add($0 == nil ? "nil" : "activity") }
        manager.queryActivityStarting(from: Date(), to: Date(), to: .main) { _, error in
            received.add("\((error as NSError?)?.code ?? 0)")
        }
        test.playback?.run()
        #expect(received.all == ["nil", "104"])
    }

    @Test("A stopped or released pedometer delivers no updates, but a released one still completes its query")
    func stop() {
        let test = TestDevice([.gyroscope, .pressure])
        let codes = Box<Int>()
        do {
            let pedometer = test.use { CMPedometer() }
            pedometer.startUpdates(from: Date()) { _, _ in Issue.record("delivered after the stop") }
            pedometer.stopUpdates()
            pedometer.startEventUpdates { _, _ in Issue.record("delivered after the release") }
            pedometer.queryPedometerData(from: Date(), to: Date()) { _, error in
                codes.add((error as NSError?)?.code ?? 0)
            }
        }
        test.playback?.run()
        #expect(codes.all == [104])
    }
}
