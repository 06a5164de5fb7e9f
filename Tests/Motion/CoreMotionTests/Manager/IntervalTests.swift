// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Intervals")
struct IntervalTests {
    @Test("A new manager has Apple's intervals")
    func defaults() {
        let manager = TestDevice().use { CMMotionManager() }
        #expect(manager.accelerometerUpdateInterval == 0.01)
        #expect(manager.gyroUpdateInterval == 0.01)
        #expect(manager.magnetometerUpdateInterval == 0.04)
        #expect(manager.deviceMotionUpdateInterval == 0.01)
    }

    @Test("An interval reads back as it was written", arguments: [0, -1, 1e-9, 0.02, 1e9, .infinity])
    func readsBack(interval: Double) {
        let manager = TestDevice().use { CMMotionManager() }
        manager.accelerometerUpdateInterval = interval
        manager.deviceMotionUpdateInterval = interval
        #expect(manager.accelerometerUpdateInterval == interval)
        #expect(manager.deviceMotionUpdateInterval == interval)
    }

    /// How many of 101 readings at 100 Hz, over exactly a second, reach the handler.
    static let counts: [(interval: Double, expected: Int)] = [
        (0, 101), (-1, 101), (.nan, 101), (0.001, 101), (0.01, 101), (0.05, 21), (0.1, 11), (0.5, 3), (10, 1),
        (.infinity, 1),
    ]

    @Test("Readings come as often as was asked for, and at most as often as the sensor gives them", arguments: counts)
    func thinning(interval: Double, expected: Int) {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let times = Box<Double>()
        manager.gyroUpdateInterval = interval
        manager.startGyroUpdates(to: OperationQueue()) { data, _ in times.add(data?.timestamp ?? -1) }
        test.feed(.gyroscope, count: 101, rate: 100)
        #expect(times.count == expected)
    }

    @Test("Zero and less ask the sensor for its greatest rate", arguments: [0, -0.5, .nan])
    func fastest(interval: Double) throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        manager.accelerometerUpdateInterval = interval
        manager.startAccelerometerUpdates()
        #expect(try #require(test.hub.demand(of: "accelerometer")).rate == .infinity)
    }

    @Test("A new interval takes effect while updates run")
    func change() throws {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let values = Box<Double>()
        manager.accelerometerUpdateInterval = 0.1
        manager.startAccelerometerUpdates(to: OperationQueue()) { data, _ in values.add(data?.timestamp ?? -1) }
        test.feed(.accelerometer, count: 100, rate: 100)
        #expect(values.count == 10)
        manager.accelerometerUpdateInterval = 0.02
        #expect(try #require(test.hub.demand(of: "accelerometer")).interval == 0.02)
        test.feed(.accelerometer, count: 100, rate: 100, from: 1)
        #expect(values.count == 10 + 50)
    }

    @Test("The sensor rests when the last manager has stopped")
    func rest() {
        let test = TestDevice()
        let first = test.use { CMMotionManager() }
        var second: CMMotionManager? = test.use { CMMotionManager() }
        first.startAccelerometerUpdates()
        second?.accelerometerUpdateInterval = 0.001
        second?.startAccelerometerUpdates()
        #expect(test.hub.demand(of: "accelerometer")?.interval == 0.001)
        second = nil
        #expect(test.hub.demand(of: "accelerometer")?.interval == 0.01)
        first.stopAccelerometerUpdates()
        #expect(test.hub.demand(of: "accelerometer") == nil)
    }
}
