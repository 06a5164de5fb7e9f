// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Taking fewer readings than a sensor makes")
struct SampleThinnerTests {
    /// How many of the readings at those times are taken.
    private static func count(_ times: [Double], interval: Double) -> Int {
        var thinner = SampleThinner(interval: interval)
        return times.count { thinner.takes(BootTime.zero.advanced(bySeconds: $0)) }
    }

    @Test("On average the wanted interval is kept, whatever the sensor's rate")
    func average() {
        // 104 readings a second for ten seconds: 50, 20 and 1 of them a second are wanted.
        let times = (0..<1040).map { 5 + Double($0) / 104 }
        #expect(abs(Self.count(times, interval: 0.02) - 500) <= 1)
        #expect(abs(Self.count(times, interval: 0.05) - 200) <= 1)
        #expect(abs(Self.count(times, interval: 1) - 10) <= 1)
    }

    @Test("No reading of an equally fast sensor is lost to jitter")
    func jitter() {
        // Each stamp is up to 3 ms off the beat of 10 ms, by a rule without chance.
        let times = (0..<1000).map { number -> Double in
            let offset = Double((number * 5) % 7) - 3
            return Double(number) * 0.01 + offset * 0.001
        }
        #expect(Self.count(times, interval: 0.01) == 1000)
    }

    @Test("After a gap there is no burst, and a clock set back does not stop readings")
    func gaps() {
        let early = (0..<100).map { Double($0) * 0.01 }
        let late = early.map { $0 + 60 }
        #expect(Self.count(early + late, interval: 0.1) == 20)
        #expect(abs(Self.count(late + early, interval: 0.1) - 20) <= 1)
    }
}
