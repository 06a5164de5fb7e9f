// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

/// Collects the events of a motion subscription.
private final class MotionCollector: Sendable {
    private let list = Mutex<[MotionEvent]>([])

    var receive: @Sendable (MotionEvent) -> Void {
        { [self] event in list.withLock { $0.append(event) } }
    }

    var values: [SIMD3<Double>] {
        list.withLock { $0 }.flatMap { if case .samples(let batch) = $0 { batch.values } else { [SIMD3<Double>]() } }
    }

    var batches: Int {
        list.withLock { $0 }.count { if case .samples = $0 { true } else { false } }
    }

    /// The notifications, without the samples.
    var statusChanges: [String] {
        list.withLock { $0 }.compactMap { event in
            switch event {
            case .samples: nil
            case .lost(let error): "lost: \(error.message)"
            case .regained: "regained"
            }
        }
    }
}

@Suite("Motion hub")
struct MotionHubTests {
    private static func sensor(
        _ id: String = "accel", _ kind: SensorKind = .accelerometer, matrix: MountMatrix = .identity
    ) -> SensorDescription {
        var description = SensorDescription(id: id, kind: kind)
        description.mountMatrix = matrix
        return description
    }

    private static func batch(
        _ id: String = "accel", from start: Double = 0, interval: Double = 0.01, count: Int = 1,
        value: SIMD3<Double> = [1, 2, 3]
    ) -> MotionBatch {
        MotionBatch(
            sensor: id, kind: .accelerometer, values: Array(repeating: value, count: count),
            times: (0..<count).map { BootTime.zero.advanced(bySeconds: start + Double($0) * interval) })
    }

    @Test("The demand has the rate of the fastest subscriber and ends with the last subscription")
    func demand() {
        let changes = Atomic<Int>(0)
        let hub = MotionHub(sensors: [Self.sensor()]) { changes.add(1, ordering: .relaxed) }
        #expect(hub.demand(of: "accel") == nil)
        let slow = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.1, latency: 1)) { _ in }
        #expect(hub.demand(of: "accel") == MotionDemand(interval: 0.1, latency: 1, decimates: true))
        let fast = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.01)) { _ in }
        #expect(hub.demand(of: "accel") == MotionDemand(interval: 0.01, latency: 0, decimates: false))
        let observer = hub.subscribe(MotionRequest(kind: .accelerometer, includesAllReadings: true)) { _ in }
        #expect(hub.demand(of: "accel") == MotionDemand(interval: 0.01, latency: 0, decimates: false))
        let filter = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.01, decimates: false)) { _ in }
        observer.cancel()
        #expect(hub.demand(of: "accel")?.decimates == false)
        filter.cancel()
        slow.cancel()
        #expect(hub.demand(of: "accel")?.decimates == true)
        let last = hub.subscribe(MotionRequest(kind: .accelerometer, includesAllReadings: true)) { _ in }
        fast.cancel()
        #expect(hub.demand(of: "accel")?.rate == 0)
        #expect(hub.hasSubscribers)
        last.cancel()
        #expect(hub.demand(of: "accel") == nil)
        #expect(!hub.hasSubscribers)
        #expect(changes.load(ordering: .relaxed) == 10)
    }

    @Test("Each subscriber receives readings at its requested rate")
    func decimation() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let (all, every, fifth) = (MotionCollector(), MotionCollector(), MotionCollector())
        let subscriptions = [
            hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.01), receive: all.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer), receive: every.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.05), receive: fifth.receive),
        ]
        for index in 0..<50 { hub.post(Self.batch(from: Double(index) * 0.1, count: 10)) }
        #expect(all.values.count == 500)
        #expect(every.values.count == 500)
        #expect(fifth.values.count == 100)
        #expect(all.batches == 50)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("Readings that the source has decimated are all delivered, even if they are slightly early")
    func decimatedBySource() throws {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.1), receive: collector.receive)
        // Every tenth reading of a 101 Hz sensor. The subscriber's own decimation would drop one reading in a hundred.
        for index in 0..<300 {
            var batch = Self.batch(from: Double(index) * 10 / 101, count: 1)
            batch.decimationFactor = 10
            hub.post(batch)
        }
        #expect(collector.values.count == 300)
        #expect(abs(try #require(hub.measuredRate(of: "accel")) - 101) < 0.1)
        subscription.cancel()
    }

    @Test("Until the rate is measured, a subscriber at the sensor's own rate receives every reading of a burst")
    func bunched() {
        var sensor = Self.sensor()
        sensor.rates = .list([100, 500])
        let hub = MotionHub(sensors: [sensor]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(
            MotionRequest(kind: .accelerometer, interval: 0.002), receive: collector.receive)
        hub.post(Self.batch(from: 1, interval: 0.002, count: 16))
        // A late batch, whose time stamps are compressed to precede the next batch.
        hub.post(Self.batch(from: 1.032, interval: 0.0005, count: 16))
        #expect(collector.values.count == 32)
        withExtendedLifetime(subscription) {}
    }

    @Test("The mount matrix is applied once, and only for subscribers that request device axes")
    func axes() {
        let rotation = MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1])
        let hub = MotionHub(sensors: [Self.sensor(matrix: rotation)]) {}
        let (device, sensor) = (MotionCollector(), MotionCollector())
        let subscriptions = [
            hub.subscribe(MotionRequest(kind: .accelerometer), receive: device.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer, axes: .sensor), receive: sensor.receive),
        ]
        hub.post(Self.batch(value: [1, 2, 3]))
        #expect(device.values == [[-2, 1, 3]])
        #expect(sensor.values == [[1, 2, 3]])
        withExtendedLifetime(subscriptions) {}
    }

    private static let lost = SourceStatus.unavailable(DeviceError(.connectionLost, "gone"))
    private static let stillLost = SourceStatus.unavailable(DeviceError(.unreachable, "still gone"))

    @Test("A loss and its end are reported once each, and a lasting loss also to new subscribers")
    func losses() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let (first, second) = (MotionCollector(), MotionCollector())
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer), receive: first.receive)
        hub.setStatus(Self.lost, of: "accel")
        hub.setStatus(Self.stillLost, of: "accel")
        let late = hub.subscribe(MotionRequest(kind: .accelerometer), receive: second.receive)
        #expect(second.statusChanges == ["lost: still gone"])
        hub.setStatus(.available, of: "accel")
        hub.setStatus(.available, of: "accel")
        #expect(first.statusChanges == ["lost: gone", "regained"])
        #expect(second.statusChanges == ["lost: still gone", "regained"])
        withExtendedLifetime((subscription, late)) {}
    }

    @Test("An unknown status is not reported and does not end a loss")
    func unknownStatus() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let (first, second) = (MotionCollector(), MotionCollector())
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer), receive: first.receive)
        hub.setStatus(.unknown, of: "accel")
        hub.setStatus(Self.lost, of: "accel")
        hub.setStatus(.unknown, of: "accel")
        let late = hub.subscribe(MotionRequest(kind: .accelerometer), receive: second.receive)
        #expect(first.statusChanges == ["lost: gone"])
        #expect(second.statusChanges.isEmpty)
        hub.post(Self.batch())
        #expect(first.statusChanges == ["lost: gone", "regained"])
        #expect(second.statusChanges.isEmpty)
        withExtendedLifetime((subscription, late)) {}
    }

    @Test("The status of a sensor does not depend on its subscribers")
    func lastingLoss() {
        let hub = MotionHub(sensors: [Self.sensor(), Self.sensor("gyro", .gyroscope)]) {}
        hub.setStatus(Self.lost, of: "gyro")
        let other = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in }
        let first = hub.subscribe(MotionRequest(kind: .gyroscope)) { event in
            if case .lost = event { other.cancel() }
        }
        first.cancel()
        let collector = MotionCollector()
        let second = hub.subscribe(MotionRequest(kind: .gyroscope), receive: collector.receive)
        #expect(collector.statusChanges == ["lost: gone"])
        hub.setStatus(.available, of: "gyro")
        #expect(collector.statusChanges == ["lost: gone", "regained"])
        withExtendedLifetime(second) {}
    }

    @Test("A loss that ends during a new subscriber's loss callback ends for that subscriber too")
    func endedLoss() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let first = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in }
        hub.setStatus(Self.lost, of: "accel")
        let collector = MotionCollector()
        let second = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            collector.receive(event)
            if case .lost = event { hub.post(Self.batch(value: [1, 1, 1])) }
        }
        #expect(collector.statusChanges == ["lost: gone", "regained"])
        hub.post(Self.batch(from: 1, value: [2, 2, 2]))
        #expect(collector.values == [[2, 2, 2]])
        withExtendedLifetime((first, second)) {}
    }

    @Test("A loss that begins and ends while a subscriber handles an event is not reported to it")
    func unseenLoss() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            collector.receive(event)
            guard case .regained = event else { return }
            hub.setStatus(Self.stillLost, of: "accel")
            hub.setStatus(.available, of: "accel")
        }
        hub.setStatus(Self.lost, of: "accel")
        hub.setStatus(.available, of: "accel")
        #expect(collector.statusChanges == ["lost: gone", "regained"])
        withExtendedLifetime(subscription) {}
    }

    @Test("The removal of a sensor is reported as a loss to its subscribers only")
    func removal() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let (reported, unreported, new) = (MotionCollector(), MotionCollector(), MotionCollector())
        let other = MotionCollector()
        var subscriptions = [
            hub.subscribe(MotionRequest(kind: .accelerometer), receive: reported.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer, sensor: "second"), receive: other.receive),
        ]
        hub.setStatus(Self.lost, of: "accel")
        hub.post(sensors: [], contextDescriptions: [])
        subscriptions.append(hub.subscribe(MotionRequest(kind: .accelerometer), receive: new.receive))
        #expect(reported.statusChanges == ["lost: gone"])
        // A reader thread that is still running posts a batch.
        hub.post(Self.batch())
        #expect(reported.statusChanges == ["lost: gone"])
        hub.post(sensors: [Self.sensor()], contextDescriptions: [])
        subscriptions.append(hub.subscribe(MotionRequest(kind: .accelerometer), receive: unreported.receive))
        hub.post(Self.batch())
        hub.post(sensors: [], contextDescriptions: [])
        let removed = "lost: accel was removed. Readings resume when it is connected again."
        #expect(reported.statusChanges == ["lost: gone", "regained", removed])
        #expect(unreported.statusChanges == [removed])
        #expect(new.statusChanges == [removed])
        #expect(other.statusChanges.isEmpty)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("A subscriber that moves to another sensor and back is notified again of a loss there")
    func movedSubscriber() {
        let hub = MotionHub(sensors: [Self.sensor("second")]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer), receive: collector.receive)
        for _ in 1...2 {
            hub.setStatus(Self.lost, of: "second")
            hub.post(sensors: [Self.sensor("first"), Self.sensor("second")], contextDescriptions: [])
            hub.post(Self.batch("first"))
            hub.post(sensors: [Self.sensor("second")], contextDescriptions: [])
        }
        #expect(collector.statusChanges == ["lost: gone", "regained", "lost: gone", "regained", "lost: gone"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A subscriber waits for a missing sensor, and moves to another one if its sensor is removed")
    func arrival() {
        let hub = MotionHub {}
        let (any, named) = (MotionCollector(), MotionCollector())
        let subscriptions = [
            hub.subscribe(MotionRequest(kind: .accelerometer), receive: any.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer, sensor: "second"), receive: named.receive),
        ]
        #expect(hub.isMissingSensor)
        hub.post(sensors: [Self.sensor("first")], contextDescriptions: [])
        hub.post(Self.batch("first"))
        #expect(any.values.count == 1)
        #expect(hub.isMissingSensor)
        hub.post(sensors: [Self.sensor("first"), Self.sensor("second")], contextDescriptions: ["<x/>"])
        hub.post(Self.batch("second"))
        #expect(named.values.count == 1)
        #expect(!hub.isMissingSensor)
        hub.post(sensors: [Self.sensor("second")], contextDescriptions: [])
        hub.post(Self.batch("second"))
        #expect(any.values.count == 2)
        #expect(named.values.count == 2)
        hub.post(Self.batch("unknown"))
        #expect(any.values.count == 2)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("A subscriber that cancels in its callback receives no further events")
    func cancelInCallback() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let received = Atomic<Int>(0)
        let current = Mutex<Subscription?>(nil)
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in
            received.add(1, ordering: .relaxed)
            current.withLock { $0 }?.cancel()
        }
        current.withLock { $0 = subscription }
        hub.post(Self.batch())
        hub.post(Self.batch(from: 1))
        #expect(received.load(ordering: .relaxed) == 1)
    }

    @Test("The measured rate is computed from the time stamps")
    func measured() throws {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        #expect(hub.measuredRate(of: "accel") == nil)
        for index in 0..<30 { hub.post(Self.batch(from: Double(index) / 10, interval: 0.0105, count: 9)) }
        #expect(abs(try #require(hub.measuredRate(of: "accel")) - 90) < 2)
        #expect(hub.measuredRate(of: "other") == nil)
    }
}
