// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import CoreMotion

@Suite("Pause and resume detection")
struct StepTransitionTests {
    @Test("An update for a new subscriber does not report a pause while readings are still in transit")
    func readingsOnTheirWay() {
        var engineState = StepEngineState()
        engineState.start()
        var transitions: [WalkTransition] = []
        func wall(_ time: Double) -> WallTime { TestDevice.wallStart.advanced(bySeconds: time) }
        func process(_ seconds: Range<Double>, cadence: Double) {
            for index in Int(seconds.lowerBound * 50)..<Int(seconds.upperBound * 50) {
                let time = Double(index) / 50
                let now = BootTime.zero.advanced(bySeconds: time)
                let event = engineState.process(
                    [0, 0, 9.80665 + 3 * sin(2 * .pi * cadence * time)], at: now, now: now, wallTime: wall(time))
                if let transition = event?.transition { transitions.append(transition) }
            }
        }
        process(0..<20, cadence: 2)
        process(20..<22.4, cadence: 0)
        #expect(transitions.map(\.isWalking) == [true])
        // The following readings are half a second late.
        for late in stride(from: 2.6, through: 4, by: 0.2) {
            let event = engineState.update(.zero.advanced(bySeconds: 20 + late), wall(20 + late))
            #expect(event.transition == nil)
        }
        process(22.4..<30, cadence: 0)
        #expect(transitions.map(\.isWalking) == [true, false])
    }
}
