// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import LiveDevice
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

/// Persistence of regions. Each device in these tests represents one run of a program.
@Suite("Regions across runs of a program")
final class RegionStoreTests {
    private let folder = NSTemporaryDirectory() + "regions-\(UUID().uuidString)"
    private var path: String { folder + "/regions.json" }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Returns the device of a run that plays some of the drive's lines.
    private func run(_ lines: ArraySlice<String>) throws -> SimulatedDevice {
        let device = try Drives.device(Array(lines))
        let path = path
        _ = device.device.component(RegionStore.self) { _ in RegionStore(StateFile(path: path)) }
        return device
    }

    private var drive: [String] { RegionDeliveryTests.drive }

    @Test(
        "A program that is killed at any second reports each crossing once",
        arguments: Array(stride(from: 5, to: 200, by: 13)))
    func killed(second: Int) throws {
        let recorder = RegionRecorder()
        let first = try run(drive[..<second])
        let manager = try first.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            manager.startMonitoring(for: RegionDeliveryTests.circle())
            try first.play()
            return manager
        }
        // Writes the pending changes, which the store would write a moment later.
        RegionStore.of(first.device).save(atOnce: true)
        manager.delegate = nil
        let next = try run(drive[second...])
        try next.use {
            let manager = CLLocationManager()
            manager.delegate = recorder
            #expect(manager.monitoredRegions == [RegionDeliveryTests.circle()])
            try next.play()
        }
        let crossings = recorder.events.filter { $0.hasPrefix("entered") || $0.hasPrefix("left") }
        let kinds = crossings.map { $0.split(separator: " ")[0] }
        #expect(kinds == ["entered", "left", "entered", "left"])
    }

    @Test("A move between two runs is reported once, and an unchanged state is not reported again")
    func moved() throws {
        let recorder = RegionRecorder()
        for part in [0..<20, 40..<60, 45..<60, 80..<100] {
            let device = try run(drive[part])
            try device.use {
                let manager = CLLocationManager()
                manager.delegate = recorder
                if part.lowerBound == 0 { manager.startMonitoring(for: RegionDeliveryTests.circle()) }
                try device.play()
            }
            RegionStore.of(device.device).save(atOnce: true)
        }
        let received = recorder.events.filter { !$0.hasPrefix("started") }
        #expect(received == ["outside home 0", "inside home 40", "entered home 40", "outside home 80", "left home 80"])
    }

    @Test("A file truncated at any byte is ignored with a warning")
    func truncated() throws {
        let device = try run(drive[..<50])
        device.use {
            let manager = CLLocationManager()
            manager.startMonitoring(for: RegionDeliveryTests.circle())
            manager.startMonitoring(for: RegionDeliveryTests.circle(50, "\"quoted\" \n"))
        }
        RegionStore.of(device.device).save(atOnce: true)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count > 200)
        // Only the owner may read the file, because it reveals the user's location.
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        for count in 0..<bytes.count {
            try bytes.prefix(count).write(to: URL(fileURLWithPath: path))
            let warnings = Mutex<[String]>([])
            let file = StateFile(path: path) { text in warnings.withLock { $0.append(text) } }
            let store = RegionStore(file)
            #expect(store.load(.managers).isEmpty && store.load(.monitor("x")).isEmpty)
            #expect(warnings.withLock { $0.count == 1 && $0[0].contains(path) })
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let next = try run(drive[..<50])
        next.use {
            #expect(CLLocationManager().monitoredRegions.map(\.identifier).sorted() == ["\"quoted\" \n", "home"])
        }
    }

    @Test("Invalid values are ignored, and valid ones are kept")
    func damaged() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let good = "{\"identifier\":\"good\",\"latitude\":48,\"longitude\":11,\"radius\":100,\"state\":7}"
        let bad = [
            good.replacingOccurrences(of: "100", with: "-5"), good.replacingOccurrences(of: "48", with: "480"),
            "{\"identifier\":\"none\",\"state\":1}", "{\"identifier\":\"uuid\",\"uuid\":\"zz\",\"state\":1}",
        ]
        let text =
            "{\"format\":\"device-services-regions\",\"version\":1,\"managers\":[\((bad + [good]).joined(separator: ","))],\"monitors\":{}}"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let device = try run(drive[..<50])
        device.use {
            #expect(CLLocationManager().monitoredRegions.map(\.identifier) == ["good"])
        }
        for other in [
            text.replacingOccurrences(of: "\"version\":1", with: "\"version\":2"),
            text.replacingOccurrences(of: "-regions", with: "-other"), "[]", "{}",
        ] {
            try Data(other.utf8).write(to: URL(fileURLWithPath: path))
            #expect(RegionStore(StateFile(path: path) { _ in }).load(.managers).isEmpty)
        }
    }

    @Test("A monitor restores its conditions and reports changed states")
    func monitors() async throws {
        for (part, expected) in [(0..<20, ["unsatisfied 0"]), (25..<60, ["satisfied 30"]), (60..<65, [])] {
            let device = try run(drive[part])
            let found = Mutex<[String]>([])
            try await device.use {
                let monitor = await CLMonitor("depot")
                if part.lowerBound == 0 {
                    await monitor.add(MonitorTests.condition(), identifier: "yard")
                }
                #expect(await monitor.identifiers == ["yard"])
                let task = Task { @Sendable in
                    for try await event in await monitor.events {
                        found.withLock { $0.append("\(event.state) \(Int(Drives.second(event.date).rounded()))") }
                    }
                }
                await device.waitForConsumers(1)
                try await device.play()
                task.cancel()
                try await task.value
            }
            RegionStore.of(device.device).save(atOnce: true)
            #expect(found.withLock { $0 } == expected)
        }
    }

    @Test("A program killed while it processes an event receives the event again, and no other")
    func killedAtWork() async throws {
        // The device is inside from second 30 to 71.
        let first = try run(drive[..<60])
        try await first.use { () async throws in
            let monitor = await CLMonitor("depot")
            await monitor.add(MonitorTests.condition(), identifier: "yard")
            await first.advance(by: 60)
            var iterator = await monitor.events.makeAsyncIterator()
            #expect(try await iterator.next()?.state == .unsatisfied)
            #expect(try await iterator.next()?.state == .satisfied)
            // The program is killed here. The next run reads the file as it is now.
            RegionStore.of(first.device).save(atOnce: true)
            let next = try run(drive[40..<60])
            try await next.use { () async throws in
                let monitor = await CLMonitor("depot")
                #expect(await monitor.record(for: "yard")?.lastEvent.state == .unsatisfied)
                await next.advance(by: 20)
                var iterator = await monitor.events.makeAsyncIterator()
                #expect(try await iterator.next()?.state == .satisfied)
            }
        }
    }

    @Test("Regions of a played device are not stored, and a path that cannot be written is reported")
    func unavailable() throws {
        let played = try Drives.device(drive)
        played.use { CLLocationManager().startMonitoring(for: RegionDeliveryTests.circle()) }
        #expect(!RegionStore.of(played.device).isUnavailable)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder + "/file"))
        let store = RegionStore(StateFile(path: folder + "/file/regions.json") { _ in })
        store.replace(.managers, with: [StoredRegion(RegionDeliveryTests.circle(), state: .inside, date: 1)])
        store.save(atOnce: true)
        #expect(store.isUnavailable)
    }
}
