// SPDX-License-Identifier: Apache-2.0

// Errors, files, threads and wake-ups: whoever imports this room has them too.
@_exported public import SystemCalls

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
