// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion
import Testing

@Suite("A fused state")
struct FusedStateTests {
    @Test("Up is the device's z axis when it lies flat")
    func upOfFlatDevice() {
        let state = FusedState(time: .zero)
        #expect(state.up == SIMD3(0, 0, 1))
        #expect(state.magneticAttitude == nil)
    }
}
