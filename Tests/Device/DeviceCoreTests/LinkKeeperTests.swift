// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import DeviceCore

@Suite("What keeps a descriptor, and lends it")
struct LinkKeeperTests {
    /// Something to look at, always.
    private final class Link: LentLink {
        private let ready: WakeUp
        private let found: [LentLook]
        private let next = Atomic<Int>(0)

        init(_ found: LentLook...) throws {
            self.found = found
            ready = try WakeUp(for: "the test")
            ready.signal()
        }

        var descriptor: Int32 { ready.readEnd }
        var deadline: BootTime { .never }
        var attentionEnd: BootTime { .never }
        var looks: UInt64 { 0 }
        func expectLook() -> Double { 1 }
        func look(isReadable: Bool) {}
        func look(alarm: Alarm, in place: any DirectDelivery, while isLent: () -> Bool) -> LentLook {
            found.isEmpty ? .all : found[next.add(1, ordering: .relaxed).oldValue % found.count]
        }

        func lookAfter() {}
    }

    /// A place that waits for another descriptor.
    private final class BusyPlace: DirectDelivery {
        let requests = Atomic<Int>(0)

        func schedule(_ work: @escaping @Sendable () -> Void) { work() }

        func wait(for set: WaitSet, look: @escaping @Sendable () -> Void) -> Subscription? {
            requests.add(1, ordering: .relaxed)
            return nil
        }
    }

    @Test("A place that cannot wait is asked less and less often")
    func busyPlace() throws {
        let clock = VirtualClock(now: BootTime(nanoseconds: 1_000_000_000))
        let place = BusyPlace()
        var keeper = LinkKeeper(link: try Link(), wakeUp: try WakeUp(for: "the test"), clock: clock) { place }
        for _ in 0..<1_000 {
            try keeper.attend()
            clock.move(to: clock.now.advanced(bySeconds: 0.1))
        }
        // At 0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5 seconds of 100.
        #expect(place.requests.load(ordering: .relaxed) == 8)
    }

    @Test("A place that finds somebody else at a look again and again lets that one run, and is told again")
    func taken() throws {
        let (link, place) = (try Link(.busy), HandPlace())
        var keeper = LinkKeeper(link: link, wakeUp: try WakeUp(for: "the test"), clock: LiveClock()) { place }
        keeper.lendWhenDue()
        let before = Self.waits
        for _ in 0..<2020 { #expect(place.lookWhenReadable()) }
        // A thread that was held up just then has no need to wait.
        #expect(Self.waits >= before + 10)
        keeper.takeBack()
    }

    @Test("Who finds somebody else at a look now and then does not wait for that")
    func takenNowAndThen() throws {
        let (link, place) = (try Link(.busy, .all), HandPlace())
        var keeper = LinkKeeper(link: link, wakeUp: try WakeUp(for: "the test"), clock: LiveClock()) { place }
        keeper.lendWhenDue()
        let before = Self.waits
        for _ in 0..<4040 { #expect(place.lookWhenReadable()) }
        // Twenty, if all of them counted.
        #expect(Self.waits < before + 10)
        keeper.takeBack()
    }

    /// How often this thread has left the processor to others.
    private static var waits: Int {
        var use = rusage()
        // RUSAGE_THREAD, which glibc shows to GNU programs only.
        getrusage(__rusage_who_t(1), &use)
        return use.ru_nvcsw
    }

    /// Lent, late at once, and looked at when the test says so.
    private final class LentLate: LentLink {
        private let ready: WakeUp
        let count = Atomic<UInt64>(0)

        init() throws { ready = try WakeUp(for: "the test") }

        var descriptor: Int32 { ready.readEnd }
        var deadline: BootTime { .never }
        var attentionEnd: BootTime { .never }
        var looks: UInt64 { count.load(ordering: .relaxed) }
        func expectLook() -> Double { 0 }
        func look(isReadable: Bool) {}
        func look(alarm: Alarm, in place: any DirectDelivery, while isLent: () -> Bool) -> LentLook { .all }
        func lookAfter() {}
    }

    @Test("A thread that was woken to see whether the place comes, and finds that it has, is not woken again for that")
    func wokenOnce() throws {
        let (link, place) = (try LentLate(), HandPlace())
        var keeper = LinkKeeper(link: link, wakeUp: try WakeUp(for: "the test"), clock: VirtualClock()) { place }
        keeper.lendWhenDue()
        // A macro cannot take apart what cannot be copied.
        let isLent = keeper.isLent
        #expect(isLent)
        var alarm = pollfd(fd: keeper.awaited.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&alarm, 1, 60_000) == 1)
        link.count.store(1, ordering: .relaxed)
        try keeper.attendLoan(isReady: true)
        let awaited = keeper.awaited.descriptor
        #expect(alarm.fd == awaited)
        #expect(poll(&alarm, 1, 0) == 0)
    }
}
