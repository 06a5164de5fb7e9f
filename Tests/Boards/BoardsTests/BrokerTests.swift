// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import TestSupport
import Testing

@testable import MQTTPublisher
@testable import MQTTClient

@Suite("Debian's Mosquitto broker", .serialized, .enabled(if: Mosquitto.isAvailable, Mosquitto.isMissing))
struct BrokerTests {
    /// Intervals so short that a test takes seconds.
    private static let quick: PublisherTiming = {
        var timing = PublisherTiming()
        (timing.initialRetryDelay, timing.maximumRetryDelay) = (0.05, 0.5)
        return timing
    }()

    private static func publisher(
        _ broker: Mosquitto, _ device: String, scheme: String = "mqtt", events: Log<String> = Log(),
        _ change: (inout MQTTPublisherSettings) -> Void = { _ in }
    ) throws -> MQTTPublisher {
        let host = scheme == "mqtts" ? "localhost" : "127.0.0.1"
        var settings = MQTTPublisherSettings(
            broker: try BrokerAddress("\(scheme)://\(host):\(broker.port)"), user: "fleet", device: device)
        change(&settings)
        return try MQTTPublisher(settings, clock: LiveClock(), open: Broker.open, timing: quick) { event in
            switch event {
            case .connected: events.add("connected")
            case .lost(let error): events.add("lost \(error.code): \(error)")
            case .spoolFailed(let error): events.add("spool \(error)")
            }
        }
    }

    /// A fix whose latitude encodes its number.
    private static func fix(_ number: Int, time: WallTime = LiveClock().wallTime) -> PositionReport {
        var report = PositionReport()
        report.mode = .twoDimensional
        report.time = time
        report.latitude = Double(number) / 10_000
        report.longitude = 13
        return report
    }

    /// Returns the number of the fix in a line of mosquitto_sub, nil for other messages.
    private static func number(_ line: String) -> Int? {
        guard let start = line.firstIndex(of: "{"),
            let object = try? JSONSerialization.jsonObject(with: Data(line[start...].utf8)) as? [String: Any],
            object["_type"] as? String == "location", let latitude = object["lat"] as? Double
        else { return nil }
        return Int((latitude * 10_000).rounded())
    }

    @Test("All fixes of three boards arrive in order although the broker is killed")
    func killed() throws {
        let downtimeCount = Thoroughness.rounds(600, quick: 20)
        let broker = try Mosquitto()
        let lines = try broker.subscribe("owntracks/#")
        let directories = (0..<3).map { _ in SpoolDirectory() }
        let events = Log<String>()
        let boards = try directories.indices.map { index in
            try Self.publisher(broker, "board\(index)", events: events) { $0.spoolFolder = directories[index].path }
        }
        var count = 0
        func publish(_ number: Int) {
            for _ in 0..<number {
                for board in boards { board.publish(Self.fix(count)) }
                count += 1
            }
        }
        publish(10)
        // A killed broker loses fixes that it has acknowledged but not forwarded, so it is killed only after it has
        // forwarded these fixes, and before it acknowledges the next ones.
        try Mosquitto.wait("not all was forwarded") { lines().count >= 3 * count }
        broker.suspend(true)
        publish(10)
        broker.kill()
        #expect(events.wait { $0.count { $0.hasPrefix("lost") } >= 3 })
        publish(downtimeCount)
        try broker.start()
        publish(10)
        try Mosquitto.wait("not all was taken") { boards.allSatisfy { $0.statistics.queued == 0 } }
        for board in boards { board.end() }
        for (index, board) in boards.enumerated() {
            let topic = "owntracks/fleet/board\(index) "
            let fixes = { lines().filter { $0.hasPrefix(topic) }.compactMap { Self.number($0) } }
            try Mosquitto.wait("not all has come") { Set(fixes()).count == count }
            var received: Set<Int> = []
            let first = fixes().filter { received.insert($0).inserted }
            #expect(first == Array(0..<count))
            // Messages that the broker had received but not acknowledged when it was killed.
            #expect(fixes().count - count <= PublisherLoop.window)
            #expect(board.statistics.published == count && board.statistics.dropped == 0)
            print(
                "board\(index): \(count) fixes, \(downtimeCount) without a broker; \(first.count) arrived in order, \(fixes().count - count) twice, 0 lost"
            )
        }
    }

    @Test("A late subscriber receives the retained fix, and the will of a killed board")
    func willAndRetained() throws {
        let broker = try Mosquitto()
        let will = BrokerMessage(
            topic: "owntracks/fleet/x", payload: Array(#"{"_type":"lwt","tst":1}"#.utf8), isRetained: false)
        let board = try Self.publisher(broker, "x")
        board.publish(Self.fix(1))
        board.publish(Self.fix(2))
        try Mosquitto.wait("the fixes are not taken") { board.statistics.delivered == 2 }
        let lines = try broker.subscribe("owntracks/fleet/x")
        try Mosquitto.wait("nothing retained") { !lines().isEmpty }
        #expect(lines().count == 1 && lines().first?.hasPrefix("owntracks/fleet/x 1 ") == true)
        #expect(lines().first.flatMap { Self.number($0) } == 2)
        // A connection that breaks without a DISCONNECT packet.
        do {
            let wakeUp = try WakeupPipe(for: "a test")
            let settings = BrokerSettings(
                address: BrokerAddress(host: "127.0.0.1", port: broker.port), files: BrokerCredentialFiles(),
                clientID: "killed",
                will: will)
            let connection = try Broker.open(settings, wakeUp, LiveClock())
            var events: [BrokerEvent] = []
            while !events.contains(.connected) { events += try connection.poll(until: .never) }
        }
        try Mosquitto.wait("no will") { lines().contains { $0.contains(#""_type":"lwt""#) } }
        board.end()
        // The will is not retained: the last fix stays.
        let later = try broker.subscribe("owntracks/fleet/x")
        try Mosquitto.wait("nothing retained") { !later().isEmpty }
        #expect(later().first.flatMap { Self.number($0) } == 2)
    }

    @Test("A hanging broker is detected after the keep-alive interval, and no fix is lost")
    func hangs() throws {
        let broker = try Mosquitto()
        let lines = try broker.subscribe("owntracks/#")
        let events = Log<String>()
        let board = try Self.publisher(broker, "x", events: events) { $0.keepAlive = 5 }
        board.publish(Self.fix(0))
        try Mosquitto.wait("the fix is not taken") { board.statistics.delivered == 1 }
        broker.suspend(true)
        for number in 1..<40 { board.publish(Self.fix(number)) }
        #expect(events.wait { $0.last?.hasPrefix("lost") == true })
        broker.suspend(false)
        try Mosquitto.wait("not all has come") { Set(lines().compactMap { Self.number($0) }).count == 40 }
        board.end()
    }

    @Test("A correct password gives access, and the error for a wrong one names its option")
    func password() throws {
        let broker = try Mosquitto { broker in
            // The PBKDF2 hash requires mosquitto_passwd, which is part of mosquitto.
            try broker.write("passwords", "car7:secret\n")
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["mosquitto_passwd", "-U", "\(broker.folder)/passwords"]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return ["allow_anonymous false", "password_file \(broker.folder)/passwords"]
        }
        let right = try broker.write("right", "car7:secret\n")
        let wrong = try broker.write("wrong", "car7:hunter2\n")
        let events = Log<String>()
        let refused = try Self.publisher(broker, "x", events: events) { $0.files.password = wrong }
        #expect(events.wait { !$0.isEmpty })
        #expect(events.elements.first?.hasPrefix("lost permissionDenied") == true)
        #expect(events.elements.first?.contains("--password-file") == true)
        #expect(events.elements.first?.contains("hunter2") == false)
        refused.end(within: .seconds(0))
        let board = try Self.publisher(broker, "x") { $0.files.password = right }
        board.publish(Self.fix(0))
        board.end()
        #expect(board.statistics.delivered == 1)
    }

    @Test("TLS checks the broker's certificate authority and requires the client's certificate")
    func certificates() throws {
        func openssl(_ words: String, in folder: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + words.split(separator: " ").map(String.init)
            process.currentDirectoryURL = URL(fileURLWithPath: folder)
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "openssl \(words)")
        }
        let broker = try Mosquitto { broker in
            let folder = broker.folder
            for name in ["ca", "other"] {
                try openssl(
                    "req -x509 -newkey rsa:2048 -nodes -keyout \(name).key -out \(name).pem -days 2 -subj /CN=\(name)",
                    in: folder)
            }
            for (name, subject) in [("server", "localhost"), ("client", "car7")] {
                try openssl(
                    "req -newkey rsa:2048 -nodes -keyout \(name).key -out \(name).csr -subj /CN=\(subject)", in: folder)
                try openssl(
                    "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -out \(name).pem -days 2",
                    in: folder)
            }
            return [
                "allow_anonymous true", "cafile \(folder)/ca.pem", "certfile \(folder)/server.pem",
                "keyfile \(folder)/server.key", "require_certificate true",
            ]
        }
        let path = { (name: String) in "\(broker.folder)/\(name)" }
        let events = Log<String>()
        let board = try Self.publisher(broker, "x", scheme: "mqtts", events: events) { settings in
            settings.files = BrokerCredentialFiles(
                authorities: path("ca.pem"), certificate: path("client.pem"), key: path("client.key"))
        }
        board.publish(Self.fix(0))
        board.end(within: .seconds(30))
        #expect(board.statistics.delivered == 1 && events.elements == ["connected"])

        let rejectedEvents = Log<String>()
        let other = try Self.publisher(broker, "x", scheme: "mqtts", events: rejectedEvents) { settings in
            settings.files = BrokerCredentialFiles(
                authorities: path("other.pem"), certificate: path("client.pem"), key: path("client.key"))
        }
        #expect(rejectedEvents.wait { !$0.isEmpty })
        #expect(rejectedEvents.elements.first?.hasPrefix("lost") == true)
        #expect(rejectedEvents.elements.first?.contains("certificate") == true)
        other.end(within: .seconds(0))

        // The certificate is valid for localhost only.
        let wrongHostEvents = Log<String>()
        let address = try BrokerAddress("mqtts://127.0.0.1:\(broker.port)")
        let mistaken = try Self.publisher(broker, "x", scheme: "mqtts", events: wrongHostEvents) { settings in
            settings.broker = address
            settings.files = BrokerCredentialFiles(
                authorities: path("ca.pem"), certificate: path("client.pem"), key: path("client.key"))
        }
        #expect(wrongHostEvents.wait { !$0.isEmpty })
        #expect(wrongHostEvents.elements.first?.hasPrefix("lost permissionDenied") == true)
        mistaken.end(within: .seconds(0))

        let anonymousEvents = Log<String>()
        let stranger = try Self.publisher(broker, "x", scheme: "mqtts", events: anonymousEvents) { settings in
            settings.files = BrokerCredentialFiles(authorities: path("ca.pem"))
        }
        #expect(anonymousEvents.wait { !$0.isEmpty })
        #expect(anonymousEvents.elements.first?.hasPrefix("lost") == true)
        stranger.end(within: .seconds(0))
    }

    @Test("The source follows a board across a restart of the broker and skips hostile messages")
    func remotePositions() throws {
        let broker = try Mosquitto()
        let received = Log<String>()
        var timing = MQTTSourceTiming()
        (timing.initialRetryDelay, timing.maximumRetryDelay) = (0.05, 0.5)
        let address = try PositionSourceAddress("mqtt://127.0.0.1:\(broker.port)/owntracks/fleet/x")
        let source = try #require(
            MQTTSource(address: address, files: BrokerCredentialFiles(), clock: LiveClock(), timing: timing))
        let board = try Self.publisher(broker, "x")
        board.publish(Self.fix(1, time: LiveClock().wallTime.advanced(bySeconds: -3600)))
        try Mosquitto.wait("the fix is not taken") { board.statistics.delivered == 1 }
        let subscription = source.subscribe(PositionRequest()) { event in
            switch event {
            case .report(let report): received.add("fix \(Int((report.latitude * 10_000).rounded()))")
            case .lost(let error): received.add("lost \(error.code)")
            case .regained: received.add("regained")
            case .sky, .attitude, .receivers, .line: break
            }
        }
        try Mosquitto.wait("the retained fix is not known") { source.lastFix != nil }
        #expect(received.elements.isEmpty)
        board.publish(Self.fix(2))
        #expect(received.wait { $0.last == "fix 2" })

        // Another client publishes a megabyte and invalid JSON on the same topic.
        let wakeUp = try WakeupPipe(for: "a test")
        let settings = BrokerSettings(
            address: BrokerAddress(host: "127.0.0.1", port: broker.port), files: BrokerCredentialFiles(), clientID: nil)
        let stranger = try Broker.open(settings, wakeUp, LiveClock())
        var events: [BrokerEvent] = []
        while !events.contains(.connected) { events += try stranger.poll(until: .never) }
        for payload in [[UInt8](repeating: 0x5B, count: 1 << 20), Array("NaN".utf8)] {
            _ = try stranger.publish(BrokerMessage(topic: "owntracks/fleet/x", payload: payload, isRetained: false))
        }
        while events.filter({ if case .delivered = $0 { true } else { false } }).count < 2 {
            events += try stranger.poll(until: .never)
        }
        stranger.disconnect()
        board.publish(Self.fix(3))
        #expect(received.wait { $0.last == "fix 3" })
        board.end()
        #expect(received.wait { $0.last == "lost connectionLost" })
        broker.kill()
        try broker.start()
        let again = try Self.publisher(broker, "x")
        // Until the source has subscribed again as well.
        try Mosquitto.wait("the board is not followed again") {
            again.publish(Self.fix(4))
            return received.elements.last == "fix 4"
        }
        #expect(
            received.elements.prefix(5).elementsEqual(["fix 2", "fix 3", "lost connectionLost", "regained", "fix 4"]))
        subscription.cancel()
        again.end()
    }
}
