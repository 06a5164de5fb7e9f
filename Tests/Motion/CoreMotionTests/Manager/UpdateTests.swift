// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Updates of CMMotionManager")
struct UpdateTests {
    @Test("The latest reading is nil before the first one and after a stop")
    func pull() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        test.feed(.accelerometer, [0, 0, 9.80665], at: 0)
        #expect(manager.accelerometerData == nil)
        manager.startAccelerometerUpdates()
        #expect(manager.accelerometerData == nil)
        test.feed(.accelerometer, [0, 0, 9.80665], at: 1)
        #expect(try #require(manager.accelerometerData).timestamp == 101)
        manager.stopAccelerometerUpdates()
        #expect(manager.accelerometerData == nil)
        test.feed(.accelerometer, [0, 0, 9.80665], at: 2)
        #expect(manager.accelerometerData == nil)
    }

    @Test("A handler receives every reading without an error, and the latest is also available by polling")
    func push() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let values = Box<Double>()
        manager.startMagnetometerUpdates(to: .main) { data, error in
            #expect(error == nil)
            if let data { values.add(data.magneticField.x) }
        }
        #expect(values.all.isEmpty)
        for index in 0..<3 { test.feed(.magnetometer, [Double(index), 0, 0], at: Double(index)) }
        #expect(values.all == [0, 100, 200])
        #expect(try #require(manager.magnetometerData).magneticField.x == 200)
    }

    @Test("Only sensors that exist and have been started are active")
    func activity() {
        let test = TestDevice([.accelerometer])
        let manager = test.use { CMMotionManager() }
        #expect(manager.isAccelerometerAvailable)
        #expect(!manager.isGyroAvailable)
        #expect(!manager.isMagnetometerAvailable)
        #expect(!manager.isAccelerometerActive)
        manager.startAccelerometerUpdates()
        manager.startGyroUpdates(to: .main) { _, _ in Issue.record("a handler without a sensor was called") }
        manager.startMagnetometerUpdates()
        #expect(manager.isAccelerometerActive)
        #expect(!manager.isGyroActive)
        #expect(!manager.isMagnetometerActive)
        test.playback?.run()
        manager.stopAccelerometerUpdates()
        #expect(!manager.isAccelerometerActive)
    }

    @Test("Updates begin when a sensor becomes available after the start")
    func lateSensor() {
        let test = TestDevice([])
        let manager = test.use { CMMotionManager() }
        manager.startGyroUpdates()
        #expect(!manager.isGyroActive)
        test.hub.post(sensors: [SensorDescription(id: "gyroscope", kind: .gyroscope)], contextDescriptions: [])
        #expect(manager.isGyroActive)
        test.feed(.gyroscope, [1, 0, 0], at: 0)
        #expect(manager.gyroData?.rotationRate.x == 1)
    }

    @Test("A second start replaces the handler and drops readings queued for the first")
    func replace() {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let received = Box<String>()
        manager.startGyroUpdates(to: OperationQueue()) { _, _ in received.add("first") }
        test.feed(.gyroscope, [0, 0, 0], at: 0)
        // Queued for playback when the second start is called.
        test.hub.post(
            MotionBatch(
                sensor: "gyroscope", kind: .gyroscope, values: [[0, 0, 0]],
                times: [TestDevice.start.advanced(bySeconds: 1)]))
        manager.startGyroUpdates(to: OperationQueue()) { _, _ in received.add("second") }
        test.feed(.gyroscope, [0, 0, 0], at: 2)
        #expect(received.all == ["first", "second"])
    }

    @Test("No callback follows after a handler has stopped its manager, even for readings of the same batch")
    func stopInHandler() {
        let test = TestDevice()
        let manager = Carried(value: test.use { CMMotionManager() })
        let received = Box<Double>()
        manager.value.startAccelerometerUpdates(to: .main) { data, _ in
            received.add(data?.timestamp ?? -1)
            if received.count == 2 { manager.value.stopAccelerometerUpdates() }
        }
        test.feedAtOnce(.accelerometer, count: 5, rate: 1)
        #expect(received.all == [100, 101])
        test.feed(.accelerometer, [0, 0, 0], at: 9)
        #expect(received.count == 2)
    }

    @Test("A handler may restart its manager with another handler")
    func restartInHandler() {
        let test = TestDevice()
        let manager = Carried(value: test.use { CMMotionManager() })
        let received = Box<String>()
        manager.value.startAccelerometerUpdates(to: .main) { _, _ in
            received.add("first")
            manager.value.startAccelerometerUpdates(to: .main) { _, _ in received.add("second") }
        }
        test.feedAtOnce(.accelerometer, count: 3, rate: 1)
        test.feed(.accelerometer, [0, 0, 0], at: 9)
        #expect(received.all == ["first", "second"])
    }

    @Test("A handler may release its manager, and no further callback follows")
    func releaseInHandler() {
        let test = TestDevice()
        let holder = ManagerHolder(test.use { CMMotionManager() })
        let received = Box<Double>()
        holder.manager?.startGyroUpdates(to: .main) { data, _ in
            received.add(data?.timestamp ?? -1)
            holder.manager = nil
        }
        test.feedAtOnce(.gyroscope, count: 4, rate: 1)
        #expect(received.all == [100])
        #expect(test.hub.demand(of: "gyroscope") == nil)
    }

    private final class ManagerHolder: @unchecked Sendable {
        var manager: CMMotionManager?

        init(_ manager: CMMotionManager) { self.manager = manager }
    }

    @Test("Handlers run with the manager's device as the current device")
    func binding() {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let isBound = Box<Bool>()
        manager.startGyroUpdates(to: .main) { _, _ in isBound.add(Device.current === test.device) }
        test.feed(.gyroscope, [0, 0, 0], at: 0)
        #expect(isBound.all == [true])
    }

    @Test("The sensors of one manager are independent")
    func independent() {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.startAccelerometerUpdates()
        manager.startGyroUpdates()
        test.feed(.accelerometer, [0, 0, 0], at: 0)
        #expect(manager.gyroData == nil)
        test.feed(.gyroscope, [0, 0, 0], at: 0)
        manager.stopAccelerometerUpdates()
        #expect(manager.gyroData != nil)
    }
}
