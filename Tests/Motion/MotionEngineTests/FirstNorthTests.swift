// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import MotionEngine
import SensorFusion
import Testing

@Suite("First north of the motion engine")
struct FirstNorthTests {
    @Test(
        "The first state contains north from the magnetometer for any direction of the top edge",
        arguments: [0.0, 45, 90, 180, 270])
    func first(degrees: Double) throws {
        let bench = EngineBench()
        let log = FusionLog()
        let subscription = bench.engine.subscribe(FusionRequest(need: .heading), receive: log.receive)
        // North is `degrees` to the left of the top edge. The field is 0.2 gauss north and 0.43 gauss down.
        let angle = degrees * .pi / 180
        let field = SIMD3(-0.2 * sin(angle), 0.2 * cos(angle), -0.43)
        for step in 1...20 {
            let seconds = Double(step) / 100
            bench.move(to: seconds)
            bench.post(.gyroscope, .zero, at: seconds)
            bench.post(.accelerometer, [0, 0, EngineBench.gravity], at: seconds)
            bench.post(.magnetometer, field, at: seconds)
        }
        subscription.cancel()
        let states = log.states
        #expect(states.count == 20)
        for state in states {
            // The device's y axis in magnetic east, north and up.
            let top = try #require(state.magneticAttitude).rotate([0, 1, 0])
            #expect(abs(top.x - sin(angle)) < 0.001)
            #expect(abs(top.y - cos(angle)) < 0.001)
        }
    }
}
