// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import IIOSource

@Suite("Detection of devices that deliver nothing")
struct StallDetectorTests {
    private func time(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    @Test("A buffer without progress since its start has not started; one with progress has stalled")
    func verdicts() {
        let plan = BufferPlan(rate: 100, latency: 0, isLocal: true, isEventDriven: false)
        var first = StallDetector(plan: plan, isEventDriven: false, progress: 7, now: .zero)
        #expect(first.check(progress: 7, now: time(0.5)) == .none)
        #expect(first.check(progress: 7, now: first.deadline) == .notStarted)
        var second = StallDetector(plan: plan, isEventDriven: false, progress: 7, now: .zero)
        #expect(second.check(progress: 8, now: time(0.1)) == .none)
        #expect(second.isFlowing)
        #expect(second.check(progress: 8, now: time(1)) == .none)
        #expect(second.check(progress: 8, now: second.deadline) == .stalled)
    }

    @Test("After a late check the reader has a grace period, and late checks do not postpone a verdict forever")
    func lateChecks() {
        let plan = BufferPlan(rate: 100, latency: 0, isLocal: false, isEventDriven: false)
        var detector = StallDetector(plan: plan, isEventDriven: false, progress: 0, now: .zero)
        #expect(detector.check(progress: 0, now: time(3)) == .none)
        #expect(detector.check(progress: 1, now: time(3.1)) == .none)
        // The second late check, with progress in its grace period.
        #expect(detector.check(progress: 1, now: time(6)) == .none)
        #expect(detector.deadline == time(6.25))
        #expect(detector.check(progress: 1, now: time(6.2)) == .none)
        #expect(detector.check(progress: 2, now: time(6.21)) == .none)
        // A check that was due before the limit, and happens right after it.
        #expect(detector.check(progress: 3, now: time(7)) == .none)
        #expect(detector.check(progress: 3, now: time(8.15)) == .none)
        #expect(detector.deadline == time(8.4))
        #expect(detector.check(progress: 4, now: time(8.2)) == .none)
        // A late check long before the limit starts no grace period; a later one at the limit still does.
        let slow = BufferPlan(rate: 100, latency: 1, isLocal: false, isEventDriven: false)
        var buffering = StallDetector(plan: slow, isEventDriven: false, progress: 0, now: .zero)
        #expect(buffering.check(progress: 0, now: time(1.15)) == .none)
        #expect(buffering.check(progress: 0, now: time(2.2)) == .none)
        #expect(buffering.check(progress: 0, now: buffering.deadline) == .notStarted)
        // Without progress, the second of two late checks finds the stall.
        #expect(detector.check(progress: 4, now: time(11)) == .none)
        #expect(detector.check(progress: 4, now: time(14)) == .stalled)
    }

    @Test("An event-driven sensor that has delivered may be silent for any time, without further checks")
    func eventDriven() {
        let plan = BufferPlan(rate: 100, latency: 0, isLocal: true, isEventDriven: true)
        var detector = StallDetector(plan: plan, isEventDriven: true, progress: 0, now: .zero)
        #expect(detector.check(progress: 1, now: .zero) == .none)
        #expect(detector.deadline == .never)
        #expect(detector.check(progress: 1, now: time(3600)) == .none)
    }
}

@Suite("Use of a buffer that fails")
struct BufferUseTests {
    private func time(_ seconds: Double) -> BootTime { BootTime.zero.advanced(bySeconds: seconds) }

    private func use() -> BufferUse {
        var options = IIOSourceOptions()
        options.maximumRetryDelay = 10
        return BufferUse(options: options)
    }

    @Test("A buffer that has never delivered is retried after rediscovery only")
    func rediscovery() {
        var use = use()
        use.recordRestart(decimates: true)
        #expect(use.isLastAttempt)
        #expect(!use.mayDecimate)
        use.disable("silent", isForbidden: false, isAccessible: true, now: .zero)
        #expect(use.retryTime == nil)
        use.retryIfDue(now: time(1e6)) { true }
        #expect(use.failure == "silent")
        use.resetAfterRediscovery()
        #expect(use.failure == nil)
        #expect(use.mayDecimate)
    }

    @Test("A buffer that has delivered is retried after 10 s, then 20 s, and each retry is the last attempt")
    func time() {
        var use = use()
        use.recordSamples()
        use.disable("silent", isForbidden: false, isAccessible: true, now: .zero)
        #expect(use.retryTime == time(10))
        use.retryIfDue(now: time(9.9)) { true }
        #expect(use.failure != nil)
        use.retryIfDue(now: time(10)) { true }
        #expect(use.failure == nil)
        #expect(use.isLastAttempt)
        use.disable("silent", isForbidden: false, isAccessible: true, now: time(10))
        #expect(use.retryTime == time(30))
        use.recordSamples()
        #expect(!use.isLastAttempt)
    }

    @Test("A buffer that the user may not open is retried once access is granted")
    func access() {
        var use = use()
        use.disable("forbidden", isForbidden: true, isAccessible: false, now: .zero)
        use.retryIfDue(now: time(1)) { false }
        #expect(use.failure != nil)
        use.retryIfDue(now: time(2)) { true }
        #expect(use.failure == nil)
    }
}
