// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import MotionEngine
import SensorFusion
import Testing

@Suite("FusedState")
struct FusedStateTests {
    @Test("The up direction of a flat device is its z axis")
    func upOfFlatDevice() {
        let state = FusedState(time: .zero)
        #expect(state.up == SIMD3(0, 0, 1))
        #expect(state.magneticAttitude == nil)
    }
}
