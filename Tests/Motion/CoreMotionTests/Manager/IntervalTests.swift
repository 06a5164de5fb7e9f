// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("Update intervals")
struct IntervalTests {
    @Test("A new manager has Apple's default intervals")
    func defaults() {
        let manager = TestDevice().use { CMMotionManager() }
        #expect(manager.accelerometerUpdateInterval == 0.01)
        #expect(manager.gyroUpdateInterval == 0.01)
        #expect(manager.magnetometerUpdateInterval == 0.04)
        #expect(manager.deviceMotionUpdateInterval == 0.01)
    }

    @Test("An update interval is returned as it was set", arguments: [0, -1, 1e-9, 0.02, 1e9, .infinity])
    func readsBack(interval: Double) {
        let manager = TestDevice().use { CMMotionManager() }
        manager.accelerometerUpdateInterval = interval
        manager.deviceMotionUpdateInterval = interval
        #expect(manager.accelerometerUpdateInterval == interval)
        #expect(manager.deviceMotionUpdateInterval == interval)
    }

    /// The number of handler calls for 101 readings at 100 Hz, which span exactly one second.
    static let counts: [(interval: Double, expected: Int)] = [
        (0, 101), (-1, 101), (.nan, 101), (0.001, 101), (0.01, 101), (0.05, 21), (0.1, 11), (0.5, 3), (10, 1),
        (.infinity, 1),
    ]

    @Test("Readings arrive at the requested interval, but no faster than the sensor's rate", arguments: counts)
    func decimation(interval: Double, expected: Int) {
        let test = TestDevice()
        let manager = test.use { CMMotionManager() }
        let times = Box<Double>()
        manager.gyroUpdateInterval = interval
        manager.startGyroUpdates(to: OperationQueue()) { data, _ in times.add(data?.timestamp ?? -1) }
        test.feed(.gyroscope, count: 101, rate: 100)
        #expect(times.count == expected)
    }

    @Test("A zero, negative or NaN interval requests the sensor's maximum rate", arguments: [0, -0.5, .nan])
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

    @Test("The sensor follows the shortest requested interval and stops with the last manager")
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
