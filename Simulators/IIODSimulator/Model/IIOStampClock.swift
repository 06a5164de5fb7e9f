// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The clocks that a driver can stamp samples with, as `current_timestamp_clock` names them.
public enum IIOStampClock: String, Sendable, CaseIterable {
    /// Civil time; the kernel's default.
    case realtime
    /// Since boot without suspend, slewed by time servers.
    case monotonic
    /// Since boot without suspend, as the hardware counts.
    case monotonicRaw = "monotonic_raw"
    /// Civil time in steps of the kernel's tick.
    case realtimeCoarse = "realtime_coarse"
    /// Since boot without suspend, in steps of the kernel's tick.
    case monotonicCoarse = "monotonic_coarse"
    /// Since boot with suspend.
    case boottime
    /// Civil time without leap seconds.
    case tai

    /// What the machine's clock shows, in nanoseconds.
    public var now: Int64 {
        // Numbers of the kernel's interface; not every C library exports all their names to Swift.
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
