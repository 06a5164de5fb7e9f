// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The state of a device's buffer. While the buffer is disabled, the sensors are read axis by axis.
struct BufferUse {
    /// ```
    /// enabled ── the buffer cannot be set up, or the last attempt delivers no samples ──▶ disabled
    /// disabled ── the device is found in another context ──▶ enabled
    /// disabled(.time) ── the time has been reached ──▶ enabled
    /// disabled(.access) ── the user now has permission to open the device node ──▶ enabled
    /// ```
    private enum Phase {
        case enabled
        case disabled(remark: String, Retry)
    }

    private enum Retry {
        case rediscovery
        case time(BootTime)
        /// Retry as soon as the user has permission to open the device node, for example after udev has granted it.
        case access
    }

    private var phase = Phase.enabled
    /// False once the buffer has failed with decimation, because it may work without decimation. The cause may be a
    /// lack of memory or a slow sensor.
    private(set) var mayDecimate = true
    /// True during the last attempt to use the buffer. If this attempt delivers no samples, the buffer is disabled.
    private(set) var isLastAttempt = false
    /// True once any attempt has delivered samples, even if the buffer has been disabled since.
    private var hasDelivered = false
    private var backoff: Backoff

    init(options: IIOSourceOptions) {
        backoff = Backoff(first: options.maximumRetryDelay, limit: options.maximumRetryDelay * 32)
    }

    /// The reason why the buffer is disabled, or nil while it is enabled.
    var failure: String? { if case .disabled(let remark, _) = phase { remark } else { nil } }
    var retryTime: BootTime? { if case .disabled(_, .time(let time)) = phase { time } else { nil } }

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

    /// `isForbidden` is true if the device node could not be opened because the user lacked permission. `isAccessible`
    /// is true if the user has permission now.
    mutating func disable(_ remark: String, isForbidden: Bool, isAccessible: Bool, now: BootTime) {
        let retry: Retry =
            if isForbidden, !isAccessible {
                .access
            } else if isForbidden || hasDelivered {
                .time(now.advanced(bySeconds: backoff.nextDelay()))
            } else {
                .rediscovery
            }
        phase = .disabled(remark: remark, retry)
    }

    mutating func retryIfDue(now: BootTime, isAccessible: () -> Bool) {
        switch phase {
        case .disabled(_, .time(let time)) where time <= now: isLastAttempt = hasDelivered
        case .disabled(_, .access) where isAccessible(): break
        case .enabled, .disabled: return
        }
        phase = .enabled
    }

    /// Enables the buffer again, because it may work in the new context.
    mutating func resetAfterRediscovery() {
        phase = .enabled
        mayDecimate = true
    }
}
