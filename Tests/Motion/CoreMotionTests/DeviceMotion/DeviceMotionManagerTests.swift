// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Dispatch
import Testing

@Suite("Device motion of CMMotionManager", .timeLimit(.minutes(30)))
struct DeviceMotionManagerTests {
    private static let nineAxes: [SensorKind] = [.accelerometer, .gyroscope, .magnetometer]

    /// Starts updates and records each call of the handler: seconds since the start of the test, or an error's domain
    /// and code.
    private func watch(
        _ test: TestDevice, interval: Double = 0, frame: CMAttitudeReferenceFrame? = nil
    ) -> (manager: CMMotionManager, received: Box<String>) {
        let manager = test.use { CMMotionManager() }
        let received = Box<String>()
        manager.deviceMotionUpdateInterval = interval
        let handler: CMDeviceMotionHandler = { motion, error in
            #expect((motion == nil) != (error == nil))
            if let motion { received.add("\(((motion.timestamp - 100) * 1000).rounded() / 1000)") }
            if let error = error as NSError? { received.add("\(error.domain) \(error.code)") }
        }
        if let frame {
            manager.startDeviceMotionUpdates(using: frame, to: .main, withHandler: handler)
        } else {
            manager.startDeviceMotionUpdates(to: .main, withHandler: handler)
        }
        return (manager, received)
    }

    @Test("Device motion requires accelerometer and gyroscope; a magnetometer adds three frames")
    func availability() {
        let cases: [(sensors: [SensorKind], frames: UInt)] = [
            ([], 0), ([.accelerometer], 0), ([.gyroscope], 0), ([.accelerometer, .magnetometer], 0),
            ([.accelerometer, .gyroscope], 1), (Self.nineAxes, 15),
        ]
        for (sensors, frames) in cases {
            let test = TestDevice(sensors)
            let manager = test.use { CMMotionManager() }
            #expect(manager.isDeviceMotionAvailable == (frames != 0))
            #expect(test.use { CMMotionManager.availableAttitudeReferenceFrames() }.rawValue == frames)
            #expect(manager.attitudeReferenceFrame == .xArbitraryZVertical)
            #expect(!manager.isDeviceMotionActive)
        }
    }

    @Test("The latest device motion is nil before the first one and after a stop")
    func pull() throws {
        let test = TestDevice(Self.nineAxes)
        let manager = test.use { CMMotionManager() }
        test.feedRest(count: 3, rate: 100)
        #expect(manager.deviceMotion == nil)
        manager.startDeviceMotionUpdates(using: .xMagneticNorthZVertical)
        #expect(manager.isDeviceMotionActive)
        #expect(manager.attitudeReferenceFrame == .xMagneticNorthZVertical)
        #expect(manager.deviceMotion == nil)
        test.feedRest(count: 50, rate: 100, from: 1)
        let motion = try #require(manager.deviceMotion)
        #expect(motion.timestamp > 101)
        #expect([motion.gravity.x, motion.gravity.y, motion.gravity.z] == [0, 0, -1])
        #expect(abs(motion.userAcceleration.z) < 1e-15)
        // The top edge points north.
        #expect(min(motion.heading, 360 - motion.heading) < 0.01)
        #expect(abs(motion.attitude.yaw + .pi / 2) < 1e-4)
        #expect(motion.magneticField.field.z == -43)
        motion.attitude.multiply(byInverseOf: motion.attitude)
        #expect(abs(try #require(manager.deviceMotion).attitude.yaw + .pi / 2) < 1e-4)
        manager.stopDeviceMotionUpdates()
        #expect(manager.deviceMotion == nil)
        #expect(!manager.isDeviceMotionActive)
        #expect(manager.attitudeReferenceFrame == .xArbitraryZVertical)
        test.feedRest(count: 3, rate: 100, from: 2)
        #expect(manager.deviceMotion == nil)
        #expect(Self.nineAxes.allSatisfy { test.hub.demand(of: $0.rawValue) == nil })
    }

    @Test("A handler receives each gyroscope sample at its own time, and the latest is also available by polling")
    func push() throws {
        let test = TestDevice(Self.nineAxes)
        let (manager, received) = watch(test)
        #expect(received.all.isEmpty)
        test.feedRest(count: 101, rate: 100)
        // The last sample may wait for matching samples of the other sensors.
        #expect(received.count >= 100)
        #expect(received.all == (0..<received.count).map { "\(Double($0) / 100)" })
        #expect(manager.deviceMotion != nil)
        manager.stopDeviceMotionUpdates()
    }

    @Test("The magnetometer runs only in frames that use it")
    func magnetometer() {
        let test = TestDevice(Self.nineAxes)
        let manager = test.use { CMMotionManager() }
        manager.startDeviceMotionUpdates()
        #expect(test.hub.demand(of: "gyroscope") != nil)
        #expect(test.hub.demand(of: "magnetometer") == nil)
        for frame: CMAttitudeReferenceFrame in [
            .xArbitraryCorrectedZVertical, .xMagneticNorthZVertical, .xTrueNorthZVertical,
        ] {
            manager.startDeviceMotionUpdates(using: frame)
            #expect(test.hub.demand(of: "magnetometer") != nil)
            #expect(manager.attitudeReferenceFrame == frame)
        }
        manager.startDeviceMotionUpdates()
        #expect(test.hub.demand(of: "magnetometer") == nil)
    }

    /// The approximate number of handler calls for 10 seconds of readings at 100 Hz.
    static let counts: [(interval: Double, expected: Int)] = [
        (0, 1000), (-1, 1000), (.nan, 1000), (0.001, 1000), (0.01, 1000), (0.05, 200), (0.1, 100), (0.5, 20), (100, 1),
        (.infinity, 1),
    ]

    @Test("Device motion arrives at the requested interval, but no faster than the gyroscope's rate", arguments: counts)
    func decimation(interval: Double, expected: Int) {
        let test = TestDevice([.accelerometer, .gyroscope])
        let (manager, received) = watch(test, interval: interval)
        test.feedRest(count: 1000, rate: 100)
        #expect(abs(received.count - expected) <= 1, "\(received.count)")
        manager.stopDeviceMotionUpdates()
    }

    @Test("A new interval takes effect while updates run and does not change the frame")
    func change() {
        let test = TestDevice(Self.nineAxes)
        let (manager, received) = watch(test, interval: 0.1, frame: .xMagneticNorthZVertical)
        test.feedRest(count: 200, rate: 100)
        let former = received.count
        #expect(abs(former - 20) <= 2)
        manager.deviceMotionUpdateInterval = 0.02
        test.feedRest(count: 200, rate: 100, from: 2)
        #expect(abs(received.count - former - 100) <= 2)
        #expect(manager.attitudeReferenceFrame == .xMagneticNorthZVertical)
        #expect(received.all.count { $0.hasPrefix("CM") } == 0)
    }

    @Test("In the true-north frame, a missing position is reported once, and a position provides the declination")
    func trueNorth() throws {
        let test = TestDevice(Self.nineAxes)
        let (manager, received) = watch(test, frame: .xTrueNorthZVertical)
        test.feedRest(count: 100, rate: 100)
        #expect(received.all.filter { $0.hasPrefix("CM") }.sorted() == ["CMErrorDomain 102"])
        #expect(manager.deviceMotion?.heading == -1)
        // A published test value of the model for the start date of the test's clock: a declination of 14.01 degrees.
        var report = PositionReport()
        report.mode = .threeDimensional
        report.latitude = -24
        report.longitude = -122
        report.altitudeHAE = 46_000
        test.positions.set(report)
        test.feedRest(count: 600, rate: 100, from: 1)
        let motion = try #require(manager.deviceMotion)
        // The top edge points to magnetic north.
        #expect(abs(motion.heading - 14.01) < 0.02, "\(motion.heading)")
        #expect(abs(motion.attitude.yaw * 180 / .pi - (-90 - 14.01)) < 0.02)
        #expect(received.all.count { $0.hasPrefix("CM") } == 1)
        manager.stopDeviceMotionUpdates()
    }

    @Test("A start without sensors reports no error, and updates begin when the sensors become available")
    func lateSensors() {
        let test = TestDevice([])
        let (manager, received) = watch(test)
        test.playback?.run()
        #expect(!manager.isDeviceMotionActive)
        test.hub.post(
            sensors: [SensorKind.accelerometer, .gyroscope].map { SensorDescription(id: $0.rawValue, kind: $0) },
            contextDescriptions: [])
        #expect(manager.isDeviceMotionActive)
        test.feedRest(count: 10, rate: 100)
        // The engine uses the first readings to determine which sensors deliver data.
        #expect(received.count >= 8)
        #expect(received.all.last == "0.09")
    }

    @Test("An unavailable frame is rejected once, asynchronously, and no sensor starts")
    func unavailableFrame() {
        let cases: [(sensors: [SensorKind], frame: CMAttitudeReferenceFrame, code: Int)] = [
            ([.accelerometer, .gyroscope], .xMagneticNorthZVertical, 109),
            ([.accelerometer, .gyroscope], .xArbitraryCorrectedZVertical, 109),
            ([.accelerometer], .xArbitraryZVertical, 109),
            ([], .xTrueNorthZVertical, 109),
            (Self.nineAxes, [], 107),
            (Self.nineAxes, [.xArbitraryZVertical, .xTrueNorthZVertical], 107),
            (Self.nineAxes, CMAttitudeReferenceFrame(rawValue: 16), 107),
        ]
        for (sensors, frame, code) in cases {
            let test = TestDevice(sensors)
            let (manager, received) = watch(test, frame: frame)
            #expect(received.all.isEmpty)
            test.feedRest(count: 5, rate: 100)
            test.playback?.run()
            #expect(received.all == ["CMErrorDomain \(code)"])
            #expect(!manager.isDeviceMotionActive)
            #expect(manager.attitudeReferenceFrame == .xArbitraryZVertical)
            #expect(!test.hub.hasSubscribers)
            manager.startDeviceMotionUpdates(using: frame)
            #expect(!test.hub.hasSubscribers)
        }
    }

    @Test("A rejection stops running updates and is not reported after a stop or another start")
    func withdrawnError() {
        let test = TestDevice([.accelerometer, .gyroscope])
        let (manager, received) = watch(test)
        test.feedRest(count: 5, rate: 100)
        let former = received.count
        manager.startDeviceMotionUpdates(using: .xTrueNorthZVertical, to: .main) { _, _ in received.add("refused") }
        #expect(!test.hub.hasSubscribers)
        #expect(manager.deviceMotion == nil)
        manager.stopDeviceMotionUpdates()
        test.feedRest(count: 5, rate: 100, from: 1)
        manager.startDeviceMotionUpdates(using: .xTrueNorthZVertical, to: .main) { _, _ in received.add("refused") }
        manager.startDeviceMotionUpdates()
        test.feedRest(count: 5, rate: 100, from: 2)
        #expect(received.count == former)
        #expect(manager.isDeviceMotionActive)
    }

    @Test("A second start replaces the handler")
    func replace() {
        let test = TestDevice([.accelerometer, .gyroscope])
        let (manager, received) = watch(test)
        test.feedRest(count: 5, rate: 100)
        let former = received.count
        let second = Box<Double>()
        manager.startDeviceMotionUpdates(to: OperationQueue()) { motion, _ in second.add(motion?.timestamp ?? -1) }
        test.feedRest(count: 5, rate: 100, from: 0.05)
        #expect(received.count == former)
        #expect(second.count >= 4)
        manager.startDeviceMotionUpdates()
        test.feedRest(count: 5, rate: 100, from: 0.1)
        #expect(second.count <= 5)
        #expect(manager.deviceMotion != nil)
    }

    @Test("No callback follows after a handler has stopped or released its manager")
    func stopInHandler() {
        final class Holder: @unchecked Sendable {
            var manager: CMMotionManager?
        }
        let test = TestDevice([.accelerometer, .gyroscope])
        for releases in [false, true] {
            let holder = Holder()
            holder.manager = test.use { CMMotionManager() }
            let received = Box<Double>()
            holder.manager?.startDeviceMotionUpdates(to: .main) { motion, _ in
                received.add(motion?.timestamp ?? -1)
                if received.count < 3 { return }
                if releases { holder.manager = nil } else { holder.manager?.stopDeviceMotionUpdates() }
            }
            test.feedRest(count: 10, rate: 100, from: releases ? 1 : 0)
            #expect(received.count == 3)
            #expect(!test.hub.hasSubscribers)
        }
    }

    @Test("Handlers run with the manager's device as the current device")
    func binding() {
        let test = TestDevice([.accelerometer, .gyroscope])
        let manager = test.use { CMMotionManager() }
        let isBound = Box<Bool>()
        manager.startDeviceMotionUpdates(to: .main) { _, _ in isBound.add(Device.current === test.device) }
        test.feedRest(count: 3, rate: 100)
        #expect(isBound.count >= 2)
        #expect(isBound.all.allSatisfy { $0 })
    }

    @Test("A sensor's loss is reported once, and device motion resumes without a restart")
    func loss() {
        let test = TestDevice(Self.nineAxes)
        let (manager, received) = watch(test)
        test.feedRest(count: 5, rate: 100)
        test.lose(.gyroscope)
        test.lose(.gyroscope)
        #expect(received.all.suffix(2).filter { $0 == "CMErrorDomain 109" }.count == 1)
        let before = received.count
        // This frame does not use the magnetometer.
        test.lose(.magnetometer)
        #expect(received.count == before)
        test.regain(.gyroscope)
        test.feedRest(count: 5, rate: 100, from: 5)
        #expect(received.all.count { $0.hasPrefix("CM") } == 1)
        #expect(received.all.contains("5.03"))
        manager.stopDeviceMotionUpdates()
    }

    @Test("A blocked queue keeps the newest 1,024 values and counts the dropped ones")
    func blockedQueue() {
        let test = TestDevice([.accelerometer, .gyroscope], isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        queue.isSuspended = true
        let times = Box<Double>()
        let done = DispatchSemaphore(value: 0)
        manager.deviceMotionUpdateInterval = 0
        manager.startDeviceMotionUpdates(to: queue) { motion, _ in
            times.add(motion?.timestamp ?? -1)
            if times.count == 1024 { done.signal() }
        }
        test.feedRest(count: 1500, rate: 1000)
        #expect(queue.operationCount == 1)
        let dropped = manager.droppedDeviceMotionCount
        #expect([1499, 1500].contains(dropped + 1024))
        #expect(manager.droppedGyroDataCount == 0)
        queue.isSuspended = false
        #expect(done.isSignalled())
        queue.waitUntilAllOperationsAreFinished()
        #expect(times.count == 1024)
        #expect(times.all == times.all.sorted())
        #expect(abs((times.all.first ?? 0) - 100 - Double(dropped) / 1000) < 1e-6)
        manager.stopDeviceMotionUpdates()
    }

    @Test("`showsDeviceMovementDisplay` stores its value")
    func display() {
        let manager = TestDevice().use { CMMotionManager() }
        #expect(!manager.showsDeviceMovementDisplay)
        manager.showsDeviceMovementDisplay = true
        #expect(manager.showsDeviceMovementDisplay)
    }
}
