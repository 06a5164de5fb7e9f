// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import DeviceCore

@Suite("Live clock")
struct LiveClockTests {
    @Test("A timer fires, but not before its deadline")
    func fires() {
        let clock = LiveClock()
        let early = Mutex<[Double]>([])
        let done = DispatchSemaphore(value: 0)
        let timers = (0..<20).map { number in
            let deadline = clock.now.advanced(bySeconds: Double(number) * 0.001)
            return clock.timer(at: deadline) {
                let rest = deadline.seconds(since: clock.now)
                if rest > 0 { early.withLock { $0.append(rest) } }
                done.signal()
            }
        }
        for _ in timers { #expect(done.wait(timeout: .now() + 60) == .success) }
        #expect(early.withLock { $0 } == [])
        withExtendedLifetime(timers) {}
    }

    @Test("A timer with a past deadline fires at once, and a timer at .never does not fire")
    func pastAndNever() {
        let clock = LiveClock()
        let order = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        let never = clock.timer(at: .never) { order.withLock { $0.append("never") } }
        let cancelled = clock.timer(at: .zero) { order.withLock { $0.append("cancelled") } }
        cancelled.cancel()
        let past = clock.timer(at: BootTime(nanoseconds: .min)) {
            order.withLock { $0.append("past") }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        // The cancelled timer may have fired before its cancellation, but not after it.
        #expect(order.withLock { $0 }.filter { $0 != "cancelled" } == ["past"])
        withExtendedLifetime((never, past)) {}
    }

    @Test("A timer fires even if its clock has been released")
    func releasedClock() {
        let done = DispatchSemaphore(value: 0)
        let timer = LiveClock().timer(at: LiveClock().now.advanced(bySeconds: 0.01)) { done.signal() }
        #expect(done.wait(timeout: .now() + 60) == .success)
        withExtendedLifetime(timer) {}
    }

    @Test("The time since boot never decreases")
    func monotonic() {
        let clock = LiveClock()
        var last = clock.now
        for _ in 0..<1_000 {
            let now = clock.now
            #expect(now >= last)
            last = now
        }
        #expect(last > .zero)
    }
}
