// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import Testing

@Suite("CMBatchedSensorManager", .timeLimit(.minutes(30)))
struct BatchedTests {
    @Test("A handler receives one second of readings per call, for any sensor batch size", arguments: [true, false])
    func handler(together: Bool) {
        let test = TestDevice()
        let manager = test.use { CMBatchedSensorManager() }
        let batches = Box<[Double]>()
        manager.startAccelerometerUpdates { readings, error in
            #expect(error == nil)
            batches.add(readings?.map(\.timestamp) ?? [])
        }
        #expect(manager.isAccelerometerActive)
        #expect(manager.accelerometerBatch == nil)
        if together {
            test.feedAtOnce(.accelerometer, count: 45, rate: 10)
        } else {
            test.feed(.accelerometer, count: 45, rate: 10)
        }
        // 45 readings at 10 Hz are four complete seconds and 5 readings of the next.
        #expect(batches.all.map(\.count) == [10, 10, 10, 10])
        #expect(batches.all.compactMap(\.first) == [100, 101, 102, 103])
        #expect(manager.accelerometerBatch?.count == 10)
        #expect(manager.accelerometerBatch?.first?.timestamp == 103)
        manager.stopAccelerometerUpdates()
        #expect(manager.accelerometerBatch == nil)
        #expect(!manager.isAccelerometerActive)
        #expect(test.hub.demand(of: "accelerometer") == nil)
    }

    @Test("The manager requests at most 800 readings a second with a latency of up to one second")
    func demand() throws {
        let test = TestDevice(rates: .list([100, 400, 1600]))
        let manager = test.use { CMBatchedSensorManager() }
        manager.startAccelerometerUpdates()
        let demand = try #require(test.hub.demand(of: "accelerometer"))
        #expect(abs(demand.rate - 800) < 1e-9)
        #expect(demand.latency == 1)
        #expect(manager.accelerometerDataFrequency == 800)
        manager.stopAccelerometerUpdates()
        let slow = TestDevice(rates: .list([12.5, 100])).use { CMBatchedSensorManager() }
        #expect(slow.accelerometerDataFrequency == 100)
        let unknown = TestDevice().use { CMBatchedSensorManager() }
        #expect(unknown.accelerometerDataFrequency == 0)
    }

    @Test("An async sequence delivers batches, and the sensor stops when the loop ends")
    func sequence() async throws {
        let test = TestDevice()
        let updates = test.use { CMBatchedSensorManager().accelerometerUpdates() }
        let task = Task {
            var counts: [Int] = []
            for try await readings in updates {
                counts.append(readings.count)
                if counts.count == 3 { break }
            }
            return counts
        }
        await test.playback?.consumerGate.waitForConsumers(1)
        test.feedAtOnce(.accelerometer, count: 45, rate: 10)
        #expect(try await task.value == [10, 10, 10])
        #expect(test.hub.demand(of: "accelerometer") == nil)
    }

    @Test("Playback waits for a loop that processes a batch")
    func gate() async throws {
        let test = TestDevice()
        let updates = test.use { CMBatchedSensorManager().accelerometerUpdates() }
        let gate = try #require(test.playback?.consumerGate)
        let total = Box<Int>()
        let task = Task {
            for try await readings in updates { total.add(readings.count) }
        }
        await gate.waitForConsumers(1)
        for second in 0..<4 {
            test.feed(.accelerometer, count: 10, rate: 10, from: Double(second))
            await gate.waitUntilIdle()
            #expect(total.count == second)
        }
        task.cancel()
        try await task.value
        #expect(test.hub.demand(of: "accelerometer") == nil)
    }

    @Test("An async sequence throws an error if the sensor is lost")
    func loss() async throws {
        let test = TestDevice()
        let updates = test.use { CMBatchedSensorManager().accelerometerUpdates() }
        let task = Task { () -> Int in
            do {
                for try await _ in updates {}
                return 0
            } catch let error as NSError {
                return error.code
            }
        }
        await test.playback?.consumerGate.waitForConsumers(1)
        test.lose(.accelerometer)
        #expect(await task.value == 109)
    }

    @Test("Without the sensors, an async sequence throws and a handler is never called")
    func notAvailable() async {
        let test = TestDevice([.gyroscope])
        test.use {
            #expect(!CMBatchedSensorManager.isAccelerometerSupported)
            #expect(!CMBatchedSensorManager.isDeviceMotionSupported)
            #expect(CMBatchedSensorManager.authorizationStatus == .notDetermined)
        }
        let manager = test.use { CMBatchedSensorManager() }
        var readings = manager.accelerometerUpdates().makeAsyncIterator()
        await #expect(throws: NSError.self) { _ = try await readings.next() }
        var motions = manager.deviceMotionUpdates().makeAsyncIterator()
        await #expect(throws: NSError.self) { _ = try await motions.next() }
        manager.startDeviceMotionUpdates { _, _ in Issue.record("a handler without its sensors was called") }
        test.playback?.run()
        #expect(!manager.isDeviceMotionActive)
        #expect(manager.deviceMotionBatch == nil)
    }

    @Test("A handler receives one second of device motion per call")
    func deviceMotion() {
        let test = TestDevice([.accelerometer, .gyroscope], rates: .list([50, 100, 400]))
        #expect(test.use { CMBatchedSensorManager.isDeviceMotionSupported })
        let manager = test.use { CMBatchedSensorManager() }
        #expect(manager.deviceMotionDataFrequency == 200)
        let batches = Box<[Double]>()
        manager.startDeviceMotionUpdates { motions, error in
            #expect(error == nil)
            #expect(motions?.allSatisfy { $0.heading == -1 && $0.gravity.z == -1 } == true)
            batches.add(motions?.map(\.timestamp) ?? [])
        }
        #expect(manager.isDeviceMotionActive)
        #expect(manager.deviceMotionBatch == nil)
        test.feedRest(count: 350, rate: 100)
        #expect(batches.all.map(\.count) == [100, 100, 100])
        #expect(batches.all.compactMap(\.first) == [100, 101, 102])
        #expect(manager.deviceMotionBatch?.count == 100)
        manager.stopDeviceMotionUpdates()
        #expect(manager.deviceMotionBatch == nil)
        #expect(!manager.isDeviceMotionActive)
        #expect(!test.hub.hasSubscribers)
    }

    @Test("A device motion sequence delivers batches and throws when a sensor is lost; the sensors then stop")
    func deviceMotionSequence() async {
        let test = TestDevice([.accelerometer, .gyroscope])
        let updates = test.use { CMBatchedSensorManager().deviceMotionUpdates() }
        let counts = Box<Int>()
        let task = Task { () -> Int in
            do {
                for try await motions in updates { counts.add(motions.count) }
                return 0
            } catch let error as NSError {
                return error.code
            }
        }
        await test.playback?.consumerGate.waitForConsumers(1)
        test.feedRest(count: 250, rate: 100)
        await test.playback?.consumerGate.waitUntilIdle()
        test.lose(.accelerometer)
        #expect(await task.value == 109)
        #expect(counts.all == [100, 100])
        #expect(!test.hub.hasSubscribers)
    }
}
