// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UdevMonitor

@Suite("Reach of udev messages")
struct ReachableGroupsTests {
    @Test(
        "udevd's messages require the initial user and network namespaces, the kernel's only the user namespace",
        arguments: [
            (true, true, true, true), (true, false, true, false), (false, true, false, false),
            (false, false, false, false),
        ])
    func covers(isInitialUserNamespace: Bool, isInitialNetworkNamespace: Bool, kernel: Bool, udev: Bool) {
        let groups = ReachableGroups(
            isInitialUserNamespace: isInitialUserNamespace, isInitialNetworkNamespace: isInitialNetworkNamespace)
        #expect(groups.includes(.kernel) == kernel)
        #expect(groups.includes(.udev) == udev)
    }
}
