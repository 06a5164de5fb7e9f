// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import TestSupport
import Testing

@testable import MQTTClient

@Suite("MQTT source with an in-process broker")
struct RemotePositionTests {
    private static let topic = "owntracks/fleet/car7"

    private final class Board {
        let broker = FakeBroker()
        let source: MQTTSource
        let received = Log<String>()
        private var subscription: Subscription?
        private var count = 0

        init(_ change: (inout MQTTSourceTiming) -> Void = { _ in }) throws {
            var timing = MQTTSourceTiming()
            (timing.initialRetryDelay, timing.maximumRetryDelay) = (0.01, 0.02)
            change(&timing)
            let address = try PositionSourceAddress("mqtt://h/\(RemotePositionTests.topic)")
            source = try #require(
                MQTTSource(
                    address: address, files: BrokerCredentialFiles(), clock: LiveClock(), timing: timing,
                    open: broker.open))
        }

        func subscribe() {
            subscription = source.subscribe(PositionRequest()) { [received] event in
                switch event {
                case .report(let report): received.add("fix \(report.latitude)")
                case .lost(let error): received.add("lost \(error.code)")
                case .regained: received.add("regained")
                case .sky, .attitude, .receivers, .line: received.add("something else")
                }
            }
            _ = broker.attempts.wait { !$0.isEmpty }
        }

        /// Publishes a fix that is `age` seconds old.
        func publish(_ latitude: Double, age: Double = 0, isRetained: Bool = false) {
            // Fixes with the same time would form one epoch.
            count += 1
            let time = LiveClock().wallTime.advanced(bySeconds: Double(count) * 0.1 - age)
            let json = OwnTracksLocation(latitude: latitude, longitude: 2, time: time).json(tracker: "")
            broker.publish(RemotePositionTests.topic, String(decoding: json, as: UTF8.self), isRetained: isRetained)
        }
    }

    @Test("Fixes are delivered as they are published")
    func fixes() throws {
        let board = try Board()
        board.subscribe()
        for latitude in [1.0, 2, 3] { board.publish(latitude) }
        #expect(board.received.wait(for: ["fix 1.0", "fix 2.0", "fix 3.0"]) == ["fix 1.0", "fix 2.0", "fix 3.0"])
        #expect(board.broker.subscriptions.elements == [Self.topic, Self.topic + "/availability"])
    }

    @Test("A retained fix becomes the last known fix without being delivered")
    func retained() throws {
        let board = try Board()
        board.subscribe()
        board.publish(1, age: 3600, isRetained: true)
        board.publish(2)
        #expect(board.received.wait(for: ["fix 2.0"]) == ["fix 2.0"])
        let second = try Board()
        second.subscribe()
        second.publish(1, age: 3600, isRetained: true)
        second.broker.publish(Self.topic, #"{"_type":"lwt","tst":1}"#)
        #expect(second.received.wait(for: ["lost connectionLost"]) == ["lost connectionLost"])
        #expect(second.source.lastFix?.report.latitude == 1)
    }

    @Test("Stale fixes are reported once as a loss, and a current fix ends the loss")
    func stale() throws {
        let board = try Board()
        board.subscribe()
        for age in stride(from: 100.0, through: 40, by: -10) { board.publish(age, age: age) }
        board.publish(7)
        let expected = ["lost noFix", "regained", "fix 7.0"]
        #expect(board.received.wait(for: expected) == expected)
    }

    @Test("The will is reported once as a loss, and a retained will is ignored")
    func will() throws {
        let board = try Board()
        board.subscribe()
        board.publish(1)
        board.broker.publish(Self.topic, #"{"_type":"lwt","tst":1}"#, isRetained: true)
        board.publish(2)
        board.broker.publish(Self.topic, #"{"_type":"lwt","tst":1}"#)
        board.broker.publish(Self.topic, #"{"_type":"lwt","tst":1}"#)
        board.publish(3)
        let expected = ["fix 1.0", "fix 2.0", "lost connectionLost", "regained", "fix 3.0"]
        #expect(board.received.wait(for: expected) == expected)
    }

    @Test("Home Assistant's offline message is a loss, even if it is retained")
    func offline() throws {
        let board = try Board()
        board.subscribe()
        board.broker.publish(Self.topic + "/availability", "offline", isRetained: true)
        board.broker.publish(Self.topic + "/availability", "online")
        board.publish(3)
        let expected = ["lost connectionLost", "regained", "fix 3.0"]
        #expect(board.received.wait(for: expected) == expected)
    }

    @Test("A broken connection is a loss, and topics are subscribed to again after reconnecting")
    func reconnects() throws {
        let board = try Board()
        board.subscribe()
        board.publish(1)
        #expect(board.received.wait { $0 == ["fix 1.0"] })
        board.broker.stop()
        #expect(board.received.wait { $0.last == "lost connectionLost" })
        board.broker.start()
        #expect(board.broker.subscriptions.wait { $0.count == 4 })
        board.publish(2)
        let expected = ["fix 1.0", "lost connectionLost", "regained", "fix 2.0"]
        #expect(board.received.wait(for: expected) == expected)
    }

    @Test("A rejected subscription is a loss with its reason")
    func refused() throws {
        let board = try Board()
        board.subscribe()
        #expect(board.broker.subscriptions.wait { $0.count >= 2 })
        board.broker.rejectSubscription(Self.topic)
        #expect(board.received.wait { $0.first == "lost permissionDenied" })
    }

    @Test("A rejected subscription to the availability topic does not affect fixes")
    func presenceRefused() throws {
        let board = try Board()
        board.subscribe()
        #expect(board.broker.subscriptions.wait { $0.count >= 2 })
        board.broker.rejectSubscription(Self.topic + "/availability")
        board.publish(1)
        #expect(board.received.wait(for: ["fix 1.0"]) == ["fix 1.0"])
        #expect(board.broker.attempts.elements.count == 1)
    }

    /// The results of a follower for fixes at `times`. The current time is 1000 s after 1970 and 500 s after boot.
    private static func event(_ times: [Double], isRetained: Bool = false) -> [RemotePositionSubscriber.Update] {
        let now = BootTime.zero.advanced(bySeconds: 500)
        var subscriber = RemotePositionSubscriber(topic: "t", timing: MQTTSourceTiming(), now: now)
        return times.map { time in
            let json = OwnTracksLocation(latitude: 1, longitude: 2, time: WallTime.epoch.advanced(bySeconds: time))
                .json(tracker: "")
            return subscriber.process(
                "t", json, isRetained: isRetained, now: now, wallTime: WallTime.epoch.advanced(bySeconds: 1000))
        }
    }

    @Test(
        "A retained fix arrived when it was made, or an hour ago if its time is in the future",
        arguments: [(999.5, 0.5), (940, 60), (1001, 3600)])
    func formerArrival(time: Double, age: Double) {
        guard case .lastKnown(let report)? = Self.event([time], isRetained: true).first else {
            Issue.record("it is no former one")
            return
        }
        #expect(report.arrival == BootTime.zero.advanced(bySeconds: 500 - age))
    }

    @Test("Repeated and older fixes are ignored, and fixes too far in the future are a loss")
    func order() {
        let times = [999.0, 999, 998, 999.5, 1029, 1031]
        let updates = Self.event(times).map { event in
            switch event {
            case .fix: "fix"
            case .none: "nothing"
            case .lost(let error): "lost \(error.code)"
            case .lastKnown: "former"
            }
        }
        #expect(updates == ["fix", "nothing", "nothing", "fix", "fix", "lost noFix"])
    }

    @Test("Malformed payloads are skipped, and three in a row are a loss")
    func hostile() throws {
        let board = try Board()
        board.subscribe()
        board.publish(1)
        board.broker.publish(Self.topic, "not JSON")
        board.broker.publish(Self.topic, #"{"_type":"location","lat":NaN,"lon":1,"tst":1}"#)
        board.broker.publish(Self.topic, #"{"_type":"transition","event":"enter"}"#)
        board.publish(2)
        for text in ["", String(repeating: "[", count: 100_000), String(repeating: "x", count: 1_000_000), "{}"] {
            board.broker.publish(Self.topic, text)
        }
        board.publish(3)
        let expected = ["fix 1.0", "fix 2.0", "lost noFix", "regained", "fix 3.0"]
        #expect(board.received.wait(for: expected) == expected)
    }

    @Test("After a reset, three malformed messages are reported again")
    func malformedAfterReset() {
        var subscriber = RemotePositionSubscriber(topic: "t", timing: MQTTSourceTiming(), now: .zero)
        for _ in 1...2 {
            let updates = (1...3).map { _ in
                subscriber.process("t", Array("x".utf8), isRetained: false, now: .zero, wallTime: .epoch)
            }
            guard case .lost(let error) = updates[2] else {
                Issue.record("\(updates)")
                return
            }
            #expect(error.code == .noFix)
            subscriber.reset(now: .zero)
        }
    }

    @Test("A board without messages for the configured time is reported as silent")
    func silence() {
        var timing = MQTTSourceTiming()
        timing.silenceTimeout = 60
        let broker = BrokerAddress(host: "h")
        func seconds(_ value: Double) -> BootTime { BootTime.zero.advanced(bySeconds: value) }
        var subscriber = RemotePositionSubscriber(topic: "t", timing: timing, now: .zero)
        #expect(subscriber.deadline == seconds(60))
        #expect(subscriber.checkSilence(now: seconds(59.9), broker: broker) == nil)
        #expect(subscriber.checkSilence(now: seconds(60), broker: broker)?.code == .silent)
        // Reported only once.
        #expect(subscriber.checkSilence(now: seconds(600), broker: broker) == nil)
        #expect(subscriber.deadline == .never)
        let json = OwnTracksLocation(latitude: 1, longitude: 2, time: WallTime(nanoseconds: 1_000_000_000))
            .json(tracker: "")
        let event = subscriber.process(
            "t", json, isRetained: false, now: seconds(700), wallTime: WallTime(nanoseconds: 2_000_000_000))
        guard case .fix(_, isFirst: true) = event else {
            Issue.record("\(event)")
            return
        }
        #expect(subscriber.deadline == seconds(760))
    }

    @Test("Cancelling the last subscription disconnects from the broker")
    func leaves() throws {
        let board = try Board()
        var subscription: Subscription? = board.source.subscribe(PositionRequest()) { _ in }
        #expect(board.broker.subscriptions.wait { $0.count == 2 })
        subscription?.cancel()
        subscription = nil
        #expect(board.broker.disconnections.wait { $0.count == 1 })
    }
}
