// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Dispatch
import Testing

@Suite("Operation queues of CMMotionManager", .timeLimit(.minutes(30)))
struct QueueTests {
    @Test("A blocked queue keeps the newest 1,024 readings and counts the dropped ones")
    func blockedQueue() {
        let test = TestDevice(isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        queue.isSuspended = true
        let values = Box<Double>()
        let done = DispatchSemaphore(value: 0)
        manager.gyroUpdateInterval = 0
        manager.startGyroUpdates(to: queue) { data, _ in
            values.add(data?.rotationRate.x ?? -1)
            if values.count == 1024 { done.signal() }
        }
        test.feed(.gyroscope, count: 3000, rate: 1000)
        #expect(values.count == 0)
        #expect(queue.operationCount == 1)
        #expect(manager.droppedGyroDataCount == 1976)
        #expect(manager.droppedAccelerometerDataCount == 0)
        queue.isSuspended = false
        #expect(done.isSignalled())
        queue.waitUntilAllOperationsAreFinished()
        #expect(values.all == (1976..<3000).map(Double.init))
        manager.stopGyroUpdates()
    }

    @Test("A concurrent queue receives one call at a time, in order")
    func concurrentQueue() {
        let test = TestDevice(isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        let values = Box<Double>()
        let inside = Box<Int>()
        let done = DispatchSemaphore(value: 0)
        manager.accelerometerUpdateInterval = 0
        manager.startAccelerometerUpdates(to: queue) { data, _ in
            inside.add(1)
            values.add(data?.timestamp ?? -1)
            if values.count == 1000 { done.signal() }
        }
        // As many readings as fit into the queue without drops.
        test.feed(.accelerometer, count: 1000, rate: 1000)
        #expect(done.isSignalled())
        #expect(values.all == values.all.sorted())
        #expect(Set(values.all).count == 1000)
        #expect(manager.droppedAccelerometerDataCount == 0)
        manager.stopAccelerometerUpdates()
    }

    @Test("Cancelling the operations of the queue does not end the updates")
    func cancelledOperations() {
        let test = TestDevice(isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        queue.isSuspended = true
        let values = Box<Double>()
        let done = DispatchSemaphore(value: 0)
        manager.gyroUpdateInterval = 0
        manager.startGyroUpdates(to: queue) { data, _ in
            values.add(data?.timestamp ?? -1)
            if values.count == 2 { done.signal() }
        }
        test.feed(.gyroscope, [0, 0, 0], at: 0)
        queue.cancelAllOperations()
        queue.isSuspended = false
        test.feed(.gyroscope, [0, 0, 0], at: 1)
        #expect(done.isSignalled())
        #expect(values.all == [100, 101])
        manager.stopGyroUpdates()
    }

    @Test("No callback follows a stop, even if readings are queued")
    func stopWhileWaiting() {
        let test = TestDevice(isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        queue.isSuspended = true
        manager.startGyroUpdates(to: queue) { _, _ in Issue.record("delivered after the stop") }
        test.feed(.gyroscope, count: 10, rate: 100)
        manager.stopGyroUpdates()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(manager.droppedGyroDataCount == 0)
    }

    @Test("A stop from another thread lets the running call finish and prevents further calls")
    func stopFromAnotherThread() {
        let test = TestDevice(isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        let values = Box<Double>()
        let isInside = DispatchSemaphore(value: 0)
        let canLeave = DispatchSemaphore(value: 0)
        manager.gyroUpdateInterval = 0
        manager.startGyroUpdates(to: queue) { data, _ in
            values.add(data?.timestamp ?? -1)
            isInside.signal()
            #expect(canLeave.isSignalled())
        }
        test.feedAtOnce(.gyroscope, count: 5, rate: 1)
        #expect(isInside.isSignalled())
        manager.stopGyroUpdates()
        canLeave.signal()
        queue.waitUntilAllOperationsAreFinished()
        #expect(values.all == [100])
    }

    @Test("Handlers for OperationQueue.main run on the main queue")
    func mainQueue() async {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let test = TestDevice(isLive: true)
        let manager = Carried(value: test.use { CMMotionManager() })
        let isExpectedThread = Box<Bool>()
        await withCheckedContinuation { continuation in
            manager.value.startAccelerometerUpdates(to: .main) { _, _ in
                manager.value.stopAccelerometerUpdates()
                isExpectedThread.add(DispatchQueue.getSpecific(key: key) == true)
                continuation.resume()
            }
            test.feed(.accelerometer, [0, 0, 0], at: 0)
        }
        #expect(isExpectedThread.all == [true])
    }

    @Test("Handlers for a custom queue run on that queue with the manager's device as the current device")
    func ownQueue() {
        let test = TestDevice(isLive: true)
        let manager = test.use { CMMotionManager() }
        let queue = OperationQueue()
        let done = DispatchSemaphore(value: 0)
        let isExpectedThread = Box<Bool>()
        manager.startAccelerometerUpdates(to: queue) { _, _ in
            isExpectedThread.add(OperationQueue.current === queue)
            isExpectedThread.add(Device.current === test.device)
            done.signal()
        }
        test.feed(.accelerometer, [0, 0, 0], at: 0)
        #expect(done.isSignalled())
        #expect(isExpectedThread.all == [true, true])
        manager.stopAccelerometerUpdates()
    }
}
