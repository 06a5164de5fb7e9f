// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SensorFusion

@Suite("Intervals of a sample stream")
struct SensorIntervalTests {
    @Test("Intervals are computed from timestamps, and late or repeated samples are ignored")
    func intervals() {
        var clock = SensorInterval(maximumGap: 0.25, maximumAdaptiveGap: 0)
        #expect(clock.step(to: 10) == .start)
        #expect(clock.interval(to: 10.125) == 0.125)
        #expect(clock.step(to: 10.125) == .ignored)
        #expect(clock.step(to: 10) == .ignored)
        #expect(clock.step(to: .nan) == .ignored)
        #expect(clock.step(to: .infinity) == .ignored)
        #expect(clock.interval(to: 10.375) == 0.25)
    }

    @Test("A gap and a clock that is set back start a new stream")
    func interruptions() {
        var clock = SensorInterval(maximumGap: 0.25, maximumAdaptiveGap: 0)
        #expect(clock.step(to: 1e6) == .start)
        #expect(clock.step(to: 1e6 + 0.5) == .start)
        #expect(clock.interval(to: 1e6 + 0.75) == 0.25)
        #expect(clock.step(to: 3) == .start)
        #expect(clock.interval(to: 3.125) == 0.125)
        #expect(clock.step(to: -1e308) == .start)
        #expect(clock.step(to: 1.7e308) == .start)
        #expect(clock.step(to: 0) == .start)
        #expect(clock.interval(to: 0.125) == 0.125)
    }

    @Test("A slow stream is continuous if it is regular, up to the slowest interval")
    func slowStream() {
        var clock = SensorInterval(maximumGap: 0.25, maximumAdaptiveGap: 3)
        #expect(clock.step(to: 0) == .start)
        #expect(clock.step(to: 1) == .start)
        #expect(clock.interval(to: 2) == 1)
        #expect(clock.interval(to: 4.5) == 2.5)
        #expect(clock.step(to: 8) == .start)
        #expect(clock.interval(to: 11) == 3)
        #expect(clock.interval(to: 11.125) == 0.125)
        #expect(clock.step(to: 12.125) == .start)
    }
}

extension SensorInterval {
    /// Returns the interval before the sample; nil if the sample starts the stream or is ignored.
    fileprivate mutating func interval(to time: Double) -> Double? { step(to: time) == .next ? interval : nil }
}
