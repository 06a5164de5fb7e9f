// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Testing

@testable import CoreMotion

@Suite("Pause and resume detection")
struct StepTurnTests {
    @Test("An update for a new subscriber does not report a pause while readings are still in transit")
    func readingsOnTheirWay() {
        var core = StepEngineState()
        core.start()
        var turns: [WalkTransition] = []
        func wall(_ time: Double) -> WallTime { TestDevice.wallStart.advanced(bySeconds: time) }
        func take(_ seconds: Range<Double>, cadence: Double) {
            for index in Int(seconds.lowerBound * 50)..<Int(seconds.upperBound * 50) {
                let time = Double(index) / 50
                let now = BootTime.zero.advanced(bySeconds: time)
                let event = core.process(
                    [0, 0, 9.80665 + 3 * sin(2 * .pi * cadence * time)], at: now, now: now, wallTime: wall(time))
                if let turn = event?.transition { turns.append(turn) }
            }
        }
        take(0..<20, cadence: 2)
        take(20..<22.4, cadence: 0)
        #expect(turns.map(\.isWalking) == [true])
        // The following readings are half a second late.
        for late in stride(from: 2.6, through: 4, by: 0.2) {
            let event = core.update(.zero.advanced(bySeconds: 20 + late), wall(20 + late))
            #expect(event.transition == nil)
        }
        take(22.4..<30, cadence: 0)
        #expect(turns.map(\.isWalking) == [true, false])
    }
}
