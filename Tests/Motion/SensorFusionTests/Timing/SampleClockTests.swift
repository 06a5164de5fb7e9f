// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SensorFusion

@Suite("Intervals of a sample stream")
struct SampleClockTests {
    @Test("Intervals are told, late and repeated samples are not used")
    func intervals() {
        var clock = SampleClock(maximumGap: 0.25)
        #expect(clock.step(to: 10) == .start)
        #expect(clock.step(to: 10.125) == .interval(0.125))
        #expect(clock.step(to: 10.125) == .unusable)
        #expect(clock.step(to: 10) == .unusable)
        #expect(clock.step(to: .nan) == .unusable)
        #expect(clock.step(to: .infinity) == .unusable)
        #expect(clock.step(to: 10.375) == .interval(0.25))
    }

    @Test("A gap and a clock that was set back begin a new stream")
    func interruptions() {
        var clock = SampleClock(maximumGap: 0.25)
        #expect(clock.step(to: 1e6) == .start)
        #expect(clock.step(to: 1e6 + 0.5) == .start)
        #expect(clock.step(to: 1e6 + 0.75) == .interval(0.25))
        #expect(clock.step(to: 3) == .start)
        #expect(clock.step(to: 3.125) == .interval(0.125))
        #expect(clock.step(to: -1e308) == .start)
        #expect(clock.step(to: 1.7e308) == .start)
        #expect(clock.step(to: 0) == .start)
        #expect(clock.step(to: 0.125) == .interval(0.125))
    }

    @Test("A slow stream is uninterrupted when it is regular, up to the slowest interval")
    func slowStream() {
        var clock = SampleClock(maximumGap: 0.25, slowestInterval: 3)
        #expect(clock.step(to: 0) == .start)
        #expect(clock.step(to: 1) == .start)
        #expect(clock.step(to: 2) == .interval(1))
        #expect(clock.step(to: 4.5) == .interval(2.5))
        #expect(clock.step(to: 8) == .start)
        #expect(clock.step(to: 11) == .interval(3))
        #expect(clock.step(to: 11.125) == .interval(0.125))
        #expect(clock.step(to: 12.125) == .start)
    }
}
