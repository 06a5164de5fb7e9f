// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Whether the buffer of a device is used, or its sensors are read axis by axis.
///
/// ```
/// enabled ────── the buffer failed, or delivered nothing twice ─────▶ disabled(retry)
///    ▲                                                                    │
///    ├── .rediscovery: the device is found in another context ────────────┤
///    ├── .time: the time has been reached ────────────────────────────────┤
///    └── .access: the user may open the device node now ──────────────────┘
/// ```
struct BufferUse {
    /// The event after which a buffer that has failed is tried again.
    enum Retry {
        case rediscovery
        case time(BootTime)
        /// The user is granted access to the device node, for example by udev.
        case access
    }

    /// The reason for which the buffer is not used; nil while it is.
    private(set) var failure: (remark: String, retry: Retry)?
    /// False after a decimating buffer was refused or delivered nothing: the kernel may lack memory for that many samples, and
    /// the sensor may be slower than its driver reports.
    private(set) var mayDecimate = true
    /// True if the buffer is not restarted once more when it delivers nothing.
    private(set) var isLastAttempt = false
    private var hasDelivered = false
    private var backoff: Backoff

    init(options: IIOSourceOptions) {
        backoff = Backoff(first: options.lastRetry, limit: options.lastRetry * 32)
    }

    /// The time at which the buffer is tried again; nil if that does not depend on time.
    var retryTime: BootTime? {
        if case .time(let time)? = failure?.retry { time } else { nil }
    }

    /// Records samples from the buffer.
    mutating func recordSamples() {
        isLastAttempt = false
        hasDelivered = true
        backoff.reset()
    }

    /// Records that the buffer is started again because it delivered nothing.
    mutating func recordRestart(decimates: Bool) {
        isLastAttempt = true
        if decimates { mayDecimate = false }
    }

    /// Records that a decimating buffer was refused.
    mutating func stopDecimating() { mayDecimate = false }

    /// Disables the buffer.
    ///
    /// - Parameters:
    ///   - isForbidden: True if the user lacked the permission to open the device node.
    ///   - isAccessible: True if the user may open the node now.
    mutating func disable(_ remark: String, isForbidden: Bool, isAccessible: Bool, now: BootTime) {
        let retry: Retry =
            if isForbidden, !isAccessible {
                .access
            } else if isForbidden || hasDelivered {
                // A node that is accessible now was granted after the failure.
                .time(now.advanced(bySeconds: backoff.take()))
            } else {
                .rediscovery
            }
        failure = (remark, retry)
    }

    /// Enables the buffer again if the event of its retry has occurred.
    mutating func retryIfDue(now: BootTime, isAccessible: () -> Bool) {
        switch failure?.retry {
        case .time(let time) where time <= now: isLastAttempt = hasDelivered
        case .access where isAccessible(): break
        default: return
        }
        failure = nil
    }

    /// Enables the buffer of a device that was found in another context: it may work now.
    mutating func resetAfterRediscovery() {
        failure = nil
        mayDecimate = true
    }
}
