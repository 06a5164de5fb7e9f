// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

/// Collects what a motion subscription gets.
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

    /// What was told beside samples.
    var story: [String] {
        list.withLock { $0 }.compactMap { event in
            switch event {
            case .samples: nil
            case .lost(let error): "lost: \(error.message)"
            case .regained: "regained"
            }
        }
    }
}

@Suite("The hub of motion readings")
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

    @Test("Hardware is wanted at the rate of the fastest subscriber, and not at all when the last has left")
    func demand() {
        let changes = Atomic<Int>(0)
        let hub = MotionHub(sensors: [Self.sensor()]) { changes.add(1, ordering: .relaxed) }
        #expect(hub.demand(of: "accel") == nil)
        let slow = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.1, latency: 1)) { _ in }
        #expect(hub.demand(of: "accel") == MotionDemand(interval: 0.1, latency: 1, thins: true))
        let fast = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.01)) { _ in }
        #expect(hub.demand(of: "accel") == MotionDemand(interval: 0.01, latency: 0, thins: false))
        let watcher = hub.subscribe(MotionRequest(kind: .accelerometer, everyReading: true)) { _ in }
        #expect(hub.demand(of: "accel") == MotionDemand(interval: 0.01, latency: 0, thins: false))
        let filter = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.01, thins: false)) { _ in }
        watcher.cancel()
        #expect(hub.demand(of: "accel")?.thins == false)
        filter.cancel()
        slow.cancel()
        #expect(hub.demand(of: "accel")?.thins == true)
        let last = hub.subscribe(MotionRequest(kind: .accelerometer, everyReading: true)) { _ in }
        fast.cancel()
        #expect(hub.demand(of: "accel")?.rate == 0)
        #expect(hub.isWanted)
        last.cancel()
        #expect(hub.demand(of: "accel") == nil)
        #expect(!hub.isWanted)
        #expect(changes.load(ordering: .relaxed) == 10)
    }

    @Test("Each subscriber gets as many readings as it asked for")
    func thinning() {
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

    @Test("Who wants what the source has thinned already gets all of it, also where that comes a little too fast")
    func thinnedBySource() throws {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer, interval: 0.1), receive: collector.receive)
        // Each tenth of a sensor of 101 Hz: the subscriber's own thinning would leave out one in a hundred.
        for index in 0..<300 {
            var batch = Self.batch(from: Double(index) * 10 / 101, count: 1)
            batch.thinning = 10
            hub.post(batch)
        }
        #expect(collector.values.count == 300)
        #expect(abs(try #require(hub.measuredRate(of: "accel")) - 101) < 0.1)
        subscription.cancel()
    }

    @Test("Before the rate is measured, a subscriber at the sensor's own rate gets every reading, bunched as they are")
    func bunched() {
        var sensor = Self.sensor()
        sensor.rates = .list([100, 500])
        let hub = MotionHub(sensors: [sensor]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(
            MotionRequest(kind: .accelerometer, interval: 0.002), receive: collector.receive)
        hub.post(Self.batch(from: 1, interval: 0.002, count: 16))
        // A late batch, whose readings were squeezed together before the next.
        hub.post(Self.batch(from: 1.032, interval: 0.0005, count: 16))
        #expect(collector.values.count == 32)
        withExtendedLifetime(subscription) {}
    }

    @Test("The mount matrix is applied once, for those who ask for the device's axes")
    func axes() {
        let turned = MountMatrix([0, -1, 0], [1, 0, 0], [0, 0, 1])
        let hub = MotionHub(sensors: [Self.sensor(matrix: turned)]) {}
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

    @Test("A loss and a return are told once each, and to who comes between them at once")
    func losses() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let (first, second) = (MotionCollector(), MotionCollector())
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer), receive: first.receive)
        hub.postLost(DeviceError(.connectionLost, "gone"), sensor: "accel")
        hub.postLost(DeviceError(.unreachable, "still gone"), sensor: "accel")
        let late = hub.subscribe(MotionRequest(kind: .accelerometer), receive: second.receive)
        #expect(second.story == ["lost: gone"])
        hub.postRegained(sensor: "accel")
        hub.postRegained(sensor: "accel")
        #expect(first.story == ["lost: gone", "regained"])
        #expect(second.story == ["lost: gone", "regained"])
        withExtendedLifetime((subscription, late)) {}
    }

    @Test("Who comes after everybody has left does not hear of an old loss that is told again while it lasts")
    func oldLoss() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        hub.repeatLost(DeviceError(.connectionLost, "unheard"), sensor: "accel")
        let first = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in }
        hub.repeatLost(DeviceError(.connectionLost, "gone"), sensor: "accel")
        first.cancel()
        let collector = MotionCollector()
        let second = hub.subscribe(MotionRequest(kind: .accelerometer), receive: collector.receive)
        #expect(collector.story.isEmpty)
        hub.repeatLost(DeviceError(.connectionLost, "gone still"), sensor: "accel")
        #expect(collector.story == ["lost: gone still"])
        withExtendedLifetime(second) {}
    }

    @Test("A loss that is told once is heard by all who come while it lasts, whoever has left meanwhile")
    func lastingLoss() {
        let hub = MotionHub(sensors: [Self.sensor(), Self.sensor("gyro", .gyroscope)]) {}
        hub.postLost(DeviceError(.connectionLost, "gone"), sensor: "gyro")
        let other = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in }
        let first = hub.subscribe(MotionRequest(kind: .gyroscope)) { event in
            if case .lost = event { other.cancel() }
        }
        first.cancel()
        let collector = MotionCollector()
        let second = hub.subscribe(MotionRequest(kind: .gyroscope), receive: collector.receive)
        #expect(collector.story == ["lost: gone"])
        hub.postRegained(sensor: "gyro")
        #expect(collector.story == ["lost: gone", "regained"])
        withExtendedLifetime(second) {}
    }

    @Test("A loss that is forgotten while somebody hears of it is no return")
    func forgottenLoss() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let first = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in }
        hub.repeatLost(DeviceError(.connectionLost, "gone"), sensor: "accel")
        let collector = MotionCollector()
        let second = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            collector.receive(event)
            // The only one who knew of it.
            first.cancel()
        }
        hub.repeatLost(DeviceError(.connectionLost, "gone still"), sensor: "accel")
        #expect(collector.story == ["lost: gone"])
        hub.post(Self.batch())
        #expect(collector.story == ["lost: gone", "regained"])
        withExtendedLifetime(second) {}
    }

    @Test("A loss that ends while somebody hears of it is over for them too")
    func endedLoss() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let first = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in }
        hub.repeatLost(DeviceError(.connectionLost, "gone"), sensor: "accel")
        let collector = MotionCollector()
        let second = hub.subscribe(MotionRequest(kind: .accelerometer)) { event in
            collector.receive(event)
            hub.post(Self.batch())
        }
        #expect(collector.story == ["lost: gone", "regained"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("The end of a sensor is told again to those only who wait for it and have had a reading since")
    func lateReading() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let (early, late, new) = (MotionCollector(), MotionCollector(), MotionCollector())
        let other = MotionCollector()
        var subscriptions = [
            hub.subscribe(MotionRequest(kind: .accelerometer), receive: early.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer), receive: late.receive),
            hub.subscribe(MotionRequest(kind: .accelerometer, sensor: "second"), receive: other.receive),
        ]
        hub.post(Self.batch())
        let gone = DeviceError(.connectionLost, "gone")
        hub.repeatLost(gone, sensor: "accel")
        hub.post(Self.batch())
        subscriptions[0].cancel()
        hub.post(sensors: [], contextDescriptions: [])
        subscriptions.append(hub.subscribe(MotionRequest(kind: .accelerometer), receive: new.receive))
        for _ in 1...2 { hub.repeatLost(gone, ofGone: Self.sensor()) }
        #expect(early.story == ["lost: gone", "regained"])
        #expect(late.story == ["lost: gone", "regained", "lost: gone"])
        #expect(new.story.isEmpty && other.story.isEmpty)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("Who is moved to another sensor and back hears of a loss there again")
    func leftLoss() {
        let hub = MotionHub(sensors: [Self.sensor("second")]) {}
        let collector = MotionCollector()
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer), receive: collector.receive)
        let named = hub.subscribe(MotionRequest(kind: .accelerometer, sensor: "second")) { _ in }
        for _ in 1...2 {
            hub.repeatLost(DeviceError(.connectionLost, "gone"), sensor: "second")
            hub.post(sensors: [Self.sensor("first"), Self.sensor("second")], contextDescriptions: [])
            hub.post(Self.batch("first"))
            hub.post(sensors: [Self.sensor("second")], contextDescriptions: [])
        }
        named.cancel()
        hub.repeatLost(DeviceError(.connectionLost, "gone still"), sensor: "second")
        #expect(collector.story == ["lost: gone", "regained", "lost: gone", "regained", "lost: gone still"])
        withExtendedLifetime(subscription) {}
    }

    @Test("A sensor that is not there is waited for, and one that goes and comes is followed")
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

    @Test("A subscriber may leave in its own callback and hears nothing more")
    func leaving() {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        let heard = Atomic<Int>(0)
        let held = Mutex<Subscription?>(nil)
        let subscription = hub.subscribe(MotionRequest(kind: .accelerometer)) { _ in
            heard.add(1, ordering: .relaxed)
            held.withLock { $0 }?.cancel()
        }
        held.withLock { $0 = subscription }
        hub.post(Self.batch())
        hub.post(Self.batch(from: 1))
        #expect(heard.load(ordering: .relaxed) == 1)
    }

    @Test("The measured rate is that of the stamps")
    func measured() throws {
        let hub = MotionHub(sensors: [Self.sensor()]) {}
        #expect(hub.measuredRate(of: "accel") == nil)
        for index in 0..<30 { hub.post(Self.batch(from: Double(index) / 10, interval: 0.0105, count: 9)) }
        #expect(abs(try #require(hub.measuredRate(of: "accel")) - 90) < 2)
        #expect(hub.measuredRate(of: "other") == nil)
    }
}
