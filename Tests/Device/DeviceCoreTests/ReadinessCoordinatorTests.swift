// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import DeviceCore

@Suite("The coordinator of a descriptor's readiness")
struct ReadinessCoordinatorTests {
    /// A source that is readable until it is read, and records each read.
    private final class Source: PollableSource {
        private let ready: WakeupPipe
        private let outcome: ReadOutcome
        let descriptor: Int32
        let causes = Mutex<[String]>([])

        init(_ outcome: ReadOutcome = .drained, descriptor: Int32? = nil) throws {
            self.outcome = outcome
            ready = try WakeupPipe(for: "the test")
            self.descriptor = descriptor ?? ready.readEnd
        }

        var deadline: BootTime { .never }

        func makeReadable() { ready.signal() }

        func readAvailable(_ cause: ReadCause) -> ReadOutcome {
            let (text, reads) =
                switch cause {
                case .thread(let isReadable): (isReadable ? "thread" : "timeout", isReadable)
                case .overdue: ("overdue", true)
                case .executor: ("executor", true)
                }
            causes.withLock { $0.append(text) }
            if reads { ready.drain() }
            return outcome
        }

        var log: [String] { causes.withLock { $0 } }
    }

    /// An executor that cannot poll before `makeReady` was called.
    private final class LateExecutor: PollingExecutor {
        let attempts = Atomic<Int>(0)
        private let waiting = Mutex<[@Sendable () -> Void]>([])

        func schedule(_ work: @escaping @Sendable () -> Void) { work() }

        func register(
            _ set: EpollSet, onReady: @escaping @Sendable () -> Void, read: @escaping @Sendable () -> Void
        ) -> Subscription? {
            attempts.add(1, ordering: .relaxed)
            waiting.withLock { $0.append(onReady) }
            return nil
        }

        func makeReady() { for onReady in waiting.withLock({ exchange(&$0, with: []) }) { onReady() } }
    }

    private final class Choice: Sendable {
        let executor = Mutex<(any PollingExecutor)?>(nil)
    }

    private let choice = Choice()

    private func coordinator(
        _ source: Source, tolerance: Double = 600, limit: Double? = nil, clock: any DeviceClock = LiveClock()
    ) throws -> ReadinessCoordinator {
        ReadinessCoordinator(
            source: source, wakeUp: try WakeupPipe(for: "the test"), clock: clock, tolerance: tolerance,
            limit: limit ?? tolerance + 1
        ) { [choice] in choice.executor.withLock { $0 } }
    }

    /// The descriptor to be polled is ready within a minute.
    private func isReady(_ coordinator: borrowing ReadinessCoordinator, milliseconds: Int32 = 60_000) -> Bool {
        var state = pollfd(fd: coordinator.pollTarget.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, milliseconds) == 1
    }

    @Test("The owner changes with the executor of the subscribers only")
    func owner() throws {
        let (source, executor) = (try Source(), ManualPollingExecutor())
        var coordinator = try coordinator(source)
        let isFinished1 = coordinator.update()
        #expect(!isFinished1)
        source.makeReadable()
        try coordinator.run()
        choice.executor.withLock { $0 = executor }
        for _ in 1...3 {
            let isFinished = coordinator.update()
            #expect(!isFinished)
        }
        #expect(executor.waitForRegistration(1, seconds: 0) && !executor.waitForRegistration(2, seconds: 0))
        source.makeReadable()
        #expect(executor.pollWhenReadable())
        choice.executor.withLock { $0 = nil }
        source.makeReadable()
        // The subscriptions have changed, which the source's thread has not found yet.
        executor.pollNow()
        let isFinished2 = coordinator.update()
        #expect(isFinished2)
        #expect(executor.waitForEnd(seconds: 0))
        try coordinator.run()
        #expect(source.log == ["thread", "executor", "thread"])
    }

    @Test("If an executor can no longer poll, the source's thread polls again")
    func disabled() throws {
        let (source, executor) = (try Source(), ManualPollingExecutor())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source)
        _ = coordinator.update()
        #expect(coordinator.pollTarget.descriptor != source.descriptor)
        executor.disable()
        let isFinished = coordinator.update()
        #expect(isFinished)
        #expect(executor.waitForEnd(seconds: 0))
        #expect(coordinator.pollTarget.descriptor == source.descriptor)
    }

    @Test("The time before an executor is registered does not count as an interval between reads")
    func lateRegistration() throws {
        let (source, executor, clock) = (try Source(), ManualPollingExecutor(), VirtualClock())
        var coordinator = try coordinator(source, tolerance: 1, limit: 200, clock: clock)
        clock.move(to: BootTime.zero.advanced(bySeconds: 100))
        choice.executor.withLock { $0 = executor }
        _ = coordinator.update()
        executor.pollNow()
        // The next read is overdue after 1.5 times 95 % of the initial interval of one second, plus the tolerance.
        source.makeReadable()
        for seconds in [102.4, 102.5] {
            clock.move(to: BootTime.zero.advanced(bySeconds: seconds))
            try coordinator.handle(isReady: true)
        }
        #expect(source.log == ["executor", "timeout", "overdue"])
    }

    @Test("An overdue read is repeated at once while more readings may be available")
    func repeatedRead() throws {
        let (source, executor, clock) = (try Source(.moreAvailable), ManualPollingExecutor(), VirtualClock())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source, tolerance: 1, clock: clock)
        _ = coordinator.update()
        clock.move(to: BootTime.zero.advanced(bySeconds: 2))
        for _ in 1...3 {
            source.makeReadable()
            try coordinator.handle(isReady: true)
        }
        #expect(source.log == ["overdue", "overdue", "overdue"])
    }

    @Test("An executor that has finished is registered again by the next update")
    func registersAgain() throws {
        let (source, executor) = (try Source(.finished), ManualPollingExecutor())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source)
        _ = coordinator.update()
        executor.pollNow()
        let isFinished = coordinator.update()
        #expect(isFinished)
        _ = coordinator.update()
        #expect(executor.waitForRegistration(2, seconds: 0))
    }

    @Test("A descriptor that cannot be polled is registered only once")
    func invalidDescriptor() throws {
        let (source, executor) = (try Source(descriptor: -1), ManualPollingExecutor())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source)
        for _ in 1...100 {
            let isFinished = coordinator.update()
            #expect(!isFinished)
        }
        #expect(executor.waitForRegistration(1, seconds: 0) && !executor.waitForRegistration(2, seconds: 0))
        let isPolling = coordinator.isExecutorPolling
        #expect(!isPolling)
    }

    @Test("A coordinator that is destroyed ends polling by the executor")
    func destruction() throws {
        let (source, executor) = (try Source(), ManualPollingExecutor())
        choice.executor.withLock { $0 = executor }
        do {
            var coordinator = try coordinator(source)
            let isFinished = coordinator.update()
            #expect(!isFinished)
            #expect(executor.waitForRegistration(1, seconds: 0))
        }
        #expect(executor.waitForEnd(seconds: 0))
    }

    @Test("An executor that cannot poll is tried again when it may be able to, and not before")
    func lateExecutor() throws {
        let (source, executor) = (try Source(), LateExecutor())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source)
        for _ in 1...100 { _ = coordinator.update() }
        #expect(executor.attempts.load(ordering: .relaxed) == 1)
        executor.makeReady()
        for _ in 1...100 { _ = coordinator.update() }
        #expect(executor.attempts.load(ordering: .relaxed) == 2)
    }

    @Test("The source's thread reads when a read is overdue, and waits for the descriptor without input")
    func overdue() throws {
        let (source, executor) = (try Source(), ManualPollingExecutor())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source, tolerance: 0)
        _ = coordinator.update()
        // The timer expires without input. From now on there are no wake-ups.
        let isReady3 = isReady(coordinator)
        #expect(isReady3)
        try coordinator.handle(isReady: true)
        let isReady4 = isReady(coordinator, milliseconds: 0)
        #expect(!isReady4)
        source.makeReadable()
        let isReady5 = isReady(coordinator)
        #expect(isReady5)
        try coordinator.handle(isReady: true)
        let isReady6 = isReady(coordinator)
        #expect(isReady6)
        try coordinator.handle(isReady: true)
        #expect(source.log == ["timeout", "overdue"])
        #expect(executor.waitForRegistration(1, seconds: 0) && !executor.waitForEnd(seconds: 0))
    }

    @Test("An executor that finds the source in use is called again after that")
    func contended() throws {
        let (source, executor) = (try Source(.contended), ManualPollingExecutor())
        choice.executor.withLock { $0 = executor }
        var coordinator = try coordinator(source, tolerance: 0)
        _ = coordinator.update()
        source.makeReadable()
        #expect(executor.pollWhenReadable())
        let isReady7 = isReady(coordinator)
        #expect(isReady7)
        try coordinator.handle(isReady: true)
        #expect(source.log.first == "executor")
    }

    @Test("The time at which a read is overdue follows the interval between reads")
    func dueTime() throws {
        func at(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }
        let timer = try TimerFD(for: "a test")
        var monitor = ReadDeadlineMonitor(tolerance: 0.5, limit: 30.5, now: .zero)
        #expect(monitor.dueTime == at(0.5))
        monitor.recordRead(timer, now: at(10), deadline: .never)
        // One and a half intervals and the tolerance.
        #expect(monitor.dueTime == at(25.5))
        // A hundred reads a hundredth of a second apart: the interval is 10 s times 0.95^100.
        for read in 1...100 { monitor.recordRead(timer, now: at(10 + Double(read) / 100), deadline: .never) }
        #expect(abs(monitor.dueTime.seconds(since: at(11)) - (0.05920529 * 1.5 + 0.5)) < 1e-6)
        monitor.expectRead(timer, now: at(20), deadline: .never)
        #expect(monitor.dueTime == at(20.5))
        // The limit counts, however long the interval was.
        var limited = ReadDeadlineMonitor(tolerance: 0.5, limit: 2, now: .zero)
        limited.recordRead(timer, now: at(8), deadline: .never)
        #expect(limited.dueTime == at(10))
    }
}
