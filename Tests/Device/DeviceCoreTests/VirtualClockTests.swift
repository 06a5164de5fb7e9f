// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import DeviceCore

@Suite("Virtual clock")
struct VirtualClockTests {
    private static func at(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    /// The texts that timers have recorded, in order.
    private final class Log: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private static func runAll(_ clock: VirtualClock, upTo limit: Double = 1e6) {
        while clock.runNextTimer(upTo: at(limit)) {}
    }

    @Test("Timers run in deadline order, with the clock at their deadlines")
    func order() {
        let clock = VirtualClock()
        let log = Log()
        let timers = [3.0, 1.0, 2.0].map { seconds in
            clock.timer(at: Self.at(seconds)) { log.add("\(seconds) at \(clock.now.seconds)") }
        }
        #expect(clock.nextDeadline == Self.at(1))
        Self.runAll(clock)
        #expect(log.all == ["1.0 at 1.0", "2.0 at 2.0", "3.0 at 3.0"])
        withExtendedLifetime(timers) {}
    }

    @Test("Timers with the same deadline run in order of creation")
    func equalDeadlines() {
        let clock = VirtualClock()
        let log = Log()
        var timers: [ClockTimer] = []
        for number in 0..<20 {
            timers.append(clock.timer(at: Self.at(number % 2 == 0 ? 1 : 2)) { log.add("\(number)") })
        }
        Self.runAll(clock)
        let even = (0..<20).filter { $0 % 2 == 0 }
        let odd = (0..<20).filter { $0 % 2 == 1 }
        #expect(log.all == (even + odd).map(String.init))
        withExtendedLifetime(timers) {}
    }

    @Test("A cancelled or released timer is removed and does not run")
    func cancellation() {
        let clock = VirtualClock()
        let log = Log()
        let cancelled = clock.timer(at: Self.at(1)) { log.add("cancelled") }
        var released: ClockTimer? = clock.timer(at: Self.at(1)) { log.add("released") }
        let retained = clock.timer(at: Self.at(1)) { log.add("kept") }
        cancelled.cancel()
        cancelled.cancel()
        #expect(released != nil)
        released = nil
        Self.runAll(clock)
        #expect(log.all == ["kept"])
        #expect(clock.nextDeadline == nil)
        withExtendedLifetime(retained) {}
    }

    @Test("A timer can cancel another timer with the same deadline")
    func cancelsAnother() {
        let clock = VirtualClock()
        let log = Log()
        let second = Mutex<ClockTimer?>(nil)
        let first = clock.timer(at: Self.at(1)) {
            log.add("first")
            second.withLock { $0 }?.cancel()
        }
        second.withLock { $0 = clock.timer(at: Self.at(1)) { log.add("second") } }
        Self.runAll(clock)
        #expect(log.all == ["first"])
        withExtendedLifetime(first) {}
    }

    @Test("A timer created by another timer runs in deadline order, even if it is already due")
    func nested() {
        let clock = VirtualClock()
        let log = Log()
        let inner = Mutex<[ClockTimer]>([])
        let outer = clock.timer(at: Self.at(1)) {
            log.add("outer")
            let timers = [Self.at(2), Self.at(0.5)].map { deadline in
                clock.timer(at: deadline) { log.add("\(deadline.seconds) at \(clock.now.seconds)") }
            }
            inner.withLock { $0 = timers }
        }
        let later = clock.timer(at: Self.at(3)) { log.add("later") }
        Self.runAll(clock)
        // The timer that was due at 0.5 does not move the clock back.
        #expect(log.all == ["outer", "0.5 at 1.0", "2.0 at 2.0", "later"])
        withExtendedLifetime((outer, later)) {}
    }

    @Test("Timers beyond the limit do not run")
    func limit() {
        let clock = VirtualClock()
        let log = Log()
        let timer = clock.timer(at: Self.at(1)) { log.add("ran") }
        #expect(!clock.runNextTimer(upTo: Self.at(0.999)))
        #expect(clock.now == .zero)
        #expect(clock.runNextTimer(upTo: Self.at(1)))
        #expect(log.all == ["ran"])
        withExtendedLifetime(timer) {}
    }

    @Test("The clock never moves back, and the wall time advances with it, also after being set")
    func moves() throws {
        let clock = VirtualClock(now: Self.at(100), wallTime: try #require(WallTime(seconds: 1_000)))
        clock.move(to: Self.at(50))
        #expect(clock.now == Self.at(100))
        #expect(clock.wallTime.seconds == 1_000)
        clock.move(to: Self.at(107.5))
        #expect(clock.now == Self.at(107.5))
        #expect(clock.wallTime.seconds == 1_007.5)
        clock.setWallTime(.epoch)
        #expect(clock.now == Self.at(107.5))
        clock.move(to: Self.at(108))
        #expect(clock.wallTime.seconds == 0.5)
    }

    @Test("The wall time saturates at the end of its range")
    func wallTimeSaturates() {
        let clock = VirtualClock(wallTime: WallTime(nanoseconds: .max - 5))
        clock.move(to: Self.at(1))
        #expect(clock.wallTime.nanoseconds == .max)
    }

    @Test("Cancelling a timer can release an owner that cancels it again")
    func cancelReentered() {
        /// Cancels its timer on deinitialization, as an owner does.
        final class Owner: Sendable {
            let timer = Mutex<ClockTimer?>(nil)
            deinit { timer.withLock { $0 }?.cancel() }
        }
        let clock = VirtualClock()
        weak var weakOwner: Owner?
        let timer: ClockTimer
        do {
            let owner = Owner()
            timer = clock.timer(at: Self.at(1)) { owner.timer.withLock { _ = $0 } }
            owner.timer.withLock { $0 = timer }
            weakOwner = owner
        }
        #expect(weakOwner != nil)
        timer.cancel()
        #expect(weakOwner == nil)
        #expect(clock.nextDeadline == nil)
    }
}
