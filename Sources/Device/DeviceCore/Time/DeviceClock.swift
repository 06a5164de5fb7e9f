// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Re-exports SystemCalls to the modules that import DeviceCore.
@_exported public import SystemCalls

/// The clock of a device: either the machine's clock or a virtual clock that only playback advances. All timeouts use
/// this clock, so tests need not sleep. All members may be called with locks held, so they must not run a timer's work
/// directly.
public protocol DeviceClock: AnyObject, Sendable {
    /// The time since boot, including time spent suspended. Monotonic.
    var now: BootTime { get }

    /// The civil time, which may jump if the system clock is set.
    var wallTime: WallTime { get }

    /// Runs the work once, at or shortly after the deadline, on one of the clock's threads. Cancelling or releasing the
    /// timer before the deadline discards the work.
    func timer(at deadline: BootTime, _ work: @escaping @Sendable () -> Void) -> ClockTimer
}

/// A timer scheduled on a clock. Cancelling or releasing the timer before the deadline discards the work.
public final class ClockTimer: Sendable {
    private let work: Mutex<(@Sendable () -> Void)?>
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    package init(_ work: @escaping @Sendable () -> Void) {
        self.work = Mutex(work)
        onCancel = Mutex(nil)
    }

    deinit { cancel() }

    /// Sets the closure that removes the timer from the clock.
    package func onCancel(_ action: @escaping @Sendable () -> Void) { onCancel.withLock { $0 = action } }

    /// Discards the work. Does nothing if the work has already run.
    public func cancel() {
        // Releases the work outside the lock, because the work may own this timer and cancel it when deinitialized.
        let work = work.withLock { $0.take() }
        withExtendedLifetime(work) {}
        let action = onCancel.withLock { $0.take() }
        action?()
    }

    package func fire() {
        let work = work.withLock { $0.take() }
        work?()
    }
}

extension WakeupPipe {
    /// Waits until a wakeup is signaled, the socket is ready or the deadline has passed. Returns true if the socket is
    /// ready.
    package func wait(
        for socket: Int32?, events: Int16 = Int16(POLLIN), until deadline: BootTime, clock: any DeviceClock
    ) -> Bool {
        guard deadline != .never else { return wait(for: socket, events: events, milliseconds: -1) }
        let rest = max(0, deadline.seconds(since: clock.now))
        // Rounds up, so that the wait does not end before the deadline.
        let milliseconds = Int32(min((rest * 1000).rounded(.up), 86_400_000))
        return wait(for: socket, events: events, milliseconds: milliseconds)
    }
}

extension BinarySemaphore {
    /// Waits until `signal()` is called or the deadline has passed, but for at most 60 s. Returns true if `signal()`
    /// was called.
    @discardableResult package func wait(until deadline: BootTime, clock: any DeviceClock) -> Bool {
        // The wait uses CLOCK_MONOTONIC, which stops during suspend, so it may end too late. The limit ensures that it
        // is at most 60 s late.
        wait(seconds: min(deadline.seconds(since: clock.now), 60))
    }
}
