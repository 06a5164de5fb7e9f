// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DeviceCore

@Suite("Decimation of readings")
struct DecimatorTests {
    /// Counts the readings that are selected, given their times.
    private static func count(_ times: [Double], interval: Double) -> Int {
        var decimator = Decimator(interval: interval)
        return times.count { decimator.selects(BootTime.zero.advanced(bySeconds: $0)) }
    }

    @Test("The average interval matches the requested one at any sensor rate")
    func average() {
        // 104 readings per second for 10 s, of which 50, 20 and 1 per second are requested.
        let times = (0..<1040).map { 5 + Double($0) / 104 }
        #expect(abs(Self.count(times, interval: 0.02) - 500) <= 1)
        #expect(abs(Self.count(times, interval: 0.05) - 200) <= 1)
        #expect(abs(Self.count(times, interval: 1) - 10) <= 1)
    }

    @Test("Jitter does not remove readings of an equally fast sensor")
    func jitter() {
        // Each time stamp deviates from the period of 10 ms by up to 3 ms, deterministically.
        let times = (0..<1000).map { number -> Double in
            let offset = Double((number * 5) % 7) - 3
            return Double(number) * 0.01 + offset * 0.001
        }
        #expect(Self.count(times, interval: 0.01) == 1000)
    }

    @Test("Of readings with the same time, one is selected")
    func equalTimes() {
        let times = (0..<5).flatMap { [Double](repeating: Double($0), count: 100) }
        #expect(Self.count(times, interval: 1) == 5)
    }

    @Test("A gap causes no burst, and a clock that is set back does not stop readings")
    func gaps() {
        let early = (0..<100).map { Double($0) * 0.01 }
        let late = early.map { $0 + 60 }
        #expect(Self.count(early + late, interval: 0.1) == 20)
        #expect(abs(Self.count(late + early, interval: 0.1) - 20) <= 1)
    }
}
