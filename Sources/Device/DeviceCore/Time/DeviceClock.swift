// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Errors, files, threads and wake-ups: whoever imports this room has them too.
@_exported public import SystemCalls

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

extension WakeUp {
    /// Waits for the wake-up or for the socket until the deadline; true when the descriptor is ready.
    package func wait(
        for socket: Int32?, events: Int16 = Int16(POLLIN), until deadline: BootTime, clock: any DeviceClock
    ) -> Bool {
        guard deadline != .never else { return wait(for: socket, events: events, milliseconds: -1) }
        let rest = max(0, deadline.seconds(since: clock.now))
        // Rounded up, so that the deadline has passed when the wait ends.
        let milliseconds = Int32(min((rest * 1000).rounded(.up), 86_400_000))
        return wait(for: socket, events: events, milliseconds: milliseconds)
    }
}

extension Bell {
    /// Waits until the deadline or until somebody rings; true for the latter.
    @discardableResult
    package func wait(until deadline: BootTime, clock: any DeviceClock) -> Bool {
        // Capped, because the clock of a wait stands still in suspend.
        wait(seconds: min(deadline.seconds(since: clock.now), 60))
    }
}
