// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Executors that poll descriptors", .timeLimit(.minutes(5)))
struct PollingExecutorTests {
    /// A socket in an epoll set. `readAvailable` drains the socket.
    private final class SocketPair: Sendable {
        let set: EpollSet
        private let ends: (Int32, Int32)
        let reads = Atomic<Int>(0)

        init() throws {
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            self.ends = (ends[0], ends[1])
            set = try EpollSet(for: "a test")
            #expect(set.add(ends[0]))
        }

        deinit {
            close(ends.0)
            close(ends.1)
        }

        func send() {
            var byte: UInt8 = 7
            #expect(write(ends.1, &byte, 1) == 1)
        }

        /// Reads up to `limit` bytes. Returns the number of bytes, or -1 if none is available.
        func readAvailable(limit: Int = 64) -> Int {
            var bytes = [UInt8](repeating: 0, count: limit)
            reads.add(1, ordering: .relaxed)
            return recv(ends.0, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        }

        func rearm() { set.rearm(ends.0) }

        func remove() { set.remove(ends.0) }
    }

    private func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
        var pollState = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&pollState, 1, milliseconds) == 1
    }

    @Test("An epoll set is readable while one of its members is, and its descriptor cannot be read")
    func sets() throws {
        let pair = try SocketPair()
        #expect(!isReadable(pair.set.descriptor))
        pair.send()
        #expect(isReadable(pair.set.descriptor))
        var eight = [UInt8](repeating: 0, count: 8)
        #expect(read(pair.set.descriptor, &eight, 8) == -1 && errno == EINVAL)
        #expect(pair.readAvailable() == 1)
        #expect(!isReadable(pair.set.descriptor))
        pair.send()
        pair.remove()
        #expect(!isReadable(pair.set.descriptor))
    }

    @Test("A timer becomes readable at its deadline, but not after it is rescheduled or disabled")
    func timers() throws {
        let timer = try TimerFD(for: "a test")
        timer.set(seconds: 0)
        #expect(isReadable(timer.descriptor, within: 60_000))
        timer.set(seconds: 3600)
        #expect(!isReadable(timer.descriptor))
        timer.set(seconds: 0.001)
        #expect(isReadable(timer.descriptor, within: 60_000))
        timer.set(seconds: .infinity)
        #expect(!isReadable(timer.descriptor))
    }

    @Test("Callbacks scheduled during a poll run after it, and those for another executor run independently")
    func callbacks() {
        let (executor, other) = (
            DispatchQueueExecutor(DispatchQueue(label: "one")), DispatchQueueExecutor(DispatchQueue(label: "two"))
        )
        let callbacks = DeferredCallbacks(for: executor)
        let order = Mutex<[String]>([])
        let hasRunOther = DispatchSemaphore(value: 0)
        callbacks.run {
            executor.schedule { order.withLock { $0.append("turn") } }
            other.schedule { hasRunOther.signal() }
            #expect(hasRunOther.wait(timeout: .now() + 60) == .success)
            order.withLock { $0.append("look") }
        } enter: { callbacks in
            order.withLock { $0.append("enter") }
            callbacks()
        }
        #expect(order.withLock { $0 } == ["look", "enter", "turn"])
        callbacks.run {
        } enter: { _ in
            Issue.record("nothing was scheduled")
        }
    }

    @Test("A dispatch queue polls with one thread at a time and runs the callbacks on the queue")
    func queue() throws {
        let pair = try SocketPair()
        let queue = DispatchQueue(label: "place")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 1)
        let executor = DispatchQueueExecutor(queue)
        let (received, drained) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isLast = Atomic<Bool>(false)
        let onWrongThread = Atomic<Int>(0)
        let blockingSignals = Atomic<Int>(0)
        let subscription = try #require(
            try executor.register(pair.set, onReady: {}) {
                guard pair.readAvailable() > 0 else { return }
                if isLast.load(ordering: .relaxed) { drained.signal() }
                executor.schedule {
                    if DispatchQueue.getSpecific(key: key) != 1 { onWrongThread.add(1, ordering: .relaxed) }
                    // Like a queue's own threads, this thread must not block these signals.
                    var blocked = sigset_t()
                    pthread_sigmask(SIG_BLOCK, nil, &blocked)
                    if [SIGPIPE, SIGPROF].contains(where: { sigismember(&blocked, $0) == 1 }) {
                        blockingSignals.add(1, ordering: .relaxed)
                    }
                    received.signal()
                }
            })
        for _ in 0..<100 {
            pair.send()
            #expect(received.wait(timeout: .now() + 60) == .success)
        }
        #expect(try executor.register(pair.set, onReady: {}, read: {}) == nil)
        // While the queue is blocked, no second thread is started.
        queue.suspend()
        isLast.store(true, ordering: .relaxed)
        pair.send()
        #expect(drained.wait(timeout: .now() + 60) == .success)
        subscription.cancel()
        let ready = DispatchSemaphore(value: 0)
        #expect(try executor.register(pair.set, onReady: { ready.signal() }, read: {}) == nil)
        queue.resume()
        #expect(ready.wait(timeout: .now() + 60) == .success)
        #expect(received.wait(timeout: .now() + 60) == .success)
        #expect(onWrongThread.load(ordering: .relaxed) == 0)
        #expect(blockingSignals.load(ordering: .relaxed) == 0)
    }

    @Test(
        "The main run loop does not poll while it is not known to run"
    )
    func mainLoop() throws {
        let pair = try SocketPair()
        for _ in 0..<100 {
            let source = RunLoopExecutor(loop: .main, mode: .default)
            #expect(source.register(pair.set, onReady: {}, read: {}) == nil)
            source.invalidate()
        }
    }

    @Test("A run loop polls and runs the callbacks on its own thread", arguments: [RunLoop.Mode.common, .default])
    func runLoop(mode: RunLoop.Mode) throws {
        let pair = try SocketPair()
        let isCreated = DispatchSemaphore(value: 0)
        let received = DispatchSemaphore(value: 0)
        let isStopped = Atomic<Bool>(false)
        let onWrongThread = Atomic<Int>(0)
        nonisolated(unsafe) var source: RunLoopExecutor?
        let loopThread = Mutex<UInt>(0)
        let thread = Thread {
            loopThread.withLock { $0 = currentThread() }
            source = RunLoopExecutor(loop: .current, mode: mode)
            isCreated.signal()
            while !isStopped.load(ordering: .relaxed) {
                _ = RunLoop.current.run(mode: .default, before: .distantFuture)
            }
        }
        thread.start()
        #expect(isCreated.wait(timeout: .now() + 60) == .success)
        let executor = try #require(source)
        let subscription = try #require(
            executor.register(pair.set, onReady: {}) {
                // Reads one byte per poll.
                guard pair.readAvailable(limit: 1) > 0 else { return }
                pair.rearm()
                executor.schedule {
                    if currentThread() != loopThread.withLock({ $0 }) { onWrongThread.add(1, ordering: .relaxed) }
                    received.signal()
                }
            })
        for count in 0..<100 {
            for _ in 0...count % 3 { pair.send() }
            for _ in 0...count % 3 { #expect(received.wait(timeout: .now() + 60) == .success) }
        }
        #expect(onWrongThread.load(ordering: .relaxed) == 0)
        subscription.cancel()
        let reads = pair.reads.load(ordering: .relaxed)
        pair.send()
        // The loop still runs, but does not poll.
        let drained = DispatchSemaphore(value: 0)
        executor.schedule {
            isStopped.store(true, ordering: .relaxed)
            drained.signal()
        }
        #expect(drained.wait(timeout: .now() + 60) == .success)
        #expect(pair.reads.load(ordering: .relaxed) == reads)
        source = nil
        executor.invalidate()
        #expect(executor.register(pair.set, onReady: {}, read: {}) == nil)
    }
}
