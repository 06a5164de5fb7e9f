// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The clocks for sample timestamps, with the names used by `current_timestamp_clock`.
public enum IIOTimestampClock: String, Sendable, CaseIterable {
    /// CLOCK_REALTIME: wall-clock time. The kernel's default.
    case realtime
    /// CLOCK_MONOTONIC: time since boot without suspend, adjusted by NTP.
    case monotonic
    /// CLOCK_MONOTONIC_RAW: time since boot without suspend, not adjusted.
    case monotonicRaw = "monotonic_raw"
    /// CLOCK_REALTIME_COARSE: wall-clock time with the resolution of the kernel's tick.
    case realtimeCoarse = "realtime_coarse"
    /// CLOCK_MONOTONIC_COARSE: time since boot without suspend, with the resolution of the kernel's tick.
    case monotonicCoarse = "monotonic_coarse"
    /// CLOCK_BOOTTIME: time since boot including suspend.
    case boottime
    /// CLOCK_TAI: wall-clock time without leap seconds.
    case tai

    /// The current time of the clock on this machine, in nanoseconds.
    public var now: Int64 {
        // The numbers are part of the kernel's ABI. Some C libraries do not export all of their names to Swift.
        let number: clockid_t =
            switch self {
            case .realtime: 0
            case .monotonic: 1
            case .monotonicRaw: 4
            case .realtimeCoarse: 5
            case .monotonicCoarse: 6
            case .boottime: 7
            case .tai: 11
            }
        var time = timespec()
        clock_gettime(number, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
