// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDSource
import Synchronization
import SystemCalls
import TestSupport
import Testing

extension ContractSuite {
    @Suite("Other threads use gpsd's connection while a subscriber runs", .timeLimit(.minutes(5)))
    struct SubscriberLockTests {
        @Test("While a subscriber runs, another thread polls, subscribes and cancels", arguments: clients)
        func subscriberWaits(client: PositionSourceAddress.Client) throws {
            let executor = ManualPollingExecutor()
            let (isRegistered, isRunning) = (BinarySemaphore(), BinarySemaphore())
            let (isUsed, isFinished) = (BinarySemaphore(), BinarySemaphore())
            let server = try FakeGPSD { peer in
                peer.begin()
                guard isRegistered.wait(seconds: 60) else { return }
                peer.send(Lines.fix(1, tenths: 1))
                // Keeps the connection open, because otherwise the source would reconnect.
                isFinished.wait(seconds: 240)
            }
            var timing = longTimeouts
            timing.tolerance = 600
            let source = source(client, port: server.port, timing: timing)
            var request = PositionRequest(includesAllReports: true)
            request.executor = ExecutorIdentity(executor)
            let hasReturned = Atomic<Bool>(false)
            let isFree = Atomic<Bool>(false)
            let subscription = source.subscribe(request) { event in
                guard case .report = event else { return }
                isRunning.signal()
                isFree.store(isUsed.wait(seconds: 60), ordering: .relaxed)
                hasReturned.store(true, ordering: .releasing)
            }
            #expect(executor.waitForRegistration())
            try WorkerThread.start { [request] in
                guard isRunning.wait(seconds: 120) else { return }
                // Finds that another thread is reading, reads the deadline, and returns.
                executor.pollNow()
                source.subscribe(request) { _ in }.cancel()
                isUsed.signal()
            }
            isRegistered.signal()
            // The first poll may only find the rest of the greeting.
            while !hasReturned.load(ordering: .acquiring), executor.pollWhenReadable() {}
            #expect(
                isFree.load(ordering: .relaxed) == true,
                "A lock is held while the subscriber runs, so the other thread waits.")
            subscription.cancel()
            isFinished.signal()
            server.stop()
        }
    }
}
