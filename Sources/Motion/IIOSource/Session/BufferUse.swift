// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The state of a device's buffer. While the buffer is disabled, the sensors are read axis by axis.
///
/// ```
/// enabled ────── the buffer failed, or delivered nothing twice ─────▶ disabled(retry)
///    ▲                                                                    │
///    ├── .rediscovery: the device is found in another context ────────────┤
///    ├── .time: the time has been reached ────────────────────────────────┤
///    └── .access: the user may open the device node now ──────────────────┘
/// ```
struct BufferUse {
    enum Retry {
        case rediscovery
        case time(BootTime)
        /// The buffer is used again when the user has been granted access to the device node, for example by udev.
        case access
    }

    /// The reason why the buffer is disabled, and the event that enables it again. It is nil while the buffer is
    /// enabled.
    private(set) var failure: (remark: String, retry: Retry)?
    /// False after a decimating buffer was refused or delivered nothing. In these cases, the kernel may lack memory for
    /// that many samples, or the sensor may be slower than its driver reports.
    private(set) var mayDecimate = true
    /// True if the buffer must be disabled instead of restarted the next time it delivers nothing.
    private(set) var isLastAttempt = false
    private var hasDelivered = false
    private var backoff: Backoff

    init(options: IIOSourceOptions) {
        backoff = Backoff(first: options.maximumRetryDelay, limit: options.maximumRetryDelay * 32)
    }

    /// The time at which the buffer is enabled again, or nil if no such time is set.
    var retryTime: BootTime? { if case .time(let time)? = failure?.retry { time } else { nil } }

    mutating func recordSamples() {
        isLastAttempt = false
        hasDelivered = true
        backoff.reset()
    }

    mutating func recordRestart(decimates: Bool) {
        isLastAttempt = true
        if decimates { mayDecimate = false }
    }

    mutating func stopDecimating() { mayDecimate = false }

    /// Disables the buffer. `remark` is the reason that is added to the sensor descriptions. `isForbidden` is true if
    /// the user lacked permission to open the device node; `isAccessible` is true if the user has this permission now.
    mutating func disable(_ remark: String, isForbidden: Bool, isAccessible: Bool, now: BootTime) {
        let retry: Retry =
            if isForbidden, !isAccessible {
                .access
            } else if isForbidden || hasDelivered {
                // If the node is accessible now, access was granted after the failure.
                .time(now.advanced(bySeconds: backoff.nextDelay()))
            } else {
                .rediscovery
            }
        failure = (remark, retry)
    }

    mutating func retryIfDue(now: BootTime, isAccessible: () -> Bool) {
        switch failure?.retry {
        case .time(let time) where time <= now: isLastAttempt = hasDelivered
        case .access where isAccessible(): break
        default: return
        }
        failure = nil
    }

    /// Enables the buffer again after the device was found in a new context, in which the buffer may work.
    mutating func resetAfterRediscovery() {
        failure = nil
        mayDecimate = true
    }
}
