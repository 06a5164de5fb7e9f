// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import GPSDSource
import SystemCalls
import TestSupport
import Testing

extension ContractSuite {
    @Suite("Connecting and reconnecting", .serialized)
    struct ConnectionTests {
        @Test("The source connects when gpsd starts later and reports one loss until then", arguments: clients)
        func later(client: PositionSourceAddress.Client) throws {
            let port = try FreePort.next()
            let source = source(client, port: port)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForLosses(1))
            let error = try #require(log.events.losses.first)
            #expect(error.code == .unreachable)
            #expect(error.cause == .system(call: "connect", errno: ECONNREFUSED))
            #expect(error.message.contains("start gpsd"))
            let server = try FakeGPSD(port: port) { peer in
                peer.begin()
                peer.send(Lines.fix(1))
                peer.waitUntilClosed()
            }
            #expect(log.waitForReports(1))
            #expect(log.events.losses.count == 1)
            #expect(log.events.returns == 1)
            subscription.cancel()
            server.stop()
        }

        @Test("An unresolvable host name is reported as a loss", arguments: clients)
        func unknownHost(client: PositionSourceAddress.Client) throws {
            let source = source(client, port: 2947, host: "a..b")
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForLosses(1))
            let error = try #require(log.events.losses.first)
            #expect(error.code == .unreachable)
            guard case .library("getaddrinfo", _) = error.cause else {
                Issue.record("\(error)")
                return
            }
            subscription.cancel()
        }

        @Test("A connection attempt that gpsd does not accept times out", arguments: clients)
        func fullBacklog(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD(backlog: 0)
            let occupants = (0..<4).map { _ in server.occupyQueue() }
            var timing = longTimeouts
            timing.connectTimeout = 0.05
            let source = source(client, port: server.port, timing: timing)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForLosses(1))
            #expect(log.events.losses.first?.cause == .system(call: "connect", errno: ETIMEDOUT))
            subscription.cancel()
            for occupant in occupants { close(occupant) }
            server.stop()
        }

        @Test("Reports continue after a restart or crash of gpsd", arguments: clients)
        func restart(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(peer.number))
                guard peer.number < 5 else { return peer.waitUntilClosed() }
                peer.wait(milliseconds: 5)
                if peer.number % 2 == 0 { peer.reset() } else { peer.close() }
            }
            let source = source(client, port: server.port)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.wait { $0.numbers.last == 5 })
            let events = log.events
            // A reset may discard the fix sent before it, but each of the four disconnects causes one loss and one
            // recovery.
            #expect(events.losses.count == 4)
            #expect(events.returns == 4)
            #expect(events.losses.allSatisfy { $0.code == .connectionLost })
            #expect(source.statistics.connections == 5)
            subscription.cancel()
            server.stop()
        }

        @Test("A server that does not speak gpsd's protocol is reported as a loss", arguments: clients)
        func notGPSD(client: PositionSourceAddress.Client) throws {
            let second = DispatchSemaphore(value: 0)
            let server = try FakeGPSD { peer in
                if peer.number == 2 { second.signal() }
                peer.send("SSH-2.0-OpenSSH_9.2p1")
                peer.waitUntilClosed()
            }
            var timing = longTimeouts
            timing.replyTimeout = 0.5
            let source = source(client, port: server.port, timing: timing)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForLosses(1))
            #expect(log.events.losses.first?.message.contains("does not speak") == true)
            // The source retries anyway, because gpsd may be started on that port later.
            #expect(second.wait(timeout: .now() + 60) == .success)
            #expect(log.events.losses.count == 1)
            subscription.cancel()
            server.stop()
        }

        @Test("A server with a late greeting is accepted as gpsd", arguments: clients)
        func lateGreeting(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.wait(milliseconds: 100)
                peer.begin()
                peer.send(Lines.fix(1))
                peer.waitUntilClosed()
            }
            let source = source(client, port: server.port)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForReports(1))
            #expect(log.events.losses.isEmpty)
            #expect(server.connectionCount == 1)
            subscription.cancel()
            server.stop()
        }

        @Test(
            "A silent receiver is reported as lost once and regained on the same connection", arguments: clients)
        func silence(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(1))
                // The client probes the connection, and gpsd answers.
                for _ in 0..<2 {
                    guard peer.receive("?VERSION") else { return }
                    peer.send(FakePeer.greeting)
                }
                peer.send(Lines.fix(2))
                peer.waitUntilClosed()
            }
            var timing = longTimeouts
            timing.silenceTimeout = 0.5
            timing.probeInterval = 0.5
            let source = source(client, port: server.port, timing: timing)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForReports(2))
            let words = log.events.compactMap { event in
                switch event {
                case .report: "report"
                case .lost(let error): "\(error.code)"
                case .regained: "regained"
                default: nil
                }
            }
            #expect(words.prefix(4) == ["report", "silent", "regained", "report"])
            #expect(server.connectionCount == 1)
            subscription.cancel()
            server.stop()
        }

        @Test("An unresponsive gpsd is reported once, and the source reconnects", arguments: clients)
        func deadConnection(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(peer.number))
                peer.waitUntilClosed()
            }
            var timing = longTimeouts
            timing.silenceTimeout = 0.5
            timing.probeInterval = 0.5
            timing.replyTimeout = 0.5
            let source = source(client, port: server.port, timing: timing)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForReports(2))
            // Events after the second report are ignored, because the second connection becomes silent, too.
            let all = log.events
            let reports = all.indices.filter { if case .report = all[$0] { true } else { false } }
            let events = Array(all[...(try #require(reports.dropFirst().first))])
            #expect(events.losses.count == 1)
            #expect(events.losses.first?.code == .silent)
            #expect(events.returns == 1)
            subscription.cancel()
            server.stop()
        }

        @Test("A new subscriber to a silent source is notified of the silence", arguments: clients)
        func newSubscriberWhileSilent(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.waitUntilClosed()
            }
            var timing = longTimeouts
            timing.silenceTimeout = 0.05
            let source = source(client, port: server.port, timing: timing)
            for _ in 0..<3 {
                let log = EventLog()
                let subscription = source.subscribe(PositionRequest(), receive: log.receive)
                #expect(log.waitForLosses(1))
                #expect(log.events.losses.first?.code == .silent)
                subscription.cancel()
            }
            server.stop()
        }

        @Test("A new subscription connects immediately instead of waiting for the backoff", arguments: clients)
        func newSubscriberWhilePausing(client: PositionSourceAddress.Client) throws {
            let port = try FreePort.next()
            var timing = longTimeouts
            timing.initialRetryDelay = 1_000
            timing.maximumRetryDelay = 1_000
            let source = source(client, port: port, timing: timing)
            for _ in 0..<3 {
                let log = EventLog()
                let subscription = source.subscribe(PositionRequest(), receive: log.receive)
                #expect(log.waitForLosses(1))
                subscription.cancel()
            }
        }

        #if !LibGPS
        @Test("Without libgps, each subscription to its addresses fails immediately")
        func withoutLibrary() {
            let source = source(.libgps, port: 2947)
            for _ in 0..<3 {
                let log = EventLog()
                let subscription = source.subscribe(PositionRequest(), receive: log.receive)
                #expect(log.waitForLosses(1))
                #expect(log.events.losses.first?.code == .notSupported)
                subscription.cancel()
            }
        }
        #endif
    }
}
