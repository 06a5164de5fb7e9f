// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The time of a device: the live machine's, or a virtual one that only playback moves.
///
/// Every time-out, watchdog and hysteresis takes its time from here, so that nothing has to sleep to be tested.
public protocol DeviceClock: AnyObject, Sendable {
    /// Time since boot, suspend included. Never goes back.
    var now: BootTime { get }

    /// Civil time. May step.
    var wallTime: WallTime { get }

    /// Runs the work once at the deadline or soon after, on a thread of the clock's own, unless the timer is cancelled
    /// or released before.
    func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer
}

/// A piece of work that a clock will run once; cancelling or releasing it takes the work back.
public final class ClockTimer: Sendable {
    private let work: Mutex<(@Sendable () -> Void)?>
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// A timer over the work.
    package init(_ work: @escaping @Sendable () -> Void) {
        self.work = Mutex(work)
        onCancel = Mutex(nil)
    }

    deinit { cancel() }

    /// Tells the clock how to forget the timer.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) { onCancel.withLock { $0 = action } }

    /// Takes the work back; does nothing once it has run.
    public func cancel() {
        // What the work holds on to goes outside of the lock: it may own this timer and cancel it as it goes.
        let work = work.withLock { $0.take() }
        withExtendedLifetime(work) {}
        let action = onCancel.withLock { $0.take() }
        action?()
    }

    /// Runs the work unless it has run or was taken back.
    package func fire() {
        let work = work.withLock { $0.take() }
        work?()
    }
}
