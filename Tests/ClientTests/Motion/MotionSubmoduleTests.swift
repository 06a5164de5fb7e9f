// SPDX-License-Identifier: Apache-2.0

import CoreMotion.CMMotionManager
import Testing

@Suite("Submodule imports")
struct MotionSubmoduleTests {
    @Test("A submodule import makes the whole module and Foundation available")
    func wholeModule() {
        #expect(CMLogItem().timestamp == 0)
        #expect(CMAttitude().isEqual(nil) == false)
        #expect(Date(timeIntervalSince1970: 0) < Date())
    }
}
