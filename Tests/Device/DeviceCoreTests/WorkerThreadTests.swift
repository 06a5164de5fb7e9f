// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemCalls
import Testing

@testable import DeviceCore

@Suite("Worker threads")
struct WorkerThreadTests {
    @Test("A worker thread blocks asynchronous signals, but not fault signals")
    func signals() throws {
        let mask = Mutex<[Int32: Bool]>([:])
        let done = DispatchSemaphore(value: 0)
        let signals = [SIGTERM, SIGINT, SIGPIPE, SIGCHLD, SIGUSR1, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]
        try WorkerThread.start {
            var set = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &set)
            for number in signals {
                let isBlocked = sigismember(&set, number) == 1
                mask.withLock { $0[number] = isBlocked }
            }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        let blocked = mask.withLock { $0 }
        for number in [SIGTERM, SIGINT, SIGPIPE, SIGCHLD, SIGUSR1] { #expect(blocked[number] == true, "\(number)") }
        // A blocked fault signal ends the process before a crash reporter can record the location.
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP] { #expect(blocked[number] == false, "\(number)") }
    }

    @Test("Starting a worker thread does not change the caller's signal mask")
    func callersMask() throws {
        var before = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &before)
        try WorkerThread.start {}
        var after = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &after)
        for number in Int32(1)..<32 { #expect(sigismember(&before, number) == sigismember(&after, number)) }
    }

    /// A position source for whose thread the system first lacks resources.
    private final class Source: Sendable {
        let isRunning = DispatchSemaphore(value: 0)
        let hub: PositionHub

        init(failures: Int, retryDelay: Double) {
            let attempts = Atomic<Int>(0)
            let thread = SourceThread<PositionHub>(
                for: "a test", retryDelay: retryDelay,
                spawn: { body throws(DeviceError) in
                    let attempt = attempts.add(1, ordering: .relaxed).newValue
                    if attempt <= failures { throw DeviceError(.busy, "No more threads.") }
                    try WorkerThread.start(body)
                }
            ) { [isRunning] hub, wakeUp in
                isRunning.signal()
                while hub.hasSubscribers { _ = wakeUp.wait(for: nil, until: .never, clock: LiveClock()) }
            }
            hub = PositionHub { thread.demandDidChange() }
            thread.attach(hub)
        }
    }

    @Test("A source's thread that the system cannot create is created later")
    func retries() {
        let source = Source(failures: 2, retryDelay: 0.01)
        let losses = Atomic<Int>(0)
        let subscription = source.hub.subscribe(PositionRequest()) { event in
            if case .lost = event { losses.add(1, ordering: .relaxed) }
        }
        #expect(source.isRunning.wait(timeout: .now() + 60) == .success)
        #expect(losses.load(ordering: .relaxed) == 1)
        subscription.cancel()
    }

    @Test("A new subscription starts a source's thread without waiting for the delay after a failure")
    func retriesAtOnce() {
        let source = Source(failures: 1, retryDelay: 3600)
        let first = source.hub.subscribe(PositionRequest()) { _ in }
        #expect(source.isRunning.wait(timeout: .now()) == .timedOut)
        let second = source.hub.subscribe(PositionRequest()) { _ in }
        #expect(source.isRunning.wait(timeout: .now() + 60) == .success)
        for subscription in [first, second] { subscription.cancel() }
    }

    @Test("A loss because no thread can be created is not reported to later subscribers")
    func staleLoss() {
        let source = Source(failures: 1, retryDelay: 3600)
        source.hub.subscribe(PositionRequest()) { _ in }.cancel()
        let losses = Atomic<Int>(0)
        let subscription = source.hub.subscribe(PositionRequest()) { event in
            if case .lost = event { losses.add(1, ordering: .relaxed) }
        }
        #expect(source.isRunning.wait(timeout: .now() + 60) == .success)
        #expect(losses.load(ordering: .relaxed) == 0)
        subscription.cancel()
    }

    /// A hub whose subscribers change while it is marked as unavailable.
    private final class ChangingHub: ThreadedHub {
        let hasSubscribers = true
        let demandDidChange: @Sendable () -> Void
        let statuses = Mutex<[SourceStatus]>([])

        init(demandDidChange: @escaping @Sendable () -> Void) { self.demandDidChange = demandDidChange }

        func setStatus(_ status: SourceStatus) {
            let count = statuses.withLock { statuses in
                statuses.append(status)
                return statuses.count
            }
            if count == 1 { demandDidChange() }
        }
    }

    @Test("A source's thread is not started before its hub has been marked as unavailable")
    func statusOrder() {
        let attempts = Atomic<Int>(0)
        let thread = SourceThread<ChangingHub>(
            for: "a test", retryDelay: 3600,
            spawn: { _ throws(DeviceError) in
                attempts.add(1, ordering: .relaxed)
                throw DeviceError(.busy, "No more threads.")
            }
        ) { _, _ in }
        let hub = ChangingHub { thread.demandDidChange() }
        thread.attach(hub)
        thread.demandDidChange()
        #expect(attempts.load(ordering: .relaxed) == 1)
        #expect(hub.statuses.withLock(\.count) == 1)
        thread.demandDidChange()
        #expect(attempts.load(ordering: .relaxed) == 2)
    }
}
