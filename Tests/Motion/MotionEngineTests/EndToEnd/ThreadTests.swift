// SPDX-License-Identifier: Apache-2.0

import CoreMotion
import DeviceCore
import DeviceSupport
import Dispatch
import Synchronization
import TestSupport
import Testing

@Suite("Concurrent use of managers", .timeLimit(.minutes(30)))
struct ThreadTests {
    /// Sensors that deliver readings on their own threads, like live sensors.
    private final class Sensors: Sendable {
        let hub = MotionHub(
            sensors: [
                SensorDescription(id: "accelerometer", kind: .accelerometer),
                SensorDescription(id: "gyroscope", kind: .gyroscope),
            ], demandChanged: {})
        let device: Device
        private let isOver = Atomic<Bool>(false)
        private let threads = DispatchGroup()

        init() {
            device = Device(
                name: "test", clock: VirtualClock(now: BootTime(nanoseconds: 1)), configuration: Configuration(),
                positionSource: PositionHub(demandChanged: {}), motionSource: hub)
        }

        /// Feeds readings until the closure returns.
        func running<Result>(_ body: () throws -> Result) rethrows -> Result {
            for kind in [SensorKind.accelerometer, .gyroscope] {
                threads.enter()
                // Uses separate threads, because threads of Dispatch would prevent operations from running.
                Thread.detachNewThread { [self] in
                    var time = Int64(1)
                    while !isOver.load(ordering: .relaxed) {
                        time += 1_000_000
                        hub.post(
                            MotionBatch(
                                sensor: kind.rawValue, kind: kind, values: [[0, 0, 9.80665]],
                                times: [BootTime(nanoseconds: time)]))
                        sched_yield()
                    }
                    threads.leave()
                }
            }
            defer {
                isOver.store(true, ordering: .relaxed)
                threads.wait()
            }
            return try body()
        }
    }

    /// Removes an observer on deinitialization. A remaining observer would also be called for the next object at the
    /// same address.
    private final class Observer: @unchecked Sendable {
        var token: (any NSObjectProtocol)?

        deinit {
            if let token { NotificationCenter.default.removeObserver(token) }
        }
    }

    private struct Shared: @unchecked Sendable {
        // The manager may be used from any thread although it is not Sendable, as on Apple's platforms.
        let manager: CMMotionManager
    }

    @Test("Updates started and stopped on four threads are inactive after the last stop")
    func startAndStop() {
        let sensors = Sensors()
        let manager = sensors.device.withCurrent { CMMotionManager() }
        let shared = Shared(manager: manager)
        let calls = Atomic<Int>(0)
        sensors.running {
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                let queue = OperationQueue()
                for round in 0..<Thoroughness.rounds(500, quick: 50) {
                    switch (round &* 7 &+ thread) % 5 {
                    case 0: shared.manager.stopAccelerometerUpdates()
                    case 1: shared.manager.accelerometerUpdateInterval = Double(round % 3) / 100
                    case 2: shared.manager.startAccelerometerUpdates()
                    case 3: _ = shared.manager.accelerometerData
                    default:
                        shared.manager.startAccelerometerUpdates(to: queue) { _, _ in
                            calls.add(1, ordering: .relaxed)
                        }
                    }
                }
                queue.waitUntilAllOperationsAreFinished()
            }
            manager.stopAccelerometerUpdates()
            #expect(manager.accelerometerData == nil)
        }
        #expect(!manager.isAccelerometerActive)
        #expect(!sensors.hub.hasSubscribers)
    }

    @Test("Device motion updates started and stopped on four threads are inactive after the last stop")
    func startAndStopDeviceMotion() {
        let sensors = Sensors()
        let manager = sensors.device.withCurrent { CMMotionManager() }
        let shared = Shared(manager: manager)
        let calls = Atomic<Int>(0)
        sensors.running {
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                let queue = OperationQueue()
                for round in 0..<Thoroughness.rounds(300, quick: 30) {
                    switch (round &* 7 &+ thread) % 6 {
                    case 0: shared.manager.stopDeviceMotionUpdates()
                    case 1: shared.manager.deviceMotionUpdateInterval = Double(round % 3) / 100
                    case 2: shared.manager.startDeviceMotionUpdates()
                    case 3: _ = shared.manager.deviceMotion
                    case 4: shared.manager.startDeviceMotionUpdates(using: .xTrueNorthZVertical)
                    default:
                        shared.manager.startDeviceMotionUpdates(to: queue) { _, _ in
                            calls.add(1, ordering: .relaxed)
                        }
                    }
                }
                queue.waitUntilAllOperationsAreFinished()
            }
            manager.stopDeviceMotionUpdates()
            #expect(manager.deviceMotion == nil)
        }
        #expect(!manager.isDeviceMotionActive)
        #expect(!sensors.hub.hasSubscribers)
    }

    @Test("While a handler runs, another thread can use the manager")
    func noLock() {
        let sensors = Sensors()
        let manager = sensors.device.withCurrent { CMMotionManager() }
        let shared = Shared(manager: manager)
        let done = DispatchSemaphore(value: 0)
        let wasFree = Atomic<Bool>(false)
        manager.startAccelerometerUpdates(to: OperationQueue()) { _, _ in
            let other = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                shared.manager.startGyroUpdates()
                _ = shared.manager.accelerometerData
                _ = shared.manager.isAccelerometerActive
                shared.manager.accelerometerUpdateInterval = 0.5
                shared.manager.stopAccelerometerUpdates()
                other.signal()
            }
            if other.wait(timeout: .now() + 60) == .success { wasFree.store(true, ordering: .relaxed) }
            done.signal()
        }
        sensors.running { #expect(done.wait(timeout: .now() + 120) == .success) }
        let isFree = wasFree.load(ordering: .relaxed)
        #expect(isFree)
        manager.stopGyroUpdates()
        #expect(!sensors.hub.hasSubscribers)
    }

    @Test("A manager that is released by its handler on an operation queue stops its sensor")
    func release() {
        let sensors = Sensors()
        let retained = Mutex<Shared?>(nil)
        let done = DispatchSemaphore(value: 0)
        let queue = OperationQueue()
        sensors.running {
            sensors.device.withCurrent {
                let shared = Shared(manager: CMMotionManager())
                retained.withLock { $0 = shared }
                shared.manager.startAccelerometerUpdates(to: queue) { _, _ in
                    let last = retained.withLock { retained -> Shared? in
                        defer { retained = nil }
                        return retained
                    }
                    if last != nil { done.signal() }
                }
            }
            #expect(done.wait(timeout: .now() + 60) == .success)
            // The operation that runs the handler holds the last reference.
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(!sensors.hub.hasSubscribers)
    }

    @Test("A handler on a suspended queue receives the newest 1,024 readings once after the queue resumes")
    func suspended() {
        let sensors = Sensors()
        let manager = sensors.device.withCurrent { CMMotionManager() }
        let queue = OperationQueue()
        queue.isSuspended = true
        let times = Mutex<[Double]>([])
        manager.accelerometerUpdateInterval = 0
        manager.startAccelerometerUpdates(to: queue) { data, _ in
            guard let data else { return }
            times.withLock { $0.append(data.timestamp) }
        }
        for index in 1...5000 {
            sensors.hub.post(
                MotionBatch(
                    sensor: "accelerometer", kind: .accelerometer, values: [.zero],
                    times: [BootTime(nanoseconds: Int64(index) * 1_000_000_000)]))
        }
        #expect(times.withLock { $0 }.isEmpty)
        #expect(queue.operationCount == 1)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(times.withLock { $0 } == (3977...5000).map { Double($0) })
        #expect(manager.droppedAccelerometerDataCount == 3976)
        manager.stopAccelerometerUpdates()
    }

    @Test("Handlers on the main operation queue may post notifications to observers on the same queue")
    func posting() async {
        let sensors = Sensors()
        let manager = sensors.device.withCurrent { CMMotionManager() }
        let name = NSNotification.Name("ThreadTests.posting")
        let observer = Observer()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFirst = Atomic<Bool>(true)
            observer.token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
                if isFirst.exchange(false, ordering: .relaxed) { continuation.resume() }
            }
            manager.startAccelerometerUpdates(to: .main) { _, _ in
                #expect(OperationQueue.current === OperationQueue.main)
                NotificationCenter.default.post(name: name, object: nil)
            }
            DispatchQueue.global().async {
                sensors.hub.post(
                    MotionBatch(
                        sensor: "accelerometer", kind: .accelerometer, values: [.zero],
                        times: [BootTime(nanoseconds: 1)]))
            }
        }
        manager.stopAccelerometerUpdates()
        withExtendedLifetime(observer) {}
        #expect(!sensors.hub.hasSubscribers)
    }

    @Test("An orientation change detected on a sensor's thread is posted on the main queue")
    func orientation() async {
        let sensors = Sensors()
        let machine = sensors.device.withCurrent { UIDevice.current }
        let observer = Observer()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isFirst = Atomic<Bool>(true)
            observer.token = NotificationCenter.default.addObserver(
                forName: UIDevice.orientationDidChangeNotification, object: machine, queue: .main
            ) { _ in
                // Traps on other queues. A notification posted outside an operation of the main queue would never
                // return, because Foundation would wait for an operation of that queue.
                dispatchPrecondition(condition: .onQueue(.main))
                if isFirst.exchange(false, ordering: .relaxed) { continuation.resume() }
            }
            machine.beginGeneratingDeviceOrientationNotifications()
            DispatchQueue.global().async {
                for step in 1...100 {
                    sensors.hub.post(
                        MotionBatch(
                            sensor: "accelerometer", kind: .accelerometer, values: [[0, 0, 9.80665]],
                            times: [BootTime(nanoseconds: Int64(step) * 50_000_000)]))
                }
            }
        }
        #expect(machine.orientation == .faceUp)
        machine.endGeneratingDeviceOrientationNotifications()
        withExtendedLifetime(observer) {}
        #expect(!sensors.hub.hasSubscribers)
    }
}
