// SPDX-License-Identifier: Apache-2.0

/// A timerfd_create(2) descriptor that becomes readable when the timer expires. The timer uses CLOCK_BOOTTIME, which
/// continues during suspend. If the timer is set while a thread waits for the descriptor, the new time applies to that
/// wait.
package final class TimerFD: Sendable {
    package let descriptor: Int32

    package init(for owner: String) throws(DeviceError) {
        descriptor = timerfd_create(Int32(CLOCK_BOOTTIME), O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .noDescriptor(for: owner, call: "timerfd_create") }
    }

    deinit { systemClose(descriptor) }

    /// Sets the timer to expire after the given number of seconds, or immediately if the number is not positive. NaN
    /// and values of at least 1e9 disarm the timer.
    package func set(seconds: Double) {
        var time = itimerspec()
        if seconds < 1e9 {
            // Zero would disarm the timer.
            let nanoseconds = Int64(max(1e-9, seconds) * 1e9)
            time.it_value.tv_sec = time_t(nanoseconds / 1_000_000_000)
            time.it_value.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
        }
        _ = withUnsafeBytes(of: &time) { timerfd_settime(descriptor, 0, $0.baseAddress, nil) }
    }
}

// The Swift modules of the C libraries lack these functions.
@_silgen_name("timerfd_create")
private func timerfd_create(_ clock: Int32, _ flags: Int32) -> Int32

@_silgen_name("timerfd_settime")
private func timerfd_settime(
    _ descriptor: Int32, _ flags: Int32, _ time: UnsafeRawPointer?, _ former: UnsafeMutableRawPointer?
) -> Int32
