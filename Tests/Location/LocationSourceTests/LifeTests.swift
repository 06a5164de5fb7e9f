// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import Foundation
import GPSDSource
import Synchronization
import SystemCalls
import TestSupport
import Testing

extension ContractSuite {
    @Suite("Threads, file descriptors and time", .serialized)
    struct LifeTests {
        private static func count(_ folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder).count
        }

        /// Returns the number of entries of a directory in /proc once it is at most `limit`, or after a minute.
        private static func onBatchComplete(_ folder: String, limit: Int) throws -> Int {
            let log = EventLog()
            for _ in 0..<6_000 {
                if try count(folder) <= limit { break }
                // The condition is never met, so this waits for 10 ms.
                _ = log.wait(seconds: 0.01) { _ in false }
            }
            return try count(folder)
        }

        /// Runs the body and expects it to leak no threads or descriptors. Must be called in a separate process,
        /// because other tests use hundreds of threads and descriptors. A few additional threads are permitted, because
        /// Dispatch keeps idle threads for seconds.
        private static func expectNoLeak(_ body: () throws -> Void) throws {
            let descriptors = try count("/proc/self/fd")
            let threads = try count("/proc/self/task")
            try body()
            #expect(try onBatchComplete("/proc/self/fd", limit: descriptors + 2) <= descriptors + 2)
            #expect(try onBatchComplete("/proc/self/task", limit: threads + 8) <= threads + 8)
        }

        /// Repeatedly subscribes to a source and cancels the subscription.
        private static func startAndStop(until isSatisfied: (EventLog) -> Bool, _ source: () -> GPSDSource) throws {
            try expectNoLeak {
                for _ in 0..<Thoroughness.rounds(50, quick: 20) {
                    let (source, log) = (source(), EventLog())
                    let subscription = source.subscribe(PositionRequest(), receive: log.receive)
                    #expect(isSatisfied(log))
                    subscription.cancel()
                }
            }
        }

        @Test("Repeated start and stop while reading leaks nothing")
        func stopWhileReading() async {
            await #expect(processExitsWith: .success) {
                for client in ContractSuite.clients {
                    let server = try FakeGPSD { peer in
                        peer.begin()
                        peer.send(Lines.fix(1))
                        peer.waitUntilClosed()
                    }
                    try LifeTests.startAndStop(until: { $0.waitForReports(1) }) {
                        ContractSuite.source(client, port: server.port)
                    }
                    server.stop()
                }
            }
        }

        @Test("Repeated start and stop of one source leaks nothing")
        func restartOneSource() async {
            await #expect(processExitsWith: .success) {
                for client in ContractSuite.clients {
                    let server = try FakeGPSD { peer in
                        peer.begin()
                        peer.wait(milliseconds: 1)
                        for number in 0..<1_000 {
                            peer.send(Lines.fix(number % 90))
                            peer.wait(milliseconds: 1)
                            if number % 100 == 99, peer.isDisconnected { return }
                        }
                        peer.waitUntilClosed()
                    }
                    let source = ContractSuite.source(client, port: server.port)
                    try LifeTests.startAndStop(until: { $0.waitForReports(1) }) { source }
                    server.stop()
                }
            }
        }

        @Test("Repeated stop during the backoff leaks nothing")
        func stopInBackoff() async {
            await #expect(processExitsWith: .success) {
                for client in ContractSuite.clients {
                    let port = try FreePort.next()
                    var timing = longTimeouts
                    timing.initialRetryDelay = 1_000
                    timing.maximumRetryDelay = 1_000
                    try LifeTests.startAndStop(until: { $0.waitForLosses(1) }) {
                        ContractSuite.source(client, port: port, timing: timing)
                    }
                }
            }
        }

        @Test("Repeated stop while connecting leaks nothing")
        func stopWhileConnecting() async {
            await #expect(processExitsWith: .success) {
                for client in ContractSuite.clients {
                    let server = try FakeGPSD(backlog: 0)
                    let occupants = (0..<4).map { _ in server.occupyQueue() }
                    try LifeTests.expectNoLeak {
                        for _ in 0..<Thoroughness.rounds(50, quick: 20) {
                            let source = ContractSuite.source(client, port: server.port)
                            let log = EventLog()
                            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
                            // The condition is never met, so this gives the thread 2 ms to start.
                            _ = log.wait(seconds: 0.002) { _ in false }
                            subscription.cancel()
                            #expect(log.events.isEmpty)
                        }
                    }
                    for occupant in occupants { close(occupant) }
                    server.stop()
                }
            }
        }

        @Test("Fifty lost connections to gpsd leak nothing")
        func killAndReturn() async {
            await #expect(processExitsWith: .success) {
                for client in ContractSuite.clients {
                    let server = try FakeGPSD { peer in
                        peer.begin()
                        peer.send(Lines.fix(1))
                        if peer.number > 50 { peer.waitUntilClosed() }
                        if peer.number % 2 == 0 { peer.reset() }
                    }
                    try LifeTests.expectNoLeak {
                        let source = ContractSuite.source(client, port: server.port)
                        let log = EventLog()
                        let subscription = source.subscribe(PositionRequest(), receive: log.receive)
                        #expect(log.waitForReturns(50))
                        #expect(log.events.losses.count == 50)
                        subscription.cancel()
                    }
                    server.stop()
                }
            }
        }

        @Test("A released source runs until its subscription is cancelled", arguments: clients)
        func releasedSource(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(1))
                guard peer.receive("?VERSION") else { return }
                peer.send(Lines.fix(2))
                peer.waitUntilClosed()
            }
            var timing = longTimeouts
            timing.silenceTimeout = 0.05
            timing.probeInterval = 0.05
            let log = EventLog()
            let subscription: Subscription
            do {
                let source = source(client, port: server.port, timing: timing)
                subscription = source.subscribe(PositionRequest(), receive: log.receive)
                #expect(log.waitForReports(1))
            }
            #expect(log.waitForReports(2))
            subscription.cancel()
            server.stop()
        }

        @Test("After a suspension of the process, only the newest report is delivered", arguments: clients)
        func suspension(client: PositionSourceAddress.Client) throws {
            let isBlocked = DispatchSemaphore(value: 0)
            let resume = DispatchSemaphore(value: 0)
            let allSent = DispatchSemaphore(value: 0)
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(0, tenths: 0))
                guard isBlocked.wait(timeout: .now() + 60) == .success else { return }
                for number in 1...20 { peer.send(Lines.fix(number, tenths: 10 * number)) }
                // Gives the reports 20 ms to reach the client's socket.
                peer.wait(milliseconds: 20)
                allSent.signal()
                peer.waitUntilClosed()
            }
            let clock = JumpClock()
            var timing = longTimeouts
            timing.suspensionThreshold = 2
            let source = source(client, port: server.port, timing: timing, clock: clock)
            let log = EventLog()
            let hasBlocked = Atomic<Bool>(false)
            let subscription = source.subscribe(PositionRequest(includesAllReports: true)) { event in
                log.receive(event)
                guard case .report = event, !hasBlocked.exchange(true, ordering: .relaxed) else { return }
                // Blocks the reader thread while reports accumulate in the socket.
                isBlocked.signal()
                _ = resume.wait(timeout: .now() + 60)
            }
            #expect(allSent.wait(timeout: .now() + 60) == .success)
            clock.jump(seconds: 30)
            resume.signal()
            #expect(log.wait { $0.numbers.last == 20 })
            #expect(log.events.numbers == [0, 20])
            server.stop()
            // The reports are counted after the last one is delivered, so this waits for the loss.
            #expect(log.waitForLosses(1))
            subscription.cancel()
            #expect(source.statistics.staleReports == 19)
        }

        @Test("A receiver with rare reports is not treated as a suspended process", arguments: clients)
        func slowReceiver(client: PositionSourceAddress.Client) throws {
            let resume = DispatchSemaphore(value: 0)
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(1, tenths: 0))
                guard resume.wait(timeout: .now() + 60) == .success else { return }
                // Sends two reports of one epoch in one call.
                peer.send([UInt8]((Lines.fix(2, tenths: 300) + "\r\n" + Lines.fix(3, tenths: 300) + "\r\n").utf8))
                peer.waitUntilClosed()
            }
            let clock = JumpClock()
            var timing = longTimeouts
            timing.suspensionThreshold = 2
            let source = source(client, port: server.port, timing: timing, clock: clock)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(includesAllReports: true), receive: log.receive)
            #expect(log.waitForReports(1))
            clock.jump(seconds: 30)
            resume.signal()
            #expect(log.waitForReports(3))
            #expect(log.events.numbers == [1, 2, 3])
            subscription.cancel()
            server.stop()
        }

        @Test("All reports that arrive together with a late greeting are delivered", arguments: clients)
        func lateGreeting(client: PositionSourceAddress.Client) throws {
            let isRequested = DispatchSemaphore(value: 0)
            let resume = DispatchSemaphore(value: 0)
            let server = try FakeGPSD { peer in
                // The client has sent its request and waits for an answer.
                guard peer.receive("?WATCH") else { return }
                isRequested.signal()
                guard resume.wait(timeout: .now() + 60) == .success else { return }
                let lines = [FakePeer.greeting] + (1...3).map { Lines.fix($0, tenths: 10 * $0) }
                peer.send([UInt8](lines.map { $0 + "\r\n" }.joined().utf8))
                peer.waitUntilClosed()
            }
            let clock = JumpClock()
            var timing = longTimeouts
            timing.suspensionThreshold = 2
            let source = source(client, port: server.port, timing: timing, clock: clock)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(includesAllReports: true), receive: log.receive)
            #expect(isRequested.wait(timeout: .now() + 60) == .success)
            clock.jump(seconds: 30)
            resume.signal()
            #expect(log.wait { $0.numbers.last == 3 })
            #expect(log.events.numbers == [1, 2, 3])
            subscription.cancel()
            server.stop()
        }

        @Test("Waiting for the rest of a line uses no CPU time", arguments: clients)
        func partialLine(client: PositionSourceAddress.Client) throws {
            let used = Mutex<[Double]>([])
            let server = try FakeGPSD { peer in
                peer.begin()
                peer.send(Lines.fix(1))
                let line = [UInt8]((Lines.fix(2) + "\r\n").utf8)
                peer.send(Array(line.prefix(50)))
                peer.wait(milliseconds: 1_000)
                peer.send(Array(line.dropFirst(50)))
                peer.waitUntilClosed()
            }
            let source = source(client, port: server.port)
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest()) { event in
                // Called on the source's thread.
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                if case .report = event {
                    used.withLock { $0.append(Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1e6) }
                }
                log.receive(event)
            }
            #expect(log.waitForReports(2))
            let milliseconds = used.withLock { $0 }
            try #require(milliseconds.count == 2)
            // A busy loop would use a large part of one second. Waiting in poll() uses some tens of microseconds.
            #expect(milliseconds[1] - milliseconds[0] < 200)
            subscription.cancel()
            server.stop()
        }

        @Test("Two concurrent sources do not affect each other")
        func twoSources() throws {
            let servers = try (1...2).map { number in
                try FakeGPSD { peer in
                    peer.begin()
                    for _ in 0..<100 { peer.send(Lines.fix(number)) }
                    peer.waitUntilClosed()
                }
            }
            let logs = [EventLog(), EventLog()]
            let clients = [ContractSuite.clients[0], ContractSuite.clients[ContractSuite.clients.count - 1]]
            let sources = zip(clients, servers).map { source($0, port: $1.port) }
            let subscriptions = zip(sources, logs).map { $0.subscribe(PositionRequest(), receive: $1.receive) }
            for (index, log) in logs.enumerated() {
                #expect(log.waitForReports(100))
                #expect(Set(log.events.numbers) == [index + 1])
            }
            for subscription in subscriptions { subscription.cancel() }
            for server in servers { server.stop() }
        }

        @Test("Concurrent subscriptions and cancellations do not disturb the reader", arguments: clients)
        func storm(client: PositionSourceAddress.Client) throws {
            let server = try FakeGPSD { peer in
                peer.begin()
                var number = 0
                while !peer.isDisconnected {
                    number += 1
                    peer.send(Lines.fix(number % 90, tenths: number / 2))
                    peer.wait(milliseconds: 1)
                    if number % 50 == 0 { return }
                }
            }
            let source = source(client, port: server.port)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<Thoroughness.rounds(200, quick: 20) {
                    let log = EventLog()
                    let subscription = source.subscribe(
                        PositionRequest(includesAllReports: thread % 2 == 0), receive: log.receive)
                    if number % 20 == 0 { _ = log.waitForReports(1) }
                    subscription.cancel()
                    _ = source.lastFix
                    _ = source.statistics
                }
            }
            let log = EventLog()
            let subscription = source.subscribe(PositionRequest(), receive: log.receive)
            #expect(log.waitForReports(1))
            subscription.cancel()
            server.stop()
        }
    }
}
