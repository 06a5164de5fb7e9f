// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import MQTTPublisher

@Suite("MQTT publisher with an in-process broker")
struct PublisherTests {
    private static let topic = "owntracks/fleet/car7"

    private static func settings(_ change: (inout MQTTPublisherSettings) -> Void = { _ in }) throws
        -> MQTTPublisherSettings
    {
        var settings = MQTTPublisherSettings(broker: try BrokerAddress("mqtt://h"), user: "fleet", device: "car7")
        change(&settings)
        return settings
    }

    /// Intervals so short that the tests do not wait.
    private static let quick: PublisherTiming = {
        var timing = PublisherTiming()
        (timing.initialRetryDelay, timing.maximumRetryDelay, timing.syncInterval) = (0.01, 0.02, 0.01)
        return timing
    }()

    private static func publisher(
        _ broker: FakeBroker, events: Log<String> = Log(), disk: SpoolFileSystem = SpoolFileSystem(),
        _ change: (inout MQTTPublisherSettings) -> Void = { _ in }
    ) throws -> MQTTPublisher {
        try MQTTPublisher(
            try settings(change), clock: LiveClock(), open: broker.open, timing: quick, disk: disk
        ) { event in
            switch event {
            case .connected: events.add("connected")
            case .lost: events.add("lost")
            case .spoolFailed: events.add("spoolFailed")
            }
        }
    }

    /// A fix whose latitude encodes its number.
    private static func fix(_ number: Int) -> PositionReport {
        var report = PositionReport()
        report.mode = .twoDimensional
        report.time = WallTime(nanoseconds: 1_700_000_000_000_000_000 + Int64(number) * 100_000_000)
        report.latitude = Double(number) / 1000
        report.longitude = 0
        return report
    }

    /// Returns the numbers of the published fixes.
    private static func numbers(_ sent: [FakeBroker.Sent]) -> [Int] {
        sent.compactMap { sent in
            let object = try? JSONSerialization.jsonObject(with: Data(sent.message.payload)) as? [String: Any]
            guard object?["_type"] as? String == "location" else { return nil }
            return (object?["lat"] as? Double).map { Int(($0 * 1000).rounded()) }
        }
    }

    @Test("Fixes are published in order on the board's topic, and the latest is retained")
    func order() throws {
        let broker = FakeBroker()
        let publisher = try Self.publisher(broker)
        for number in 0..<100 {
            publisher.publish(Self.fix(number))
            #expect(broker.sent.wait { Self.numbers($0).count == number + 1 })
        }
        publisher.end()
        let sent = broker.sent.elements.dropLast()
        #expect(Self.numbers(Array(sent)) == Array(0..<100))
        #expect(sent.allSatisfy { $0.message.topic == Self.topic && $0.message.isRetained })
        #expect(publisher.statistics.delivered == 100 && publisher.statistics.queued == 0)
    }

    /// Represents a location of Core Location, which this module does not import.
    private struct Position: PositionReporting {
        var positionReport: PositionReport
    }

    @Test("Any PositionReporting value can be published, and one without a position is skipped")
    func positions() throws {
        let broker = FakeBroker()
        let publisher = try Self.publisher(broker)
        publisher.publish(Position(positionReport: PositionReport()))
        publisher.publish(Position(positionReport: Self.fix(7)))
        publisher.end()
        #expect(Self.numbers(broker.sent.elements) == [7])
    }

    @Test("end() publishes the will message, not retained, as the broker would")
    func disconnection() throws {
        let broker = FakeBroker()
        let publisher = try Self.publisher(broker)
        publisher.publish(Self.fix(1))
        publisher.end()
        #expect(broker.disconnections.elements.count == 1)
        let last = try #require(broker.sent.elements.last?.message)
        #expect(last == broker.settings.first?.will && last.topic == Self.topic && !last.isRetained)
        #expect(String(decoding: last.payload, as: UTF8.self).contains(#""_type":"lwt""#))
    }

    @Test("At most 20 messages are in flight without an acknowledgement")
    func window() throws {
        let broker = FakeBroker()
        broker.setWithholdsAcknowledgements(true)
        let publisher = try Self.publisher(broker)
        for number in 0..<100 { publisher.publish(Self.fix(number)) }
        #expect(broker.sent.wait { $0.count >= 20 })
        broker.setWithholdsAcknowledgements(false)
        #expect(broker.sent.wait { Self.numbers($0).count >= 100 })
        publisher.end()
        #expect(broker.maximumUnacknowledged == 20)
        #expect(Self.numbers(broker.sent.elements) == Array(0..<100))
    }

    @Test(
        "Unacknowledged fixes are sent again in order, and late fixes are not retained",
        arguments: [true, false])
    func resent(onDisk: Bool) throws {
        let directory = SpoolDirectory()
        let broker = FakeBroker()
        let events = Log<String>()
        let publisher = try Self.publisher(broker, events: events) { $0.spoolFolder = onDisk ? directory.path : nil }
        for number in 0..<30 { publisher.publish(Self.fix(number)) }
        #expect(broker.sent.wait { Self.numbers($0).count == 30 })
        broker.setWithholdsAcknowledgements(true)
        for number in 30..<40 { publisher.publish(Self.fix(number)) }
        #expect(broker.sent.wait { Self.numbers($0).count == 40 })
        broker.stop()
        #expect(events.wait { $0.last == "lost" })
        for number in 40..<200 { publisher.publish(Self.fix(number)) }
        let before = broker.sent.elements.count
        broker.setWithholdsAcknowledgements(false)
        broker.start()
        #expect(broker.sent.wait { Self.numbers($0).last == 199 })
        publisher.end()
        let resent = Array(broker.sent.elements[before...].dropLast())
        #expect(Self.numbers(resent) == Array(30..<200))
        #expect(resent.map(\.message.isRetained) == Array(repeating: false, count: 169) + [true])
        #expect(events.elements == ["connected", "lost", "connected"])
        #expect(publisher.statistics.delivered == 200 && publisher.statistics.dropped == 0)
    }

    @Test("A broker that is unavailable at first is reported once and retried until it responds")
    func later() throws {
        let broker = FakeBroker()
        broker.stop()
        let events = Log<String>()
        let publisher = try Self.publisher(broker, events: events)
        publisher.publish(Self.fix(0))
        #expect(broker.attempts.wait { $0.count >= 5 })
        broker.start()
        #expect(broker.sent.wait { Self.numbers($0) == [0] })
        publisher.end()
        #expect(events.elements == ["lost", "connected"])
    }

    @Test("end() does not wait if all fixes are on disk; the next run sends them and retains the last")
    func nextRun() throws {
        let directory = SpoolDirectory()
        let broker = FakeBroker()
        broker.stop()
        let first = try Self.publisher(broker) { $0.spoolFolder = directory.path }
        for number in 0..<50 { first.publish(Self.fix(number)) }
        first.end(within: .seconds(3600))
        #expect(first.statistics.queued == 50)
        broker.start()
        let second = try Self.publisher(broker) { $0.spoolFolder = directory.path }
        #expect(broker.sent.wait { Self.numbers($0).count == 50 })
        second.end()
        let sent = broker.sent.elements.dropLast()
        #expect(Self.numbers(Array(sent)) == Array(0..<50))
        #expect(sent.map(\.message.isRetained) == Array(repeating: false, count: 49) + [true])
        #expect(directory.files.isEmpty)
    }

    @Test("end() waits for the first connection, also with a spool")
    func firstConnection() throws {
        let directory = SpoolDirectory()
        let broker = FakeBroker()
        broker.setRejectsConnections(true)
        let publisher = try Self.publisher(broker) { $0.spoolFolder = directory.path }
        publisher.publish(Self.fix(0))
        #expect(broker.polls.wait { $0.count == 1 })
        let ended = Log<Bool>()
        try WorkerThread.start {
            publisher.end(within: .seconds(3600))
            ended.add(true)
        }
        #expect(broker.polls.wait { $0.count >= 2 })
        broker.setRejectsConnections(false)
        #expect(ended.wait { !$0.isEmpty })
        #expect(publisher.statistics.delivered == 1 && publisher.statistics.queued == 0)
    }

    @Test("end() waits for records that a full disk rejected, and counts them as dropped on timeout")
    func fullDisk() throws {
        let directories = [SpoolDirectory(), SpoolDirectory()]
        let broker = FakeBroker()
        broker.stop()
        let full = SmallDisk(capacity: 0).disk
        let immediate = try Self.publisher(broker, disk: full) { $0.spoolFolder = directories[0].path }
        for number in 0..<3 { immediate.publish(Self.fix(number)) }
        immediate.end(within: .seconds(0))
        #expect(immediate.statistics.dropped == 3 && immediate.statistics.queued == 0)

        let waiting = try Self.publisher(broker, disk: full) { $0.spoolFolder = directories[1].path }
        for number in 0..<3 { waiting.publish(Self.fix(number)) }
        let ended = Log<Bool>()
        try WorkerThread.start {
            waiting.end(within: .seconds(3600))
            ended.add(true)
        }
        let before = broker.attempts.elements.count
        #expect(broker.attempts.wait { $0.count >= before + 5 })
        broker.start()
        #expect(ended.wait { !$0.isEmpty })
        #expect(waiting.statistics.delivered == 3 && waiting.statistics.dropped == 0)
    }

    @Test("While a connected broker does not acknowledge, the spool file and its folder are synced")
    func syncs() throws {
        let directory = SpoolDirectory()
        let broker = FakeBroker()
        broker.setWithholdsAcknowledgements(true)
        let synced = Log<mode_t>()
        let disk = SpoolFileSystem(sync: { descriptor in
            var status = stat()
            fstat(descriptor, &status)
            synced.add(status.st_mode & S_IFMT)
        })
        let publisher = try Self.publisher(broker, disk: disk) { $0.spoolFolder = directory.path }
        publisher.publish(Self.fix(0))
        #expect(synced.wait(for: [S_IFREG, S_IFDIR]) == [S_IFREG, S_IFDIR])
        publisher.publish(Self.fix(1))
        #expect(synced.wait(for: [S_IFREG, S_IFDIR, S_IFREG]) == [S_IFREG, S_IFDIR, S_IFREG])
        publisher.end(within: .seconds(0))
    }

    @Test("If acknowledgements are pending at the end, the broker publishes the will, not the board")
    func unacknowledged() throws {
        let broker = FakeBroker()
        broker.setWithholdsAcknowledgements(true)
        let publisher = try Self.publisher(broker)
        for number in 0..<20 { publisher.publish(Self.fix(number)) }
        #expect(broker.sent.wait { Self.numbers($0).count == 20 })
        publisher.end(within: .seconds(0))
        #expect(broker.disconnections.elements.isEmpty)
        #expect(broker.sent.elements.last?.message == broker.settings.first?.will)
    }

    @Test("A repeated end() does not wait, nor does end() within the event handler")
    func endsAgain() throws {
        let retained = Mutex<MQTTPublisher?>(nil)
        let received = Log<Bool>()
        let broker = FakeBroker()
        broker.stop()
        let publisher = try MQTTPublisher(
            try Self.settings(), clock: LiveClock(), open: broker.open, timing: Self.quick
        ) { event in
            guard case .connected = event else { return }
            retained.withLock { $0 }?.end(within: .seconds(3600))
            received.add(true)
        }
        retained.withLock { $0 = publisher }
        broker.start()
        #expect(received.wait { !$0.isEmpty })
        publisher.end(within: .seconds(3600))
        publisher.end(within: .seconds(3600))
        retained.withLock { $0 = nil }
        #expect(broker.disconnections.elements.count == 1)
    }

    @Test("Memory is bounded: without a broker the oldest fixes are dropped")
    func bounded() throws {
        let broker = FakeBroker()
        broker.stop()
        let publisher = try Self.publisher(broker)
        for number in 0..<12_000 { publisher.publish(Self.fix(number)) }
        #expect(publisher.statistics.queued == 10_000)
        #expect(publisher.statistics.dropped == 2_000)
        broker.start()
        #expect(broker.sent.wait { $0.count >= 10_000 })
        publisher.end()
        #expect(Self.numbers(broker.sent.elements) == Array(2_000..<12_000))
    }

    @Test("Home Assistant receives the configuration, then online; the will is a retained offline")
    func homeAssistant() throws {
        let broker = FakeBroker()
        let publisher = try Self.publisher(broker) { $0.publishesHomeAssistantDiscovery = true }
        publisher.publish(Self.fix(0))
        publisher.end()
        let messages = broker.sent.elements.map(\.message)
        #expect(
            messages.map(\.topic) == [
                "homeassistant/device_tracker/fleet_car7/config", Self.topic + "/availability", Self.topic,
                Self.topic + "/availability",
            ])
        try #require(messages.count == 4)
        #expect(messages.allSatisfy { $0.isRetained })
        #expect(messages[1].payload == Array("online".utf8) && messages[3].payload == Array("offline".utf8))
        #expect(broker.settings.first?.will == messages[3])
    }

    @Test("Readings of one second form one SenML message, and the rest is sent at the end")
    func readings() throws {
        let broker = FakeBroker()
        let publisher = try Self.publisher(broker)
        for index in 0..<25 {
            publisher.publish(
                MotionBatch(
                    sensor: "a", kind: .accelerometer, values: [[Double(index), 0, 9.75]],
                    times: [BootTime(nanoseconds: Int64(index) * 100_000_000)]))
        }
        publisher.end()
        let packs = broker.sent.elements.filter { $0.message.topic == "senml/fleet/car7/accelerometer" }
        let counts = try packs.map {
            (try JSONSerialization.jsonObject(with: Data($0.message.payload)) as? [Any])?.count
        }
        // 0.0 to 1.0 s, 1.1 to 2.1 s, and the remaining three readings, with three records per reading.
        #expect(counts == [33, 33, 9])
        #expect(packs.allSatisfy { !$0.message.isRetained })
    }

    @Test("Releasing a publisher ends its thread")
    func released() throws {
        let broker = FakeBroker()
        var publisher: MQTTPublisher? = try Self.publisher(broker)
        publisher?.publish(Self.fix(0))
        #expect(broker.sent.wait { Self.numbers($0) == [0] })
        publisher = nil
        #expect(broker.sent.wait { $0.last?.message == broker.settings.first?.will })
    }

    @Test(
        "Invalid settings are rejected with a reason",
        arguments: [
            ("a/b", "c", "t"), ("", "c", "t"), ("a", "+", "t"), ("a", "b c", "t"), ("a", "b", "x/#"),
            ("a", "b", "x//y"),
            ("a", "b", "$SYS/x"), ("a", "b", ""), ("a\n", "b", "t"),
        ])
    func invalid(user: String, device: String, topic: String) throws {
        var settings = MQTTPublisherSettings(broker: try BrokerAddress("mqtt://h"), user: user, device: device)
        settings.topic = topic
        let error = #expect(throws: DeviceError.self) {
            try MQTTPublisher(settings, clock: LiveClock(), open: FakeBroker().open) { _ in }
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
