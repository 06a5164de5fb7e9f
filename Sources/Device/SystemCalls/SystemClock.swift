// SPDX-License-Identifier: Apache-2.0

/// The kernel's clocks.
package enum SystemClock {
    /// Returns the time of a clock, such as CLOCK_BOOTTIME, in nanoseconds.
    package static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
