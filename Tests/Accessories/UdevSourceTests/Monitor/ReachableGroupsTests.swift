// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UdevMonitor

@Suite("Reach of udev messages")
struct MessageReachTests {
    @Test(
        "udevd's messages require the initial user and network namespaces, the kernel's only the user namespace",
        arguments: [
            (true, true, true, true), (true, false, true, false), (false, true, false, false),
            (false, false, false, false),
        ])
    func covers(isFirstUser: Bool, isFirstNetwork: Bool, kernel: Bool, udev: Bool) {
        let reach = ReachableGroups(isFirstUser: isFirstUser, isFirstNetwork: isFirstNetwork)
        #expect(reach.includes(.kernel) == kernel)
        #expect(reach.includes(.udev) == udev)
    }
}
