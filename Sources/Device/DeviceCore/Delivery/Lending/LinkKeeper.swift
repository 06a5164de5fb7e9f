// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemCalls

/// The source's thread at work: it waits for a link's descriptor, or lends it to the place where the only listener has its
/// callbacks.
///
/// What is lent costs one wake-up a reading in place of two. The thread then sleeps until the place has not come for longer
/// than it should, as when the program's main thread is busy. It takes the descriptor back, so that what comes is read in
/// time and waits where it is bounded, and lends it again later.
package struct LinkKeeper: ~Copyable {
    private struct Loan {
        let place: any DirectDelivery
        let set: WaitSet
        let alarm: Alarm
        let wait: Subscription
        let end: End
    }

    /// Set by who has looked and found that this is not its part any more.
    private final class End: Sendable {
        let hasCome = Atomic<Bool>(false)
        /// Looks, one after the other, at which somebody else was already.
        let busyLooks = Atomic<Int>(0)
    }

    /// What the place of a loan is known to do.
    private enum Watch {
        /// It looks as often as it should, or the alarm will tell.
        case alarm
        /// Nothing has come for so long that nobody was to look.
        case silence
        /// Something has come: it should look now.
        case arrival(looks: UInt64)
    }

    /// Seconds until the place is asked first, and again after it could not or did not come. Doubled each time.
    private static let firstPause = 0.25
    private static let lastPause = 64.0
    private static let mostBusyLooks = 100
    private let link: any LentLink
    private let place: @Sendable () -> (any DirectDelivery)?
    private let wakeUp: WakeUp
    private let clock: any DeviceClock
    private var loan: Loan?
    private var watch = Watch.alarm
    private var nextLoan: BootTime
    private var pause = Self.firstPause

    /// - Parameters:
    ///   - wakeUp: Signalled when the place changes, and when the thread has something else to do.
    ///   - place: The place that may look in place of the thread; nil while there is none. Asked on that thread and in each
    ///     look, it must not wait for a look.
    package init(
        link: any LentLink, wakeUp: WakeUp, clock: any DeviceClock,
        place: @escaping @Sendable () -> (any DirectDelivery)?
    ) {
        self.link = link
        self.place = place
        self.wakeUp = wakeUp
        self.clock = clock
        nextLoan = clock.now
    }

    /// Waits once, and does what is to be done then.
    package mutating func attend() throws(DeviceError) {
        if takeBackWhenOver() { return }
        let (descriptor, deadline) = awaited
        let isReady = wakeUp.wait(for: descriptor, until: deadline, clock: clock)
        if isLent { return try attendLoan(isReady: isReady) }
        try link.look(isReadable: isReady)
        lendWhenDue()
    }

    // For a thread that waits for several links.

    /// True while the place looks.
    package var isLent: Bool { loan != nil }

    /// What the thread has to wait for, beside the wake-up, and until when.
    package var awaited: (descriptor: Int32, deadline: BootTime) {
        guard let loan else { return (link.descriptor, link.deadline) }
        return switch watch {
        case .alarm, .arrival: (loan.alarm.descriptor, .never)
        case .silence: (loan.set.descriptor, link.deadline)
        }
    }

    /// Lends the descriptor, when there is a place that may look now. To be called when the thread has looked.
    package mutating func lendWhenDue() {
        if loan == nil, clock.now >= nextLoan { lend() }
    }

    /// True when the descriptor was lent and is not any more, since somebody else should look now.
    package mutating func takeBackWhenOver() -> Bool {
        guard let loan, loan.end.hasCome.load(ordering: .acquiring) || place() !== loan.place else { return false }
        takeBack()
        return true
    }

    /// Nobody looks in place of this thread from now on.
    package mutating func takeBack() {
        guard let loan else { return }
        loan.set.remove(link.descriptor)
        loan.wait.cancel()
        self.loan = nil
    }

    private mutating func lend() {
        guard let place = place() else { return }
        // Without descriptors left, or while the place cannot, this thread goes on as before.
        guard let set = try? WaitSet(for: "a lent descriptor"), let alarm = try? Alarm(for: "a lent descriptor") else {
            return postpone()
        }
        let (link, wakeUp, currentPlace, end) = (link, wakeUp, self.place, End())
        let descriptor = link.descriptor
        let wait = try? place.wait(for: set) {
            do throws(DeviceError) {
                let found = try link.look(alarm: alarm, in: place) { currentPlace() === place }
                if found != .busy { end.busyLooks.store(0, ordering: .relaxed) }
                switch found {
                case .all: return
                case .more: return set.tellAgain(descriptor)
                case .busy:
                    // Mostly that takes microseconds. But who looks has to run for it: on one core it does not while a thread of
                    // higher priority asks again and again.
                    if end.busyLooks.add(1, ordering: .relaxed).newValue > Self.mostBusyLooks {
                        end.busyLooks.store(0, ordering: .relaxed)
                        WorkerThread.pause(seconds: 0.001)
                    }
                    return set.tellAgain(descriptor)
                // Somebody listens elsewhere by now, or the place has done its part.
                case .over: break
                }
                end.hasCome.store(true, ordering: .releasing)
            } catch {
                // The source's thread tells it.
            }
            set.remove(descriptor)
            wakeUp.signal()
        }
        guard let wait else { return postpone() }
        nextLoan = clock.now.advanced(bySeconds: pause)
        loan = Loan(place: place, set: set, alarm: alarm, wait: wait, end: end)
        expectLook(alarm)
        guard set.add(descriptor) else { return takeBack() }
    }

    /// Does what is to be done while the descriptor is lent, after the wait.
    ///
    /// - Parameter isReady: What was waited for has come.
    package mutating func attendLoan(isReady: Bool) throws(DeviceError) {
        guard let loan else { return }
        try link.lookAfter()
        if case .arrival(let looks) = watch, link.looks != looks {
            // It comes. The next time it may be trusted at once.
            pause = Self.firstPause
            watch = .alarm
        }
        switch watch {
        case .alarm:
            let now = clock.now
            let end = link.attentionEnd
            if now < end {
                loan.alarm.set(seconds: min(end, link.deadline).seconds(since: now))
            } else if isReadable {
                stalled()
            } else {
                watch = .silence
            }
        case .silence:
            if isReady { expectLook(loan.alarm) }
        case .arrival where isReady:
            if isReadable { stalled() } else { watch = .silence }
        case .arrival: return
        }
    }

    private mutating func expectLook(_ alarm: Alarm) {
        watch = .arrival(looks: link.looks)
        alarm.set(seconds: link.expectLook())
    }

    /// True when something waits there that nobody has looked at.
    private var isReadable: Bool { Sockets.isReadable(link.descriptor) }

    /// The place has not come: this thread reads, and tries again later.
    private mutating func stalled() {
        takeBack()
        postpone()
    }

    private mutating func postpone() {
        pause = min(pause * 2, Self.lastPause)
        nextLoan = clock.now.advanced(bySeconds: pause)
    }
}
