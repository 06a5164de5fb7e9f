// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing

@testable import CoreLocation

@Suite("Beacon regions")
struct BeaconConditionTests {
    /// A device with a radio and a clock that the test advances.
    private final class Stage {
        let clock = VirtualClock(now: .zero, wallTime: WallTime(nanoseconds: 1_777_629_600_000_000_000))
        let hub = BeaconHub()
        let positions = PositionHub(demandChanged: {})
        lazy var device = Device(
            name: "radio", clock: clock, configuration: Configuration(), positionSource: positions, beaconSource: hub)
        let uuid = UUID()

        func receiveSighting(minor: UInt16) {
            hub.post(
                BeaconSighting(
                    identity: BeaconIdentity(uuid: BeaconUUID(uuid), major: 1, minor: minor), rssi: -60,
                    measuredPower: -59, time: clock.now))
        }

        func advance(_ seconds: Double) {
            let end = clock.now.advanced(bySeconds: seconds)
            while clock.runNextTimer(upTo: end) {}
            clock.move(to: end)
        }
    }

    @Test("A sighting satisfies a condition, 30 s of silence end it, and a lost radio changes nothing")
    func detectsBeacons() async throws {
        let stage = Stage()
        let monitor = await Device.$current.withValue(stage.device) { await CLMonitor("beacons") }
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: stage.uuid, major: 1), identifier: "group")
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "other")
        #expect(stage.hub.hasSubscribers && !stage.positions.hasSubscribers)
        var iterator = await monitor.events.makeAsyncIterator()
        stage.advance(10)
        stage.receiveSighting(minor: 7)
        let first = try await iterator.next()
        #expect(first?.identifier == "group" && first?.state == .satisfied)
        #expect(first.map { Drives.second($0.date) } == 10)
        #expect(
            first?.refinement as? CLMonitor.BeaconIdentityCondition
                == CLMonitor.BeaconIdentityCondition(uuid: stage.uuid, major: 1, minor: 7))
        stage.advance(20)
        stage.receiveSighting(minor: 8)
        // The other beacon has not been sighted for 30 seconds. The group has been silent since second 30.
        let second = try await iterator.next()
        #expect(second?.identifier == "other" && second?.state == .unsatisfied)
        stage.advance(25)
        stage.hub.setStatus(.unavailable(DeviceError(.notFound, "The adapter is gone.")))
        stage.advance(100)
        stage.hub.setStatus(.available)
        stage.advance(29)
        stage.receiveSighting(minor: 8)
        stage.advance(30)
        let third = try await iterator.next()
        #expect(third?.identifier == "group" && third?.state == .unsatisfied)
        // 10 + 20 + 25 + 100 + 29 + 30 seconds.
        #expect(third.map { Drives.second($0.date) } == 214)
    }

    @Test("A pending event is not delivered after its condition is removed")
    @MainActor func removedBeforeDelivery() async throws {
        let stage = Stage()
        let core = MonitorCore.of(stage.device, "beacons")
        let other = UUID()
        core.add(CLMonitor.BeaconIdentityCondition(uuid: stage.uuid), "a", assuming: .unknown)
        core.add(CLMonitor.BeaconIdentityCondition(uuid: other), "b", assuming: .unknown)
        let loop = MonitorEventLoop(core)
        let task = Task { @MainActor in await loop.next()?.identifier }
        // The task runs until it waits. No other job of the main actor runs between the following lines.
        await Task.yield()
        stage.receiveSighting(minor: 1)
        core.remove("a")
        stage.advance(31)
        #expect(await task.value == "b")
        loop.finish()
    }

    @Test("After a loss that ends without a subscriber, sightings and silence are reported again")
    func radioRegainedWithoutSighting() async throws {
        let stage = Stage()
        let monitor = await Device.$current.withValue(stage.device) { await CLMonitor("beacons") }
        let condition = CLMonitor.BeaconIdentityCondition(uuid: stage.uuid)
        await monitor.add(condition, identifier: "a")
        stage.hub.setStatus(.unavailable(DeviceError(.notFound, "The adapter is gone.")))
        await monitor.remove("a")
        #expect(!stage.hub.hasSubscribers)
        stage.hub.setStatus(.available)
        stage.advance(100)
        await monitor.add(condition, identifier: "a")
        stage.advance(29)
        var iterator = await monitor.events.makeAsyncIterator()
        stage.receiveSighting(minor: 1)
        #expect(try await iterator.next()?.state == .satisfied)
        stage.advance(31)
        let silence = try await iterator.next()
        #expect(silence?.state == .unsatisfied && silence.map { Drives.second($0.date) } == 159)
    }

    @Test("Without a radio, a condition is reported as unsupported, and a region fails with the reason")
    @MainActor func noRadio() async throws {
        let deviceWithoutRadio = Device(
            name: "deaf", clock: VirtualClock(), configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}))
        let monitor = await Device.$current.withValue(deviceWithoutRadio) { await CLMonitor("beacons") }
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID()), identifier: "a")
        var iterator = await monitor.events.makeAsyncIterator()
        let event = try await iterator.next()
        #expect(event?.state == .unmonitored && event?.conditionUnsupported == true)
        let recorder = RegionRecorder()
        let manager = Device.$current.withValue(deviceWithoutRadio) { CLLocationManager() }
        manager.delegate = recorder
        manager.startMonitoring(for: CLBeaconRegion(uuid: UUID(), identifier: "door"))
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(recorder.events == ["failed door 5"])
    }

    @Test("No beacon subscription starts after another thread has revoked the authorization")
    func revokedDuringUpdate() {
        let pending = Mutex<LocationAuthorization?>(nil)
        let hasStarted = Atomic<Bool>(false)
        let isRevoked = DispatchSemaphore(value: 0)
        let positions = PositionHub {
            guard let authorization = pending.withLock({ $0.take() }) else { return }
            // Once the status has changed, the thread waits until the engine has updated the position subscription.
            Thread.detachNewThread {
                authorization.status = .denied
                isRevoked.signal()
            }
            while authorization.status != .denied { sched_yield() }
        }
        var configuration = Configuration()
        configuration.locationRule = Setting(.always, origin: .program)
        configuration.reducesAccuracy = Setting(true, origin: .program)
        let device = Device(
            name: "radio", clock: VirtualClock(), configuration: configuration, positionSource: positions,
            beaconSource: BeaconHub { hasStarted.store(true, ordering: .relaxed) })
        let engine = RegionEngine.of(device)
        let circle = CLRegion.Circle(center: CLLocationCoordinate2D(latitude: 48, longitude: 11), radius: 200)
        engine.watch(RegionEngine.WatchID(), .circle(circle)) { _ in }
        engine.watch(RegionEngine.WatchID(), .beacons(BeaconPattern(uuid: BeaconUUID(UUID())))) { _ in }
        let authorization = LocationAuthorization.of(device)
        pending.withLock { $0 = authorization }
        authorization.accuracy = .fullAccuracy
        #expect(isRevoked.wait(timeout: .now() + 60) == .success)
        #expect(!hasStarted.load(ordering: .relaxed) && !positions.hasSubscribers)
        withExtendedLifetime(device) {}
    }

    @Test("A manager reports entry to and exit from a beacon region")
    @MainActor func region() async throws {
        let stage = Stage()
        let recorder = RegionRecorder()
        let manager = Device.$current.withValue(stage.device) { CLLocationManager() }
        manager.delegate = recorder
        let region = CLBeaconRegion(uuid: stage.uuid, identifier: "door")
        manager.startMonitoring(for: region)
        stage.advance(31)
        stage.receiveSighting(minor: 1)
        stage.advance(30)
        #expect(
            Device.$current.withValue(stage.device) {
                CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self)
            })
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(
            recorder.events == [
                "started door", "outside door 30", "inside door 31", "entered door 31", "outside door 61",
                "left door 61",
            ])
    }
}
