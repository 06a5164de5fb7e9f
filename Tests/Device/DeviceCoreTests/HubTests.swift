// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import DeviceCore

@Suite("Position hub")
struct HubTests {
    private static func fix(_ number: Int, time: Double? = nil) -> PositionReport {
        var report = PositionReport()
        report.mode = .threeDimensional
        report.latitude = Double(number)
        report.longitude = 0
        report.time = time.flatMap { WallTime(seconds: $0) }
        report.arrival = BootTime.zero.advanced(bySeconds: time ?? 0)
        return report
    }

    private static let loss = DeviceError(.connectionLost, "gone")

    @Test("Each new or cancelled subscription changes the demand once")
    func demand() {
        let changes = Mutex<Int>(0)
        let hub = PositionHub { changes.withLock { $0 += 1 } }
        #expect(!hub.hasSubscribers)
        let first = hub.subscribe(PositionRequest()) { _ in }
        #expect(hub.hasSubscribers)
        #expect(changes.withLock { $0 } == 1)
        // The source may choose its executor by the number of subscribers.
        let second = hub.subscribe(PositionRequest()) { _ in }
        #expect(changes.withLock { $0 } == 2)
        first.cancel()
        first.cancel()
        #expect(changes.withLock { $0 } == 3)
        #expect(hub.hasSubscribers)
        second.cancel()
        #expect(!hub.hasSubscribers)
        #expect(changes.withLock { $0 } == 4)
    }

    @Test("A loss is reported once, after the held epoch, and its end is reported once")
    func lossOnce() throws {
        let bench = HubBench()
        try bench.play(
            """
            0.00 regained |
            0.01 A 1 3 10 | 10
            0.02 A 1 3 11 |
            1.00 A 2 3 20 |
            1.01 lost     | 20 lost
            1.02 lost     |
            1.03 regained | regained
            1.04 regained |
            1.05 lost     | lost
            """)
    }

    @Test("A subscriber that joins during a loss is notified before the call returns")
    func lateSubscriber() {
        let hub = PositionHub {}
        let early = hub.subscribe(PositionRequest()) { _ in }
        hub.setStatus(.unavailable(Self.loss))
        let late = Collector()
        let subscription = hub.subscribe(PositionRequest(), receive: late.receive)
        #expect(late.losses == 1)
        hub.setStatus(.available)
        #expect(late.returns == 1)
        let later = Collector()
        let third = hub.subscribe(PositionRequest(), receive: later.receive)
        #expect(later.events.isEmpty)
        for subscription in [early, subscription, third] { subscription.cancel() }
    }

    @Test("A loss without subscribers is reported to the next subscriber unless the source has stopped")
    func lossWithoutSubscribers() {
        let hub = PositionHub {}
        hub.subscribe(PositionRequest()) { _ in }.cancel()
        hub.setStatus(.unavailable(Self.loss))
        let collector = Collector()
        hub.subscribe(PositionRequest(), receive: collector.receive).cancel()
        #expect(collector.losses == 1)
        hub.setStatus(.unknown)
        let late = Collector()
        let subscription = hub.subscribe(PositionRequest(), receive: late.receive)
        #expect(late.events.isEmpty)
        hub.setStatus(.unavailable(Self.loss))
        #expect(late.losses == 1)
        subscription.cancel()
    }

    @Test("A subscriber that joins during a loss receives reports after the notification")
    func lateSubscriberInOrder() {
        let hub = PositionHub {}
        let early = hub.subscribe(PositionRequest()) { _ in }
        hub.setStatus(.unavailable(Self.loss))
        let collector = Collector()
        let late = hub.subscribe(PositionRequest()) { event in
            // The source recovers while the subscriber is notified of the loss.
            if case .lost = event {
                hub.setStatus(.available)
                hub.post(Self.fix(1))
            }
            collector.receive(event)
        }
        hub.post(Self.fix(2))
        let words = collector.events.map { event in
            switch event {
            case .lost: "lost"
            case .regained: "regained"
            case .report(let report): "\(Int(report.latitude))"
            default: "?"
            }
        }
        #expect(words == ["lost", "regained", "2"])
        for subscription in [early, late] { subscription.cancel() }
    }

    @Test("A subscriber that joins during status changes ends up with the current status")
    func racingSubscribers() throws {
        let hub = PositionHub {}
        let corrector = hub.subscribe(PositionRequest()) { _ in }
        let collectors = (0..<5_000).map { _ in Collector() }
        let done = Atomic<Bool>(false)
        let ended = DispatchSemaphore(value: 0)
        try WorkerThread.start {
            while !done.load(ordering: .acquiring) {
                hub.setStatus(.unavailable(Self.loss))
                hub.setStatus(.available)
            }
            ended.signal()
        }
        var subscriptions: [Subscription] = []
        for collector in collectors {
            subscriptions.append(hub.subscribe(PositionRequest(), receive: collector.receive))
            if subscriptions.count > 8 { subscriptions.removeFirst().cancel() }
        }
        done.store(true, ordering: .releasing)
        #expect(ended.wait(timeout: .now() + 60) == .success)
        // The remaining subscribers have received a recovery for each loss.
        for collector in collectors.suffix(8) { #expect(collector.losses == collector.returns) }
        // No subscriber has received the same notification twice in a row.
        for collector in collectors { #expect((0...1).contains(collector.losses - collector.returns)) }
        for subscription in subscriptions + [corrector] { subscription.cancel() }
    }

    @Test("A subscriber that cancels in its own callback receives no further events")
    func cancelInCallback() {
        let hub = PositionHub {}
        let count = Mutex<Int>(0)
        let own = Mutex<Subscription?>(nil)
        let subscription = hub.subscribe(PositionRequest()) { _ in
            count.withLock { $0 += 1 }
            own.withLock { $0 }?.cancel()
        }
        // After two reports in one epoch, the next epoch is held. A report without a time delivers it and then itself.
        hub.post(Self.fix(1, time: 1))
        #expect(count.withLock { $0 } == 1)
        own.withLock { $0 = subscription }
        hub.post(Self.fix(2, time: 1))
        hub.post(Self.fix(3, time: 2))
        #expect(count.withLock { $0 } == 1)
        // Delivers the held report 3 and the report without a time. The subscriber cancels between the two.
        hub.post(Self.fix(4))
        #expect(count.withLock { $0 } == 2)
        #expect(!hub.hasSubscribers)
        own.withLock { $0 = nil }
    }

    @Test("A subscriber cancelled by another subscriber's callback does not receive the current event")
    func cancelAnother() {
        let hub = PositionHub {}
        let second = Mutex<Subscription?>(nil)
        let collector = Collector()
        let first = hub.subscribe(PositionRequest()) { _ in second.withLock { $0 }?.cancel() }
        let subscription = hub.subscribe(PositionRequest(), receive: collector.receive)
        second.withLock { $0 = subscription }
        hub.post(Self.fix(1))
        #expect(collector.events.isEmpty)
        #expect(hub.hasSubscribers)
        first.cancel()
        second.withLock { $0 = nil }
    }

    @Test("A subscriber can subscribe again in its callback")
    func subscribeInCallback() {
        let hub = PositionHub {}
        let collector = Collector()
        let subscriptions = Mutex<[Subscription]>([])
        let first = hub.subscribe(PositionRequest()) { _ in
            let subscription = hub.subscribe(PositionRequest(), receive: collector.receive)
            subscriptions.withLock { $0.append(subscription) }
        }
        hub.post(Self.fix(1))
        first.cancel()
        hub.post(Self.fix(2))
        #expect(collector.numbers == [2])
        subscriptions.withLock { $0 = [] }
        #expect(!hub.hasSubscribers)
    }

    @Test("A batch of events ends with one completion call, and a single event is a batch of its own")
    func runs() {
        let hub = PositionHub {}
        let received = Mutex<[String]>([])
        let subscription = hub.subscribe(
            PositionRequest(), receive: { _ in received.withLock { $0.append("event") } },
            onBatchComplete: { received.withLock { $0.append("end") } })
        hub.withBatch {
            hub.post(Self.fix(1, time: 1))
            hub.withBatch { hub.post(Self.fix(2, time: 2)) }
            hub.post(Self.fix(3, time: 3))
        }
        hub.post(Self.fix(4, time: 4))
        hub.setStatus(.unavailable(Self.loss))
        #expect(received.withLock { $0 } == ["event", "event", "event", "end", "event", "end", "event", "end"])
        subscription.cancel()
        hub.withBatch { hub.post(Self.fix(5, time: 5)) }
        #expect(received.withLock { $0.count } == 8)
    }

    @Test("After cancellation from another thread, only the running callback finishes")
    func cancelFromAnotherThread() {
        let hub = PositionHub {}
        let running = DispatchSemaphore(value: 0)
        let resume = DispatchSemaphore(value: 0)
        let count = Mutex<Int>(0)
        let subscription = hub.subscribe(PositionRequest()) { _ in
            count.withLock { $0 += 1 }
            running.signal()
            _ = resume.wait(timeout: .now() + 60)
        }
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            for number in 0..<10 { hub.post(Self.fix(number)) }
            done.signal()
        }
        #expect(running.wait(timeout: .now() + 60) == .success)
        subscription.cancel()
        resume.signal()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Lines and raw reports are requested only while a subscriber needs them")
    func lineRequestCount() {
        let hub = PositionHub {}
        let plain = Collector()
        let lines = Collector()
        let first = hub.subscribe(PositionRequest(), receive: plain.receive)
        #expect(!hub.wantsLines)
        let second = hub.subscribe(PositionRequest(includesLines: true, includesRawBytes: true), receive: lines.receive)
        #expect(hub.wantsLines)
        #expect(hub.wantsRawReports)
        [UInt8]("{}".utf8).withUnsafeBytes { hub.post(line: $0, arrival: .zero) }
        #expect(plain.events.isEmpty)
        #expect(lines.events.count == 1)
        second.cancel()
        second.cancel()
        #expect(!hub.wantsLines)
        #expect(!hub.wantsRawReports)
        first.cancel()
    }

    @Test("Receivers are added, updated and removed, and their number is limited")
    func receivers() {
        let hub = PositionHub {}
        func device(_ path: String, driver: String = "", isActive: Bool = true) -> ReceiverDescription {
            var device = ReceiverDescription()
            device.path = path
            device.driver = driver
            device.isActive = isActive
            return device
        }
        hub.post(receivers: [device("A"), device("B")])
        hub.post(receiver: device("B", driver: "u-blox"))
        hub.post(receiver: device("C"))
        hub.post(receiver: device("A", isActive: false))
        #expect(hub.receivers.map(\.path) == ["B", "C"])
        #expect(hub.receivers.first?.driver == "u-blox")
        hub.post(receivers: (0..<1_000).map { device("\($0)") })
        #expect(hub.receivers.count == ReportSelector.maximumReceivers)
    }

    @Test("Concurrent subscriptions and cancellations during reports leave no subscriber behind")
    func storm() {
        let changes = Mutex<Int>(0)
        let hub = PositionHub { changes.withLock { $0 += 1 } }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 {
                if thread == 0 {
                    hub.post(Self.fix(number % 90, time: Double(number / 3)))
                    hub.deliverDueReports(now: BootTime.zero.advanced(bySeconds: Double(number)))
                    if number % 7 == 0 { hub.setStatus(.unavailable(Self.loss)) }
                    if number % 7 == 3 { hub.setStatus(.available) }
                } else {
                    let subscription = hub.subscribe(PositionRequest(includesAllReports: number % 2 == 0)) { _ in }
                    if number % 3 == 0 { subscription.cancel() }
                }
            }
        }
        #expect(!hub.hasSubscribers)
        #expect(changes.withLock { $0 } % 2 == 0)
    }
}
