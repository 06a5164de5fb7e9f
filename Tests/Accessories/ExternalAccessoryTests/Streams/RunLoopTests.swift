// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Dispatch
import ExternalAccessory
import Synchronization
import Testing

@Suite("Streams on run loops", .timeLimit(.minutes(5)))
struct RunLoopTests {
    /// Evaluates checks on a separate thread and expects the results on this one, because an expectation on the other
    /// thread would not belong to a test.
    private func check(_ body: @escaping (Bench, StreamLog) throws -> [(String, Bool)]) throws {
        let results = Mutex<[(String, Bool)]>([])
        try onThread {
            let found = try body(Bench(isLive: true), StreamLog())
            results.withLock { $0 = found }
        }
        let found = results.withLock { $0 }
        #expect(!found.isEmpty)
        for (name, isTrue) in found { #expect(isTrue, Comment(rawValue: name)) }
    }

    @Test("Events are delivered on the thread's run loop, which the accessory wakes from another thread")
    func wokenFromOtherThread() throws {
        try check { bench, log in
            let (session, peer) = try bench.session()
            let input = try #require(session.inputStream)
            let thread = Thread.current
            var isOnSameThread = true
            log.action = { _, event in
                if Thread.current !== thread { isOnSameThread = false }
                if event == .openCompleted { DispatchQueue.global().async { peer.send("x") } }
            }
            input.delegate = log
            input.schedule(in: .current, forMode: .default)
            input.open()
            let isReceived = spin { log.events.count == 2 }
            return [("received", isReceived), ("on the thread", isOnSameThread), ("read", log.read(input) == 1)]
        }
    }

    @Test("A stream in a custom mode delivers no events in another mode")
    func customMode() throws {
        try check { bench, log in
            let (session, _) = try bench.session()
            let mode = RunLoop.Mode("com.example.mode")
            let input = try #require(session.inputStream)
            input.delegate = log
            input.schedule(in: .current, forMode: mode)
            input.open()
            runOnce()
            let before = log.events
            let isReceived = spin(mode) { log.events == [.openCompleted] }
            return [("not in the default mode", before.isEmpty), ("in its own", isReceived)]
        }
    }

    @Test("A stream in the common modes delivers its events in the default mode")
    func commonModes() throws {
        try check { bench, log in
            let (session, _) = try bench.session()
            let output = try #require(session.outputStream)
            output.delegate = log
            output.open()
            output.schedule(in: .current, forMode: .common)
            return [("received", spin { log.events == [.openCompleted, .hasSpaceAvailable] })]
        }
    }

    @Test("A removed stream delivers no events and no longer keeps its run loop running")
    func removed() throws {
        try check { bench, log in
            let (session, peer) = try bench.session()
            let input = try #require(session.inputStream)
            input.delegate = log
            input.schedule(in: .current, forMode: .default)
            input.open()
            spin { log.events == [.openCompleted] }
            input.remove(from: .current, forMode: .default)
            peer.send("x")
            // Without a source, `run(mode:before:)` returns false at once.
            let hasRun = RunLoop.current.run(mode: .default, before: .distantFuture)
            return [("nothing received", log.events.count == 1), ("nothing to wait for", !hasRun)]
        }
    }

    @Test("A run loop exits when its stream is closed on another thread")
    func closedOnOtherThread() throws {
        try check { bench, log in
            let (session, _) = try bench.session()
            let input = try #require(session.inputStream)
            struct Streams: @unchecked Sendable {
                let input: InputStream
            }
            let streams = Streams(input: input)
            log.action = { _, _ in DispatchQueue.global().async { streams.input.close() } }
            input.delegate = log
            input.schedule(in: .current, forMode: .default)
            input.open()
            // Returns when the run loop has no sources.
            RunLoop.current.run()
            return [("received once", log.events == [.openCompleted]), ("closed", input.streamStatus == .closed)]
        }
    }

    @Test("A stream can be scheduled from another thread on a sleeping run loop")
    func scheduledOnOtherThread() throws {
        try check { bench, log in
            let (session, _) = try bench.session()
            struct Parts: @unchecked Sendable {
                let input: InputStream
                let loop: RunLoop
            }
            let parts = Parts(input: try #require(session.inputStream), loop: .current)
            parts.input.delegate = log
            parts.input.open()
            // Keeps the run loop asleep until an event arrives.
            let corrector = Timer(timeInterval: 3600, repeats: true) { _ in }
            RunLoop.current.add(corrector, forMode: .default)
            DispatchQueue.global().async { parts.input.schedule(in: parts.loop, forMode: .default) }
            let isReceived = spin { log.events == [.openCompleted] }
            corrector.invalidate()
            return [("received", isReceived)]
        }
    }

    @Test("A stream that is moved to another run loop delivers its remaining events there")
    func moved() throws {
        let bench = Bench(isLive: true)
        struct Parts: @unchecked Sendable {
            let session: EASession
            let log = StreamLog()
        }
        let (session, peer) = try bench.session()
        let parts = Parts(session: session)
        let input = try #require(session.inputStream)
        input.delegate = parts.log
        try onThread {
            let input = parts.session.inputStream
            input?.schedule(in: .current, forMode: .default)
            input?.open()
            spin { parts.log.events == [.openCompleted] }
            input?.remove(from: .current, forMode: .default)
        }
        peer.send("x")
        #expect(parts.log.events == [.openCompleted])
        try onThread {
            parts.session.inputStream?.schedule(in: .current, forMode: .default)
            spin { parts.log.events.count == 2 }
        }
        #expect(parts.log.events == [.openCompleted, .hasBytesAvailable])
    }

    @Test("A callback that runs the run loop receives other events, but not the same event again")
    func nested() throws {
        try check { bench, log in
            let (session, peer) = try bench.session()
            let input = try #require(session.inputStream)
            var depth = 0
            var isRecursive = false
            var eventsInCallback: [Stream.Event] = []
            log.action = { stream, event in
                if depth > 0 { eventsInCallback.append(event) }
                depth += 1
                defer { depth -= 1 }
                if event == .openCompleted {
                    peer.send("a")
                    spin { eventsInCallback.contains(.hasBytesAvailable) }
                } else if event == .hasBytesAvailable, log.bytes.isEmpty {
                    log.read(stream)
                    peer.send("b")
                    // Another event of the same kind is pending, but has to wait.
                    runOnce()
                    if depth > 2 { isRecursive = true }
                } else if event == .hasBytesAvailable {
                    if depth > 2 { isRecursive = true }
                    log.read(stream)
                }
            }
            input.delegate = log
            input.schedule(in: .current, forMode: .default)
            input.open()
            let isRead = spin { log.text == "ab" }
            return [
                ("all read", isRead), ("other event inside", eventsInCallback.first == .hasBytesAvailable),
                ("not the same", !isRecursive),
            ]
        }
    }

    @Test("Both streams on one run loop transfer a dialogue of 1,000 lines")
    func dialogue() throws {
        try check { bench, log in
            let (session, peer) = try bench.session()
            peer.observe { event in
                guard case .readable = event else { return }
                let bytes = peer.receive()
                _ = bytes.withUnsafeBytes { peer.write($0) }
            }
            let input = try #require(session.inputStream)
            let output = try #require(session.outputStream)
            var sent = 0
            log.action = { stream, event in
                if event == .hasBytesAvailable {
                    log.read(stream)
                    guard sent < 1000 else { return }
                    sent += 1
                    output.send("line \(sent)\n")
                }
            }
            for stream in [input, output] as [Stream] {
                stream.delegate = log
                stream.schedule(in: .current, forMode: .default)
                stream.open()
            }
            output.send("line 0\n")
            let expected = (0...1000).map { "line \($0)\n" }.joined()
            return [("all came back", spin { log.text == expected })]
        }
    }

    @Test("Events of the main run loop are delivered on the main queue, also in an app with an async main")
    @MainActor
    func mainLoop() async throws {
        let bench = Bench(isLive: true)
        let log = StreamLog()
        let (session, peer) = try bench.session()
        let input = try #require(session.inputStream)
        input.delegate = log
        let (events, continuation) = AsyncStream<Void>.makeStream()
        log.action = { stream, event in
            MainActor.assertIsolated()
            if event == .hasBytesAvailable { log.read(stream) }
            continuation.yield()
        }
        input.schedule(in: .main, forMode: .default)
        input.open()
        DispatchQueue.global().async { peer.send("x") }
        var iterator = events.makeAsyncIterator()
        while log.text != "x" { await iterator.next() }
        #expect(log.events == [.openCompleted, .hasBytesAvailable])
    }

    @Test("With an event queue, both streams deliver their events there instead of on a run loop")
    func queue() throws {
        let bench = Bench(isLive: true)
        let (session, peer) = try bench.session()
        let queue = DispatchQueue(label: "com.example.events")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let log = StreamLog()
        let done = DispatchSemaphore(value: 0)
        let isOnQueue = Mutex(true)
        log.action = { stream, event in
            if DispatchQueue.getSpecific(key: key) != true { isOnQueue.withLock { $0 = false } }
            if event == .hasBytesAvailable {
                log.read(stream)
                (session.outputStream)?.send("pong")
                done.signal()
            }
        }
        for stream in [session.inputStream, session.outputStream] as [Stream?] {
            stream?.delegate = log
            stream?.schedule(in: .main, forMode: .default)
        }
        session.setEventQueue(queue)
        session.inputStream?.open()
        session.outputStream?.open()
        peer.send("ping")
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(peer.receiveText() == "pong")
        queue.sync {}
        session.setEventQueue(nil)
        peer.send("more")
        queue.sync {}
        #expect(log.events.filter { $0 == .hasBytesAvailable }.count == 1)
        #expect(isOnQueue.withLock { $0 })
    }

    @Test("Playback with live delivery does not wait for the callbacks of a closed stream")
    func trackedDelivery() throws {
        final class AsLive: PlaybackExecutorProvider {
            final class Counted: CallbackExecutor {
                let inner: any CallbackExecutor
                let count: Counter
                init(_ inner: any CallbackExecutor, _ count: Counter) {
                    self.inner = inner
                    self.count = count
                }
                func schedule(_ work: @escaping @Sendable () -> Void) {
                    count.value.wrappingAdd(1, ordering: .relaxed)
                    inner.schedule { [count] in
                        work()
                        count.value.wrappingSubtract(1, ordering: .relaxed)
                    }
                }
            }
            final class Counter: Sendable { let value = Atomic<Int>(0) }
            let counter = Counter()
            let usesLiveExecutors = true
            let consumerGate = ConsumerGate()
            func executor(onMainThread: Bool) -> any CallbackExecutor { DispatchQueueExecutor.main }
            func counting(_ executor: any CallbackExecutor) -> any CallbackExecutor { Counted(executor, counter) }
        }
        try onThread {
            let playback = AsLive()
            let accessories = TestAccessories()
            let device = Device(
                name: "as live", clock: VirtualClock(now: BootTime(nanoseconds: 0)), configuration: Configuration(),
                positionSource: PositionHub(demandChanged: {}), accessorySource: accessories, playback: playback)
            accessories.attach()
            let manager = device.withCurrent { EAAccessoryManager.shared() }
            let accessory = try #require(manager.connectedAccessories.first)
            let session = try EASession(opening: accessory, protocol: "com.example.scale")
            let log = StreamLog()
            session.inputStream?.delegate = log
            session.inputStream?.schedule(in: .current, forMode: .default)
            session.inputStream?.open()
            spin { log.events == [.openCompleted] }
            accessories.peer(1)?.send("x")
            guard playback.counter.value.load(ordering: .relaxed) == 1 else { throw Failure() }
            session.inputStream?.close()
            guard playback.counter.value.load(ordering: .relaxed) == 0, log.events.count == 1 else { throw Failure() }
        }
    }

    private struct Failure: Error {}
}
