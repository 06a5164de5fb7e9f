// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// Whose messages about devices can be heard from where this process is.
///
/// udevd's go to its own network namespace only. The kernel's go to all those that belong to the machine's first user
/// namespace; in another one libudev takes the kernel and udevd for strangers besides. A socket opens all the same, and
/// stays silent.
package struct MessageReach: Sendable, Equatable {
    /// The number that the first user namespace has on all machines.
    private static let firstUserNamespace: UInt64 = 0xEFFF_FFFD
    /// Each network namespace has the first of these settings, and only the machine's own has the second. Unlike the
    /// namespaces of other processes, everybody may look at them.
    private static let everyNetwork = "/proc/sys/net/core/somaxconn"
    private static let firstNetwork = "/proc/sys/net/core/netdev_max_backlog"

    /// True in the machine's own user namespace, and where that cannot be told.
    var isFirstUser = true
    /// True in the machine's own network namespace, and where that cannot be told.
    var isFirstNetwork = true

    /// As on a machine without namespaces.
    package static let everywhere = MessageReach()

    /// Where this process is now.
    package static var current: MessageReach {
        var status = stat()
        let isKnown = stat("/proc/self/ns/user", &status) == 0
        return MessageReach(
            isFirstUser: !isKnown || UInt64(status.st_ino) == firstUserNamespace,
            isFirstNetwork: access(firstNetwork, F_OK) == 0 || access(everyNetwork, F_OK) != 0)
    }

    /// Whether messages of that group come here for certain.
    func covers(_ group: UdevGroup) -> Bool { isFirstUser && (group == .kernel || isFirstNetwork) }
}
