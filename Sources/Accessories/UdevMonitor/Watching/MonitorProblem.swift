// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// The problems of a monitor and their messages.
enum MonitorProblem {
    // Logged once per process, regardless of the number of monitors.
    static let rulesLogOnce = LogOnce()
    static let reachLogOnce = LogOnce()

    static let overflow =
        "The kernel dropped messages about devices, because its buffer was full. All devices are scanned, so none is missed. If this happens often, raise net.core.rmem_max."

    static let withoutMessages = DeviceError(
        .notSupported,
        "Messages about devices cannot reach the network or user namespace of this program, so all devices are scanned every few seconds until a message arrives. In a container, add --network host and use the user namespace of the host."
    )

    static func withoutRules(_ reason: String) -> DeviceError {
        DeviceError(
            .notFound,
            "udevd does not run (\(reason)), so only the kernel reports devices, and no udev rule names protocols or sets permissions. Start udevd; in a container, add -v /run/udev:/run/udev:ro and --network host."
        )
    }

    static func tooMany(_ limit: Int) -> DeviceError {
        DeviceError(.busy, "There are more than \(limit) devices. The most recently added ones are ignored.")
    }
}

/// A message that is logged once per process.
final class LogOnce: Sendable {
    private let isSaid = Atomic<Bool>(false)

    /// Returns true on the first call.
    func shouldLog() -> Bool { !isSaid.exchange(true, ordering: .relaxed) }
}
