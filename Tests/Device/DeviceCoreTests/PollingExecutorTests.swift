// SPDX-License-Identifier: Apache-2.0

import AppDelivery
import DeviceCore
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Executors that poll descriptors", .timeLimit(.minutes(5)))
struct PollingExecutorTests {
    /// A socket in an epoll set. `look` drains the socket.
    private final class Line: Sendable {
        let set: EpollSet
        private let ends: (Int32, Int32)
        let looks = Atomic<Int>(0)

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
        func look(limit: Int = 64) -> Int {
            var bytes = [UInt8](repeating: 0, count: limit)
            looks.add(1, ordering: .relaxed)
            return recv(ends.0, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        }

        func tellAgain() { set.rearm(ends.0) }

        func leave() { set.remove(ends.0) }
    }

    private func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) == 1
    }

    @Test("An epoll set is readable while one of its members is, and its descriptor cannot be read")
    func sets() throws {
        let line = try Line()
        #expect(!isReadable(line.set.descriptor))
        line.send()
        #expect(isReadable(line.set.descriptor))
        var eight = [UInt8](repeating: 0, count: 8)
        #expect(read(line.set.descriptor, &eight, 8) == -1 && errno == EINVAL)
        #expect(line.look() == 1)
        #expect(!isReadable(line.set.descriptor))
        line.send()
        line.leave()
        #expect(!isReadable(line.set.descriptor))
    }

    @Test("A timer becomes readable at its deadline, but not after it is rescheduled or disabled")
    func alarms() throws {
        let alarm = try TimerFD(for: "a test")
        alarm.set(seconds: 0)
        #expect(isReadable(alarm.descriptor, within: 60_000))
        alarm.set(seconds: 3600)
        #expect(!isReadable(alarm.descriptor))
        alarm.set(seconds: 0.001)
        #expect(isReadable(alarm.descriptor, within: 60_000))
        alarm.set(seconds: .infinity)
        #expect(!isReadable(alarm.descriptor))
    }

    @Test("Callbacks scheduled during a poll run after it, and those for another executor run independently")
    func turns() {
        let (place, other) = (
            DispatchQueueExecutor(DispatchQueue(label: "one")), DispatchQueueExecutor(DispatchQueue(label: "two"))
        )
        let turns = DeferredCallbacks(for: place)
        let order = Mutex<[String]>([])
        let isElsewhere = DispatchSemaphore(value: 0)
        turns.run {
            place.schedule { order.withLock { $0.append("turn") } }
            other.schedule { isElsewhere.signal() }
            #expect(isElsewhere.wait(timeout: .now() + 60) == .success)
            order.withLock { $0.append("look") }
        } enter: { turns in
            order.withLock { $0.append("enter") }
            turns()
        }
        #expect(order.withLock { $0 } == ["look", "enter", "turn"])
        turns.run {
        } enter: { _ in
            Issue.record("nothing was scheduled")
        }
    }

    @Test("A dispatch queue polls with one thread at a time and runs the callbacks on the queue")
    func queue() throws {
        let line = try Line()
        let queue = DispatchQueue(label: "place")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 1)
        let place = DispatchQueueExecutor(queue)
        let (received, looked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isLast = Atomic<Bool>(false)
        let misplaced = Atomic<Int>(0)
        let deaf = Atomic<Int>(0)
        let subscription = try #require(
            try place.register(line.set, onReady: {}) {
                guard line.look() > 0 else { return }
                if isLast.load(ordering: .relaxed) { looked.signal() }
                place.schedule {
                    if DispatchQueue.getSpecific(key: key) != 1 { misplaced.add(1, ordering: .relaxed) }
                    // Like a queue's own threads, this thread must not block these signals.
                    var blocked = sigset_t()
                    pthread_sigmask(SIG_BLOCK, nil, &blocked)
                    if [SIGPIPE, SIGPROF].contains(where: { sigismember(&blocked, $0) == 1 }) {
                        deaf.add(1, ordering: .relaxed)
                    }
                    received.signal()
                }
            })
        for _ in 0..<100 {
            line.send()
            #expect(received.wait(timeout: .now() + 60) == .success)
        }
        #expect(try place.register(line.set, onReady: {}, read: {}) == nil)
        // While the queue is blocked, no second thread is started.
        queue.suspend()
        isLast.store(true, ordering: .relaxed)
        line.send()
        #expect(looked.wait(timeout: .now() + 60) == .success)
        subscription.cancel()
        let ready = DispatchSemaphore(value: 0)
        #expect(try place.register(line.set, onReady: { ready.signal() }, read: {}) == nil)
        queue.resume()
        #expect(ready.wait(timeout: .now() + 60) == .success)
        #expect(received.wait(timeout: .now() + 60) == .success)
        #expect(misplaced.load(ordering: .relaxed) == 0)
        #expect(deaf.load(ordering: .relaxed) == 0)
    }

    @Test(
        "The main run loop does not poll while it is not known to run"
    )
    func mainLoop() throws {
        let line = try Line()
        for _ in 0..<100 {
            let source = RunLoopExecutor(loop: .main, mode: .default)
            #expect(source.register(line.set, onReady: {}, read: {}) == nil)
            source.invalidate()
        }
    }

    @Test("A run loop polls and runs the callbacks on its own thread", arguments: [RunLoop.Mode.common, .default])
    func runLoop(mode: RunLoop.Mode) throws {
        let line = try Line()
        let made = DispatchSemaphore(value: 0)
        let received = DispatchSemaphore(value: 0)
        let isOver = Atomic<Bool>(false)
        let misplaced = Atomic<Int>(0)
        nonisolated(unsafe) var source: RunLoopExecutor?
        let loopThread = Mutex<UInt>(0)
        let thread = Thread {
            loopThread.withLock { $0 = currentThread() }
            source = RunLoopExecutor(loop: .current, mode: mode)
            made.signal()
            while !isOver.load(ordering: .relaxed) { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        thread.start()
        #expect(made.wait(timeout: .now() + 60) == .success)
        let place = try #require(source)
        let subscription = try #require(
            place.register(line.set, onReady: {}) {
                // Reads one byte per poll.
                guard line.look(limit: 1) > 0 else { return }
                line.tellAgain()
                place.schedule {
                    if currentThread() != loopThread.withLock({ $0 }) { misplaced.add(1, ordering: .relaxed) }
                    received.signal()
                }
            })
        for count in 0..<100 {
            for _ in 0...count % 3 { line.send() }
            for _ in 0...count % 3 { #expect(received.wait(timeout: .now() + 60) == .success) }
        }
        #expect(misplaced.load(ordering: .relaxed) == 0)
        subscription.cancel()
        let looks = line.looks.load(ordering: .relaxed)
        line.send()
        // The loop still runs, but does not poll.
        let cameRound = DispatchSemaphore(value: 0)
        place.schedule {
            isOver.store(true, ordering: .relaxed)
            cameRound.signal()
        }
        #expect(cameRound.wait(timeout: .now() + 60) == .success)
        #expect(line.looks.load(ordering: .relaxed) == looks)
        source = nil
        place.invalidate()
        #expect(place.register(line.set, onReady: {}, read: {}) == nil)
    }
}
