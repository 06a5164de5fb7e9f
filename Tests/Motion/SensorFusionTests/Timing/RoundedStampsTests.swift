// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SensorFusion

@Suite("Rounded timestamps")
struct RoundedStampsTests {
    /// Returns the intervals for samples at multiples of the interval `period`; nil if the timestamp difference is
    /// used.
    private func intervals(_ multiples: [Int], period: Double, digits: Double) -> [Double?] {
        var stamps = RoundedTimestampRestorer()
        return multiples.map { stamps.interval(to: (Double($0) * period * digits).rounded() / digits) }
    }

    @Test("The interval of a regular sensor is recovered from rounded timestamps", arguments: [100.0, 1000])
    func regular(digits: Double) {
        for rate in [10, 19.6, 26.1, 49.7, 62.5, 83, 95.24, 98.6, 99, 100.0] {
            let period = 1 / rate
            let found = intervals(Array(0..<3000), period: period, digits: digits)
            #expect(found.prefix(128).allSatisfy { $0 == nil })
            #expect(found.dropFirst(160).allSatisfy { $0.map { abs($0 - period) < 0.2 / digits } ?? false }, "\(rate)")
            let sum = found.dropFirst(1000).reduce(0) { $0 + ($1 ?? 0) }
            #expect(abs(sum - 2000 * period) < 1 / digits)
        }
    }

    @Test("Lost samples are detected, and timestamps with frequent losses are used unchanged")
    func lost() {
        let few = (0..<3000).filter { $0 % 500 != 303 && !(2000..<2004).contains($0) }
        let found = intervals(few, period: 0.0243, digits: 100)
        for index in 200..<few.count {
            let elapsed = Double(few[index] - few[index - 1]) * 0.0243
            #expect(abs((found[index] ?? 0) - elapsed) < 0.001, "\(few[index])")
        }
        let many = intervals((0..<3000).filter { $0 % 40 != 3 }, period: 0.0105, digits: 100)
        #expect(many.allSatisfy { $0 == nil })
    }

    @Test("Timestamps with full precision are used unchanged, even if some of them are round numbers")
    func precise() {
        var stamps = RoundedTimestampRestorer()
        for index in 0..<1000 {
            let time = index % 10 == 0 ? Double(index) / 100 : Double(index) * 0.01 + 0.000_123
            #expect(stamps.interval(to: time) == nil)
        }
    }

    @Test("Irregular samples are moved by at most the rounding of their timestamps")
    func irregular() {
        var stamps = RoundedTimestampRestorer()
        var time = 0.0
        var even = 0.0
        for index in 0..<2000 {
            time += index % 3 == 0 ? 0.004 : 0.013
            let stamp = (time * 1000).rounded() / 1000
            if let interval = stamps.interval(to: stamp) {
                even += interval
                #expect(abs(even - stamp) <= 0.0012)
            } else {
                even = stamp
            }
        }
    }
}
