// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import IIOSource

@Suite("Threads that the system cannot create", .timeLimit(.minutes(30)))
struct ThreadCreationTests {
    private static let request = MotionRequest(kind: .accelerometer, axes: .sensor)

    /// The threads of a source, whose creation fails while `isFailing` is true.
    private final class Threads: Sendable {
        let isFailing: Atomic<Bool>
        let attempts = Atomic<Int>(0)
        let created = Atomic<Int>(0)

        init(isFailing: Bool = false) { self.isFailing = Atomic(isFailing) }

        func source(_ library: ScriptedLibrary, options: IIOSourceOptions = Devices.quick) -> IIOSource {
            let dependencies = Devices.dependencies(library, options: options) { () throws(DeviceError) in
                self.attempts.add(1, ordering: .relaxed)
                if self.isFailing.load(ordering: .relaxed) { throw DeviceError(.busy, "No more threads.") }
                self.created.add(1, ordering: .relaxed)
            }
            return IIOSource(addresses: [.local], dependencies: dependencies)
        }

        /// Waits until more than `count` threads have been created, and all of them have ended.
        func haveEnded(_ library: ScriptedLibrary, moreThan count: Int = 0) -> Bool {
            library.journal.waits { lines in
                let created = self.created.load(ordering: .relaxed)
                return created > count && lines.count { $0 == "thread left" } == created
            }
        }
    }

    @Test("A context's thread that the system cannot create is created later")
    func missingThread() {
        let library = Devices.library()
        let threads = Threads(isFailing: true)
        let source = threads.source(library)
        let subscription = source.subscribe(Self.request) { _ in }
        #expect(source.problems.map(\.code) == [.busy])
        threads.isFailing.store(false, ordering: .relaxed)
        #expect(library.journal.waits(for: "buffer"))
        #expect(source.problems.isEmpty)
        subscription.cancel()
        #expect(library.isIdle)
    }

    @Test("If a thread could not be created, later subscribers do not receive the error")
    func laterSubscriber() {
        let library = Devices.library()
        let threads = Threads()
        let source = threads.source(library)
        let first = source.subscribe(Self.request) { _ in }
        #expect(library.journal.waits(for: "buffer"))
        first.cancel()
        #expect(threads.haveEnded(library))
        threads.isFailing.store(true, ordering: .relaxed)
        let log = EventLog()
        let second = source.subscribe(Self.request, receive: log.record)
        #expect(log.waits(for: "lost busy"))
        second.cancel()
        let created = threads.created.load(ordering: .relaxed)
        threads.isFailing.store(false, ordering: .relaxed)
        #expect(threads.haveEnded(library, moreThan: created))
        let later = EventLog()
        let third = source.subscribe(Self.request, receive: later.record)
        #expect(library.journal.waits(for: "buffer", count: 2))
        #expect(later.count("lost") == 0)
        third.cancel()
        #expect(library.isIdle)
    }

    @Test("No thread starts while subscribers are notified that it could not be created")
    func wakeDuringNotification() {
        let library = Devices.library()
        let threads = Threads()
        let source = threads.source(library)
        let first = source.subscribe(Self.request) { _ in }
        #expect(library.journal.waits(for: "buffer"))
        first.cancel()
        #expect(threads.haveEnded(library))
        threads.isFailing.store(true, ordering: .relaxed)
        let attemptsInCallback = Atomic<Int>(0)
        let log = EventLog()
        let second = source.subscribe(Self.request) { event in
            if case .lost = event {
                threads.isFailing.store(false, ordering: .relaxed)
                let before = threads.attempts.load(ordering: .relaxed)
                source.devicesChanged()
                attemptsInCallback.store(threads.attempts.load(ordering: .relaxed) - before, ordering: .relaxed)
            }
            log.record(event)
        }
        #expect(log.waits(for: "lost busy"))
        #expect(attemptsInCallback.load(ordering: .relaxed) == 0)
        #expect(library.journal.waits(for: "buffer", count: 2))
        #expect(log.waits(for: "regained"))
        #expect(source.problems.isEmpty)
        second.cancel()
        #expect(library.isIdle)
    }

    @Test("A subscriber that is notified of a missing thread can list the sensors without waiting")
    func listingDuringNotification() throws {
        let library = Devices.library()
        let threads = Threads()
        var options = Devices.quick
        options.discoveryTimeout = .infinity
        let source = threads.source(library, options: options)
        // The sensor is known, but the last discovery failed, so listing the sensors requests another one.
        let first = source.subscribe(Self.request) { _ in }
        #expect(library.journal.waits(for: "buffer"))
        library.script.withLock { $0.openFailure = EACCES }
        library.lastBuffer?.fail(Int(ENODEV))
        #expect(library.journal.waits(for: "open failed"))
        first.cancel()
        #expect(threads.haveEnded(library))
        library.script.withLock { $0.presence = [] }
        threads.isFailing.store(true, ordering: .relaxed)
        let second = Mutex<Subscription?>(nil)
        // If listing waited, only this thread would wait.
        try WorkerThread.start {
            let subscription = source.subscribe(Self.request) { event in
                guard case .lost = event else { return }
                _ = source.sensors
                library.journal.record("listed")
            }
            second.withLock { $0 = subscription }
            library.journal.record("subscribed")
        }
        #expect(library.journal.waits(for: "listed"))
        #expect(library.journal.waits(for: "subscribed"))
        let created = threads.created.load(ordering: .relaxed)
        threads.isFailing.store(false, ordering: .relaxed)
        second.withLock { $0 }?.cancel()
        #expect(threads.haveEnded(library, moreThan: created))
        #expect(library.isIdle)
    }
}
