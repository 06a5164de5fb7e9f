// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// What can keep a monitor from telling of all devices, in words.
enum MonitorProblem {
    // Said once for the process, however many monitors there are.
    static let saysRules = SaidOnce()
    static let saysReach = SaidOnce()

    static let overflow =
        "The kernel had to drop messages about devices, because more came than its buffer holds. All devices are looked through, so none is missed. If this comes often, raise net.core.rmem_max."

    static let withoutMessages = DeviceError(
        .notSupported,
        "Messages about devices may not come into the network or user namespace that this program runs in, so all devices are looked through every few seconds until one comes. In a container, add --network host and let its root be the machine's."
    )

    static func withoutRules(_ reason: String) -> DeviceError {
        DeviceError(
            .notFound,
            "udevd does not run (\(reason)), so devices are watched through the kernel alone: udev's rules name no protocols and set no permissions. Start udevd; in a container, add -v /run/udev:/run/udev:ro and --network host."
        )
    }

    static func tooMany(_ limit: Int) -> DeviceError {
        DeviceError(.busy, "There are more than \(limit) devices, and those that came last are left out.")
    }
}

/// Something that the log says once in the life of the process.
final class SaidOnce: Sendable {
    private let isSaid = Atomic<Bool>(false)

    /// True the first time.
    func isFirst() -> Bool { !isSaid.exchange(true, ordering: .relaxed) }
}
