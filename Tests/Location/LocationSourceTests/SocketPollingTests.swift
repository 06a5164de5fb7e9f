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
    @Suite("Polling of gpsd's socket by an executor", .serialized)
    struct SocketPollingTests {
        /// A server that sends a fix for each call of `send`.
        private struct FixServer: Sendable {
            let server: FakeGPSD
            let next = DispatchSemaphore(value: 0)
            private let fixes = Fixes()

            final class Fixes: Sendable {
                let last = Atomic<Int>(0)
            }

            init() throws {
                let (next, fixes) = (next, fixes)
                server = try FakeGPSD { peer in
                    peer.begin()
                    while next.wait(timeout: .now() + 60) == .success {
                        let number = fixes.last.add(1, ordering: .relaxed).newValue
                        if number >= 1_000 { return }
                        peer.send(Lines.fix(number % 90, tenths: number))
                    }
                }
            }

            func send(_ count: Int = 1) { for _ in 0..<count { next.signal() } }

            /// Makes the server close the connection.
            func hangUp() {
                fixes.last.store(10_000, ordering: .relaxed)
                next.signal()
            }
        }

        /// Runs the body once the source has registered its socket with a polling executor. `tolerance` is the
        /// tolerated delay of a poll, in seconds.
        private static func register(
            _ client: PositionSourceAddress.Client, tolerance: Double, _ body: (PollingBench) throws -> Void
        ) throws {
            let (fixServer, executor, log) = (try FixServer(), ManualPollingExecutor(), EventLog())
            var timing = longTimeouts
            timing.tolerance = tolerance
            let source = source(client, port: fixServer.server.port, timing: timing)
            let threads = Mutex<Set<UInt>>([])
            let subscription = source.subscribe(Self.request(executor)) { event in
                if case .report = event { threads.withLock { _ = $0.insert(currentThread()) } }
                log.receive(event)
            }
            #expect(executor.waitForRegistration())
            let bench = PollingBench(
                fixServer: fixServer, executor: executor, log: log, source: source, subscription: subscription
            ) {
                threads.withLock { $0 }
            }
            try body(bench)
            subscription.cancel()
            #expect(executor.waitForEnd())
            fixServer.hangUp()
            fixServer.server.stop()
        }

        private struct PollingBench {
            let fixServer: FixServer
            let executor: ManualPollingExecutor
            let log: EventLog
            let source: GPSDSource
            let subscription: Subscription
            /// The threads on which reports were delivered.
            let threads: () -> Set<UInt>
        }

        private static func request(_ executor: ManualPollingExecutor) -> PositionRequest {
            var request = PositionRequest(includesAllReports: true)
            request.executor = ExecutorIdentity(executor)
            return request
        }

        @Test("A polling executor reads reports on its own thread", arguments: clients)
        func polls(client: PositionSourceAddress.Client) throws {
            try Self.register(client, tolerance: 600) { bench in
                for number in 1...20 {
                    bench.fixServer.send()
                    // The first poll may only find the rest of the greeting.
                    repeat {
                        #expect(bench.executor.pollWhenReadable())
                    } while number == 1 && bench.log.events.reports.isEmpty
                    #expect(bench.log.events.numbers.last == number)
                }
                #expect(bench.threads() == [currentThread()])
                #expect(bench.source.statistics.positions == 20)
            }
        }

        @Test("The reports of one read are delivered before the next read", arguments: clients)
        func flood(client: PositionSourceAddress.Client) throws {
            let (executor, log) = (ManualPollingExecutor(), EventLog())
            let (isRegistered, isFinished) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let server = try FakeGPSD { peer in
                peer.begin()
                isRegistered.wait()
                peer.send((1...5_000).map { Lines.fix($0 % 90, tenths: $0) }.joined(separator: "\n"))
                // Keeps the connection open, because otherwise the source would reconnect.
                _ = isFinished.wait(timeout: .now() + 60)
            }
            var timing = longTimeouts
            timing.tolerance = 600
            let source = source(client, port: server.port, timing: timing)
            let subscription = source.subscribe(Self.request(executor), receive: log.receive)
            #expect(executor.waitForRegistration())
            isRegistered.signal()
            var (received, maximum) = (0, 0)
            while received < 5_000, executor.pollWhenReadable() {
                maximum = max(maximum, log.events.reports.count - received)
                received = log.events.reports.count
            }
            #expect(log.events.numbers == (1...5_000).map { $0 % 90 })
            // The capacity of a manager's event queue.
            #expect(maximum < 1024)
            subscription.cancel()
            isFinished.signal()
            server.stop()
        }

        @Test("While the executor does not read, the source's thread reads all, in order", arguments: clients)
        func stalls(client: PositionSourceAddress.Client) throws {
            try Self.register(client, tolerance: 0.05) { bench in
                for count in [30, 31, 32] {
                    bench.fixServer.send(count == 30 ? 30 : 1)
                    #expect(bench.log.waitForReports(count))
                }
                #expect(!bench.threads().contains(currentThread()))
                // The registration lasts: the executor may read again at any time.
                bench.executor.pollNow()
                #expect(bench.log.events.numbers == Array(1...32))
                #expect(!bench.executor.waitForEnd(seconds: 0) && !bench.executor.waitForRegistration(2, seconds: 0))
            }
        }

        @Test("A second subscriber ends the registration", arguments: clients)
        func secondSubscriber(client: PositionSourceAddress.Client) throws {
            try Self.register(client, tolerance: 600) { bench in
                let second = EventLog()
                let other = bench.source.subscribe(PositionRequest(includesAllReports: true), receive: second.receive)
                #expect(bench.executor.waitForEnd())
                bench.fixServer.send(2)
                #expect(bench.log.waitForReports(2))
                #expect(second.waitForReports(2))
                other.cancel()
            }
        }

        @Test("The end of the connection is reported, and a late poll delivers nothing", arguments: clients)
        func end(client: PositionSourceAddress.Client) throws {
            try Self.register(client, tolerance: 600) { bench in
                bench.fixServer.hangUp()
                // Polls repeatedly, because the rest of the greeting may be read first.
                while bench.log.events.losses.isEmpty, !bench.executor.waitForEnd(seconds: 0.01) {
                    bench.executor.pollNow()
                }
                #expect(bench.log.waitForLosses(1))
                bench.subscription.cancel()
                let count = bench.log.events.count
                bench.executor.pollNow()
                #expect(bench.log.events.count == count)
            }
        }

        @Test("A blocked dispatch queue loses no reports", arguments: clients)
        func blockedQueue(client: PositionSourceAddress.Client) throws {
            let fixServer = try FixServer()
            let queue = DispatchQueue(label: "held")
            let executor = DispatchQueueExecutor(queue)
            let log = EventLog()
            let isBlocked = DispatchSemaphore(value: 0)
            let onWrongQueue = Atomic<Int>(0)
            let deliveredOnQueue = Atomic<Int>(0)
            let key = DispatchSpecificKey<Bool>()
            queue.setSpecific(key: key, value: true)
            var request = PositionRequest(includesAllReports: true)
            request.executor = ExecutorIdentity(executor)
            let source = source(client, port: fixServer.server.port)
            let subscription = source.subscribe(request) { event in
                log.receive(event)
                guard case .report(let report) = event else { return }
                executor.schedule {
                    if DispatchQueue.getSpecific(key: key) != true { onWrongQueue.add(1, ordering: .relaxed) }
                    deliveredOnQueue.add(1, ordering: .relaxed)
                    // One of the callbacks blocks the queue.
                    if report.latitude == 5 { isBlocked.wait() }
                }
            } onBatchComplete: {
            }
            for count in 1...5 {
                fixServer.send()
                #expect(log.waitForReports(count))
            }
            fixServer.send(60)
            #expect(log.waitForReports(65))
            #expect(log.events.numbers == Array(1...65))
            isBlocked.signal()
            subscription.cancel()
            queue.sync {}
            let limit = Date(timeIntervalSinceNow: 60)
            while deliveredOnQueue.load(ordering: .relaxed) < 65, Date() < limit { queue.sync {} }
            #expect(deliveredOnQueue.load(ordering: .relaxed) == 65)
            #expect(onWrongQueue.load(ordering: .relaxed) == 0)
            fixServer.hangUp()
            fixServer.server.stop()
        }
    }
}
