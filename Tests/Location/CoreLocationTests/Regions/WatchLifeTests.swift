// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import LiveDevice
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

/// Regions, conditions and loops that start and end while events occur.
@Suite("Lifetimes of regions, conditions and loops")
final class WatchLifeTests {
    private let folder = NSTemporaryDirectory() + "watches-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func makeStore(_ device: SimulatedDevice) -> RegionStore {
        let path = folder + "/regions.json"
        return device.device.component(RegionStore.self) { _ in RegionStore(StateFile(path: path)) }
    }

    // MARK: Managers

    @Test("A region that is stopped in a callback receives no more events", arguments: 0...3)
    func stoppedInCallback(number: Int) throws {
        let recorder = try RegionRecorder.of { manager, device, recorder in
            for name in 0...3 { manager.startMonitoring(for: RegionDeliveryTests.circle(200, "\(name)")) }
            recorder.onEvent = { manager, region in
                guard recorder.events.last?.hasPrefix("inside") == true, region.identifier == "\(number)" else {
                    return
                }
                for name in 0...3 { manager.stopMonitoring(for: RegionDeliveryTests.circle(200, "\(name)")) }
            }
            try device.play()
        }
        // The regions before it have been reported by then. The region itself is not entered.
        let received = recorder.events.filter { $0.hasSuffix(" 30") }
        let before = (0..<number).flatMap { ["inside \($0) 30", "entered \($0) 30"] }
        #expect(received == before + ["inside \(number) 30"])
        #expect(recorder.events.last == "inside \(number) 30")
    }

    @Test("A region that replaces another receives none of its events")
    func replacedInCallback() throws {
        let recorder = try RegionRecorder.of { manager, device, recorder in
            manager.startMonitoring(for: RegionDeliveryTests.circle(200, "a"))
            manager.startMonitoring(for: RegionDeliveryTests.circle(200, "b"))
            recorder.onEvent = { manager, _ in
                guard recorder.events.last == "inside a 30" else { return }
                manager.startMonitoring(for: RegionDeliveryTests.circle(200, latitude: 10, "b"))
            }
            device.advance(by: 60)
        }
        #expect(!recorder.events.contains("entered b 30") && !recorder.events.contains("inside b 30"))
        #expect(recorder.events.suffix(3) == ["entered a 30", "started b", "outside b 32"])
    }

    @Test("Regions of an earlier run are loaded before the first access on any thread")
    func loadedOnce() throws {
        let first = try Drives.device(RegionDeliveryTests.drive)
        let store = makeStore(first)
        first.use {
            for name in 0..<20 { CLLocationManager().startMonitoring(for: RegionDeliveryTests.circle(9, "\(name)")) }
        }
        store.save(atOnce: true)
        for _ in 0..<20 {
            let next = try Drives.device(RegionDeliveryTests.drive)
            _ = makeStore(next)
            let counts = Mutex<[Int]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let count = MonitoredRegions.of(next.device).regions.count
                counts.withLock { $0.append(count) }
            }
            #expect(counts.withLock { $0 } == [20, 20, 20, 20])
        }
    }

    @Test("A delegate's changes to a reported region do not affect other managers")
    func changesRegion() throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        let recorders = [RegionRecorder(), RegionRecorder()]
        try device.use {
            let managers = [CLLocationManager(), CLLocationManager()]
            for (manager, recorder) in zip(managers, recorders) {
                manager.delegate = recorder
                recorder.onEvent = { _, region in (region.notifyOnEntry, region.notifyOnExit) = (false, false) }
            }
            managers[0].startMonitoring(for: RegionDeliveryTests.circle())
            try device.play()
            withExtendedLifetime(managers) {}
        }
        for recorder in recorders {
            #expect(recorder.events.filter { $0.hasPrefix("entered") || $0.hasPrefix("left") }.count == 4)
        }
    }

    @Test("A log handler can access regions while it is called about a damaged file")
    func asksInLog() throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        let path = folder + "/regions.json"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        let counts = Mutex<[Int]>([])
        _ = device.device.component(RegionStore.self) { device in
            RegionStore(
                StateFile(path: path) { [weak device] _ in
                    let count = device.map { MonitoredRegions.of($0).regions.count } ?? -1
                    counts.withLock { $0.append(count) }
                })
        }
        device.use { #expect(CLLocationManager().monitoredRegions.isEmpty) }
        #expect(counts.withLock { $0 } == [0])
    }

    // MARK: Monitors

    @Test("A released monitor does not affect its successor")
    func successor() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        try await device.use { () async throws in
            var former: MonitorCore? = MonitorCore(device: device.device, name: "test")
            former?.add(MonitorTests.condition(), "a", assuming: .unknown)
            let monitor = await CLMonitor("test")
            await monitor.add(MonitorTests.condition(), identifier: "a")
            weak let weakCore = former
            former = nil
            #expect(weakCore == nil)
            await device.advance(by: 40)
            var iterator = await monitor.events.makeAsyncIterator()
            #expect(try await iterator.next()?.state == .unsatisfied)
            #expect(try await iterator.next()?.state == .satisfied)
        }
    }

    @Test("A monitor has the conditions of an earlier run when it is created")
    func loadedAtFirst() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        let store = makeStore(device)
        await device.use {
            await CLMonitor("test").add(MonitorTests.condition(), identifier: "a")
            #expect(MonitorCore(device: device.device, name: "test").identifiers == ["a"])
        }
        store.save(atOnce: true)
        let next = try Drives.device(RegionDeliveryTests.drive)
        _ = makeStore(next)
        #expect(MonitorCore(device: next.device, name: "test").identifiers == ["a"])
    }

    /// A geofence that moves with the device: each exit replaces the circle with a new one.
    @Test("A processed event of a replaced condition is not stored for the new condition")
    func movingFence() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        let store = makeStore(device)
        try await device.use { () async throws in
            let monitor = await CLMonitor("fence")
            await monitor.add(MonitorTests.condition(), identifier: "here")
            await device.advance(by: 10)
            var iterator = await monitor.events.makeAsyncIterator()
            #expect(try await iterator.next()?.state == .unsatisfied)
            // The current fix is outside the new circle, too.
            await monitor.add(MonitorTests.condition(300), identifier: "here")
            // The request for the next event indicates that the loop has processed the first circle's event.
            #expect(try await iterator.next()?.state == .unsatisfied)
            let stored = store.load(.monitor("fence"))
            #expect(stored.map(\.radius) == [300])
            #expect(stored.map(\.state) == [Int(CLMonitor.Event.State.unknown.rawValue)])
        }
    }

    @Test("Each event is delivered once and in order, even if loops start and end")
    func loopsStartAndEnd() async throws {
        let count = 1000
        let device = try Drives.device(RegionDeliveryTests.drive)
        let events = try await device.use {
            let monitor = await CLMonitor("test")
            // A condition with an identifier of this length causes an event and is not added.
            let name = String(repeating: "x", count: RegionShape.maximumIdentifierLength)
            let writer = Task.detached {
                for number in 0..<count { await monitor.add(MonitorTests.condition(), identifier: "\(name) \(number)") }
            }
            var found: [Int] = []
            for round in 0... {
                let task = Task { () -> [Int] in
                    var numbers: [Int] = []
                    for try await event in await monitor.events {
                        numbers.append(Int(event.identifier.dropFirst(name.count + 1)) ?? -1)
                        if numbers.count == 3 || numbers.last == count - 1 { break }
                    }
                    return numbers
                }
                // Cancels every other loop at an arbitrary point.
                if round.isMultiple(of: 2) { task.cancel() }
                found += try await task.value
                if found.last == count - 1 { break }
            }
            await writer.value
            return found
        }
        #expect(events == Array(0..<count))
    }

    @Test("A new loop ends the previous one and receives its remaining events")
    func takesOver() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        try await device.use { () async throws in
            let monitor = await CLMonitor("test")
            await monitor.add(MonitorTests.condition(), identifier: "a")
            await device.advance(by: 80)
            var first = await monitor.events.makeAsyncIterator()
            var second = await monitor.events.makeAsyncIterator()
            #expect(try await first.next()?.state == .unsatisfied)
            #expect(try await second.next()?.state == .satisfied)
            #expect(try await first.next() == nil)
            #expect(try await second.next()?.state == .unsatisfied)
        }
    }

    @Test("A replaced loop that ends later does not undo the progress of its successor")
    func doneLater() async throws {
        let device = try Drives.device(RegionDeliveryTests.drive)
        let store = makeStore(device)
        try await device.use { () async throws in
            let monitor = await CLMonitor("test")
            await monitor.add(MonitorTests.condition(), identifier: "a")
            await device.advance(by: 80)
            var first = await monitor.events.makeAsyncIterator()
            var second = await monitor.events.makeAsyncIterator()
            #expect(try await first.next()?.state == .unsatisfied)
            #expect(try await second.next()?.state == .satisfied)
            #expect(try await second.next()?.state == .unsatisfied)
            #expect(try await first.next() == nil)
            let stored = store.load(.monitor("test"))
            #expect(stored.map(\.state) == [Int(CLMonitor.Event.State.satisfied.rawValue)])
        }
    }
}
